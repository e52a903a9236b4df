import { isFailure, needsReconnect } from '#kit'
import type { Failure } from '#kit'
import { isTestable } from '../catalogue/free-test.ts'
import { typeOf } from '../catalogue/registry.ts'
import type { Registry } from '../catalogue/registry.ts'
import type { Clock, Connection, Log } from '../ports/index.ts'
import type { ConnectionUse, Health } from './health.ts'
import type { OpenConnections } from './open-connection.ts'
import type { ConnectionWriter } from './save.ts'
import type { ConnectionStates } from './states.ts'
import type { Verifier } from './verify.ts'

type ChecksDependencies = {
  registry: Registry
  openConnections: OpenConnections
  writer: Pick<ConnectionWriter, 'change'>
  verifier: Verifier
  states: ConnectionStates
  clock: Clock
  log: Log
}

/** Whether connections work: by their free test, and by what every use of them shows. */
export type Checks = {
  check(row: Connection): Promise<void>
  /** Resolves when everything under way that may change a connection of the tenant is stored. */
  settled(tenant: string): Promise<void>
  health: Health
}

/**
 * Time before a free test that follows a refusal is repeated: an agent must not use up the account's rate limit with
 * it.
 */
const againMs = 60_000

/**
 * Whether the answers to a use show that the credential works. An endpoint of a wire profile may be anybody's address:
 * a match there proves it, and refusals that only a valid key gets. Elsewhere a step knows its answers; what API Call
 * was answered is judged by nobody else.
 */
const isProof = ({ used: { proven, lastStatus = 0 }, loaded: { loaded, step } }: ConnectionUse): boolean => {
  if (proven || Object.keys(loaded.wire.endpoints ?? {}).length > 0) return proven
  return step.id !== 'api-call' || (lastStatus >= 200 && lastStatus < 300)
}

export const createChecks = ({
  registry,
  openConnections,
  writer,
  verifier,
  states,
  clock,
  log,
}: ChecksDependencies): Checks => {
  /** Runs the free test of a connection without disturbing calls that wait with it. */
  const check = async (row: Connection): Promise<void> => {
    if (row.state === 'revoked' || row.state === 'disabled') return
    const loaded = registry.forConnection(row)
    const isUsable = row.state !== 'needs_reconnect'
    if (!isUsable) openConnections.forget(row.tenant, row.id)
    const opened = await openConnections.openConnection(isUsable ? row : { ...row, state: 'unverified' }, loaded)
    try {
      const { state, stateReason, ...proof } = await verifier.check(opened, loaded)
      states.write(opened.connection, proof)
      if (isUsable) states.set(opened.connection, state, stateReason)
      else await writer.change(row, { ...proof, state, stateReason })
    } catch (thrown) {
      if (!needsReconnect(thrown)) throw thrown
      if (isUsable) states.set(opened.connection, 'needs_reconnect', thrown.message)
    } finally {
      if (!isUsable) openConnections.forget(row.tenant, row.id)
    }
  }

  /** When the free test last ran because of a refusal, and those that go on. */
  const tested = new Map<string, number>()
  const testing = new Map<string, { tenant: string; test: Promise<void> }>()
  /** Of one tenant: nobody waits for the provider of another one. */
  const settled = async (tenant: string) => {
    await Promise.all([...testing.values()].flatMap((going) => (going.tenant === tenant ? going.test : [])))
    await states.settled()
  }

  /**
   * Whether a refused call means that the credential is bad is decided by the free test: one at a time, and one a
   * minute.
   */
  const testAfterRefusal = (row: Connection) => {
    const key = `${row.tenant}/${row.id}`
    const now = clock.monotonic()
    if (testing.has(key) || now - (tested.get(key) ?? Number.NEGATIVE_INFINITY) < againMs) return
    for (const [old, at] of tested) if (now - at >= againMs) tested.delete(old)
    tested.set(key, now)
    const test = check(row)
      .catch((thrown: unknown) =>
        log('warn', 'connection.not_tested', {
          connection: row.id,
          error: isFailure(thrown) ? thrown.code : String(thrown),
        }),
      )
      .finally(() => testing.delete(key))
    testing.set(key, { tenant: row.tenant, test })
  }

  const health: Health = {
    worked(session) {
      const { connection, live } = session.opened
      const now = clock.now()
      if (session.used.calls === 0) return
      // What a credential showed that was replaced meanwhile says nothing of the present one.
      if (live && connection.state === 'unverified' && isProof(session)) states.set(connection, 'connected', null)
      if (now - (connection.lastUsedAt ?? 0) > 60_000) states.write(connection, { lastUsedAt: now })
    },
    refused(session, failure: Failure) {
      const { opened } = session
      if (session.used.proven && opened.live && opened.connection.state === 'unverified')
        states.set(opened.connection, 'connected', null)
      // Only the provider's own word counts: a refusal of ours (state, policy) carries no provider status. And not
      // about a credential that was replaced meanwhile.
      if (!needsReconnect(failure) || failure.details.providerStatus === undefined || !opened.live) return
      if (opened.connection.state === 'needs_reconnect') return
      const { loaded } = session.loaded
      if (isTestable(typeOf(loaded, opened.connection.type), loaded.wire)) return testAfterRefusal(opened.connection)
      // Without a test a documented step's refusal is the provider's word; what an agent sends by API Call may be
      // refused for its path alone.
      if (session.loaded.step.id !== 'api-call') states.set(opened.connection, 'needs_reconnect', failure.message)
    },
  }
  return { check, settled, health }
}
