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

/** Finds out whether connections work, by their free test and by the outcome of every use. */
export type Checks = {
  check(row: Connection): Promise<void>
  /** Resolves when every pending change of a connection of the tenant is stored. */
  settled(tenant: string): Promise<void>
  health: Health
}

/**
 * Minimum time between free tests that follow a refusal, so that an agent cannot use up the account's rate limit with
 * them.
 */
const minIntervalMs = 60_000

/**
 * Whether the replies to a use prove that the credential works. If the profile has endpoints, its address may be wrong,
 * so only a match counts, or a refusal that only a valid key receives. Otherwise a step's success counts; for API Call,
 * which accepts any reply, only a 2xx status.
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
  /** Runs the free test of a connection without disturbing calls that wait for it. */
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

  /** When each free test last ran because of a refusal, and the tests in progress. */
  const testedAt = new Map<string, number>()
  const testsUnderWay = new Map<string, { tenant: string; test: Promise<void> }>()
  /** Waits for tests of one tenant only, so that nobody waits for another tenant's provider. */
  const settled = async (tenant: string) => {
    await Promise.all([...testsUnderWay.values()].flatMap((entry) => (entry.tenant === tenant ? entry.test : [])))
    await states.settled()
  }

  /**
   * Lets the free test decide whether a refused call means a bad credential: one test at a time, and at most one a
   * minute.
   */
  const testAfterRefusal = (row: Connection) => {
    const key = `${row.tenant}/${row.id}`
    const now = clock.monotonic()
    if (testsUnderWay.has(key) || now - (testedAt.get(key) ?? Number.NEGATIVE_INFINITY) < minIntervalMs) return
    for (const [old, at] of testedAt) if (now - at >= minIntervalMs) testedAt.delete(old)
    testedAt.set(key, now)
    const test = check(row)
      .catch((thrown: unknown) =>
        log('warn', 'connection.not_tested', {
          connection: row.id,
          error: isFailure(thrown) ? thrown.code : String(thrown),
        }),
      )
      .finally(() => testsUnderWay.delete(key))
    testsUnderWay.set(key, { tenant: row.tenant, test })
  }

  const health: Health = {
    worked(session) {
      const { connection, live } = session.opened
      const now = clock.now()
      if (session.used.calls === 0) return
      // A result obtained with a credential that was replaced meanwhile says nothing about the current one.
      if (live && connection.state === 'unverified' && isProof(session)) states.set(connection, 'connected', null)
      if (now - (connection.lastUsedAt ?? 0) > 60_000) states.write(connection, { lastUsedAt: now })
    },
    refused(session, failure: Failure) {
      const { opened } = session
      if (session.used.proven && opened.live && opened.connection.state === 'unverified')
        states.set(opened.connection, 'connected', null)
      // Only the provider's own refusal counts: a refusal of ours (state, policy) has no provider status. A refusal of
      // a credential that was replaced meanwhile does not count.
      if (!needsReconnect(failure) || failure.details.providerStatus === undefined || !opened.live) return
      if (opened.connection.state === 'needs_reconnect') return
      const { loaded } = session.loaded
      if (isTestable(typeOf(loaded, opened.connection.type), loaded.wire)) return testAfterRefusal(opened.connection)
      // Without a test, a refusal of a documented step counts as the provider's verdict. A request of API Call may be
      // refused because of its path alone.
      if (session.loaded.step.id !== 'api-call') states.set(opened.connection, 'needs_reconnect', failure.message)
    },
  }
  return { check, settled, health }
}
