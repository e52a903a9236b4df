import type { ConnectionType, Effect, ProviderRequest, WireProfile } from '#kit'
import type { OpenConnection } from './open-connection.ts'
import type { OpenWith } from './resolve.ts'
import type { Clock, Connection } from '../ports/index.ts'
import { profileTest } from '../catalogue/free-test.ts'
import { typeOf } from '../catalogue/registry.ts'
import type { Loaded, Registry } from '../catalogue/registry.ts'

/** What the free test of a connection showed. */
export type Verified = Pick<Connection, 'state' | 'stateReason' | 'stateAt'> &
  Partial<Pick<Connection, 'accountId' | 'accountName'>>
export type Verifier = {
  /** Runs the free test with these secrets, which need not be stored. Throws what the provider said against them. */
  verify(row: Connection, secrets: Record<string, string>): Promise<Verified>
  /** The same with a connection in use, its credential renewed where that is due. */
  check(opened: OpenConnection, loaded: Loaded): Promise<Verified>
  /** One request that changes something at the provider, with these secrets and without a step. */
  send(row: Connection, secrets: Record<string, string>, request: ProviderRequest): Promise<unknown>
}

/**
 * One request of our own with a connection, made without a step; gives the body of a good reply. `effect`: what it does
 * at the provider.
 */
export type SendAs = (
  opened: OpenConnection,
  loaded: Loaded,
  request: ProviderRequest,
  as: { effect: Effect; priority: 'interactive' | 'bulk' },
) => Promise<unknown>

/**
 * Asks the endpoint at which the profile lets a key be tested. Resolves when that shows that it works; throws what the
 * provider said against it.
 */
export type AskTest = (
  opened: OpenConnection,
  loaded: Loaded,
  test: NonNullable<WireProfile['test']>,
  priority: 'interactive' | 'bulk',
) => Promise<void>

type VerifierDependencies = { registry: Registry; sendAs: SendAs; askTest: AskTest; openWith: OpenWith; clock: Clock }

export const createVerifier = ({ registry, sendAs, askTest, openWith, clock }: VerifierDependencies): Verifier => {
  const openPlain = (row: Connection, loaded: Loaded, secrets: Record<string, string>) =>
    openWith({ ...row, state: 'unverified', policy: null }, loaded, secrets)

  const connected = (): Verified => ({ state: 'connected', stateReason: null, stateAt: clock.now() })

  /** What the free test shows; undefined where there is none, since a paid lookup is never a test. */
  const proofOf = async (
    type: ConnectionType,
    opened: OpenConnection,
    loaded: Loaded,
    priority: 'interactive' | 'bulk',
  ): Promise<Verified | undefined> => {
    if (type.test) {
      // It changes nothing whatever its method is: a failure leaves nothing in doubt, and it may be sent again.
      const answer = await sendAs(opened, loaded, type.test, { effect: 'read', priority })
      const account = type.identify?.(answer)
      return { ...connected(), ...(account ? { accountId: account.accountId, accountName: account.accountName } : {}) }
    }
    const test = profileTest(loaded.wire)
    if (!test) return undefined
    await askTest(opened, loaded, test, priority)
    return connected()
  }

  return {
    async send(row, secrets, request) {
      const loaded = registry.forConnection(row)
      const opened = await openPlain(row, loaded, secrets)
      return sendAs(opened, loaded, request, { effect: 'update', priority: 'interactive' })
    },
    async verify(row, secrets) {
      const loaded = registry.forConnection(row)
      const type = typeOf(loaded, row.type)
      const opened = await openPlain(row, loaded, secrets)
      // Where a token is fetched with the secrets, the provider has then said that they are right.
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
      // Without a test, the state that real answers have shown remains.
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
