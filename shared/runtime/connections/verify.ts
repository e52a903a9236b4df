import type { ConnectionType, Effect, ProviderRequest, WireProfile } from '#kit'
import type { OpenConnection } from './open-connection.ts'
import type { OpenWith } from './resolve.ts'
import type { Clock, Connection } from '../ports/index.ts'
import { profileTest } from '../catalogue/free-test.ts'
import { typeOf } from '../catalogue/registry.ts'
import type { LoadedIntegration, Registry } from '../catalogue/registry.ts'

/** The result of a connection's free test. */
export type Verified = Pick<Connection, 'state' | 'stateReason' | 'stateAt'> &
  Partial<Pick<Connection, 'accountId' | 'accountName' | 'ownIds'>>
export type Verifier = {
  /**
   * Runs the free test with these secrets, which need not be stored.
   * @throws Failure that the provider answered
   */
  verify(row: Connection, secrets: Record<string, string>): Promise<Verified>
  /** Runs the free test with a connection in use, after renewing its credential if that is due. */
  check(opened: OpenConnection, loaded: LoadedIntegration): Promise<Verified>
  /** Sends one request with these secrets, outside a step. `effect`: what it does at the provider. */
  send(
    row: Connection,
    secrets: Record<string, string>,
    request: ProviderRequest,
    effect: 'read' | 'update',
  ): Promise<unknown>
}

/**
 * Sends one request of our own with a connection, outside a step; resolves to the body of a successful reply. `effect`:
 * what the request does at the provider.
 */
export type SendAs = (
  opened: OpenConnection,
  loaded: LoadedIntegration,
  request: ProviderRequest,
  as: { effect: Effect; priority: 'interactive' | 'bulk' },
) => Promise<unknown>

/**
 * Uses the profile's endpoint for testing keys. Resolves when the reply shows that the key works.
 * @throws Failure that the provider answered
 */
export type AskTest = (
  opened: OpenConnection,
  loaded: LoadedIntegration,
  test: NonNullable<WireProfile['test']>,
  priority: 'interactive' | 'bulk',
) => Promise<void>

type VerifierDependencies = { registry: Registry; sendAs: SendAs; askTest: AskTest; openWith: OpenWith; clock: Clock }

const columnsOf = ({ accountId, accountName, ownIds }: ReturnType<NonNullable<ConnectionType['identify']>>) => ({
  accountId,
  accountName,
  ...(ownIds === undefined ? {} : { ownIds }),
})

export const createVerifier = ({ registry, sendAs, askTest, openWith, clock }: VerifierDependencies): Verifier => {
  const openPlain = (row: Connection, loaded: LoadedIntegration, secrets: Record<string, string>) =>
    openWith({ ...row, state: 'unverified', policy: null }, loaded, secrets)

  const connected = (): Verified => ({ state: 'connected', stateReason: null, stateAt: clock.now() })

  /** The result of the free test; undefined when there is none, since a paid lookup is never a test. */
  const proofOf = async (
    type: ConnectionType,
    opened: OpenConnection,
    loaded: LoadedIntegration,
    priority: 'interactive' | 'bulk',
  ): Promise<Verified | undefined> => {
    if (type.test) {
      // Counts as a read whatever its method, because it changes nothing: its outcome is never in doubt, and it may be
      // retried.
      const answer = await sendAs(opened, loaded, type.test, { effect: 'read', priority })
      const account = type.identify?.(answer)
      return { ...connected(), ...(account && columnsOf(account)) }
    }
    const test = profileTest(loaded.wire)
    if (!test) return undefined
    await askTest(opened, loaded, test, priority)
    return connected()
  }

  return {
    async send(row, secrets, request, effect) {
      const loaded = registry.forConnection(row)
      const opened = await openPlain(row, loaded, secrets)
      return sendAs(opened, loaded, request, { effect, priority: 'interactive' })
    },
    async verify(row, secrets) {
      const loaded = registry.forConnection(row)
      const type = typeOf(loaded, row.type)
      const opened = await openPlain(row, loaded, secrets)
      // If the secrets are used to fetch a token, the provider has now accepted them.
      await opened.renewal?.beforeUse()
      const proof = await proofOf(type, opened, loaded, 'interactive')
      if (proof) return proof
      if (opened.renewal) return connected()
      return {
        state: 'unverified',
        stateReason: 'This provider has no free way to test a key; the first match will show whether it works.',
        stateAt: clock.now(),
      }
    },
    async check(opened, loaded) {
      const { connection } = opened
      // Without a test, the state that earlier replies have shown stays.
      const shown: Verified = {
        state: connection.state,
        stateReason: connection.stateReason,
        stateAt: connection.stateAt,
      }
      const type = typeOf(loaded, connection.type)
      return (await proofOf(type, opened, loaded, 'bulk')) ?? shown
    },
  }
}
