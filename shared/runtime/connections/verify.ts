import type { ConnectionType, ProviderRequest } from '#kit'
import type { OpenConnection } from './open-connection.ts'
import type { OpenWith } from './resolve.ts'
import type { Clock, Connection } from '../ports/index.ts'
import { typeOf } from '../catalogue/registry.ts'
import type { Loaded, Registry } from '../catalogue/registry.ts'

/** What the free test of a connection showed. */
export type Verified = Pick<Connection, 'state' | 'stateReason' | 'stateAt'> & Partial<Pick<Connection, 'accountId' | 'accountName'>>
export type Verifier = {
  /** Runs the free test with these secrets, which need not be stored. Throws what the provider said against them. */
  verify(row: Connection, secrets: Record<string, string>): Promise<Verified>
  /** The same with a connection in use, its credential renewed where that is due. */
  check(opened: OpenConnection, loaded: Loaded): Promise<Verified>
  /** One request with these secrets, made without a step. */
  send(row: Connection, secrets: Record<string, string>, request: ProviderRequest): Promise<unknown>
}

/** One request of our own with a connection, made without a step; gives the body of a good reply. */
export type SendAs = (opened: OpenConnection, loaded: Loaded, request: ProviderRequest, priority: 'interactive' | 'bulk') => Promise<unknown>

export const createVerifier = ({ registry, sendAs, openWith, clock }: { registry: Registry; sendAs: SendAs; openWith: OpenWith; clock: Clock }): Verifier => {
  const openPlain = (row: Connection, loaded: Loaded, secrets: Record<string, string>) =>
    openWith({ ...row, state: 'unverified', policy: null }, loaded, secrets)

  const proofOf = async (type: ConnectionType, run: (request: ProviderRequest) => Promise<unknown>): Promise<Verified> => {
    // A paid lookup is never a test.
    if (!type.test)
      return {
        state: 'unverified',
        stateReason: 'This provider has no free way to test a key; the first match will show whether it works.',
        stateAt: clock.now(),
      }
    const reply = await run(type.test)
    const known = type.identify?.(reply)
    return { state: 'connected', stateReason: null, stateAt: clock.now(), ...(known ? { accountId: known.accountId, accountName: known.accountName } : {}) }
  }

  return {
    async send(row, secrets, request) {
      const loaded = registry.integration(row.integration)
      return sendAs(await openPlain(row, loaded, secrets), loaded, request, 'interactive')
    },
    async verify(row, secrets) {
      const loaded = registry.integration(row.integration)
      const type = typeOf(loaded, row.type)
      const opened = await openPlain(row, loaded, secrets)
      // Where a token is fetched with the secrets, the provider has then said that they are right.
      await opened.renewal?.beforeUse()
      const proof = await proofOf(type, (request) => sendAs(opened, loaded, request, 'interactive'))
      return opened.renewal && !type.test ? { ...proof, state: 'connected', stateReason: null } : proof
    },
    async check(opened, loaded) {
      const type = typeOf(loaded, opened.connection.type)
      // Without a test, the state that real answers have shown remains.
      if (!type.test) return { state: opened.connection.state, stateReason: opened.connection.stateReason, stateAt: opened.connection.stateAt }
      return proofOf(type, (request) => sendAs(opened, loaded, request, 'bulk'))
    },
  }
}
