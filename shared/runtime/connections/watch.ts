import { isFailure } from '#kit'
import type { Leases } from '../leases.ts'
import type { Clock, Connection, Log, Store } from '../ports/index.ts'
import { isTestable } from '../catalogue/free-test.ts'
import { typeOf } from '../catalogue/registry.ts'
import type { Registry } from '../catalogue/registry.ts'

/** A connection unused for this long is tested, so that a broken one is known before an agent fails on it. */
const testAfterMs = 6 * 3_600_000
const intervalMs = 10 * 60_000
/** Between two tests, because they share the provider's rate limits with all other calls. */
const pauseMs = 2_000

type ConnectionWatchDependencies = {
  registry: Registry
  store: Pick<Store, 'connections'>
  check(row: Connection): Promise<void>
  clock: Clock
  log: Log
}
/** With a shared store, one process at a time runs the tests and the others skip that round. */
type Shared = { leases: Pick<Leases, 'tryHold'> }

/** A connection whose profile or type no longer exists would only fail, and its next use shows that. */
const hasTest = (registry: Registry, row: Connection): boolean => {
  try {
    const loaded = registry.forConnection(row)
    return isTestable(typeOf(loaded, row.type), loaded.wire)
  } catch (gone) {
    if (isFailure(gone)) return false
    throw gone
  }
}

/** Tests every connection that has a free test and was not used for hours. Returns how many were tested. */
export const sweepConnections = async (
  { registry, store, check, clock, log }: ConnectionWatchDependencies,
  signal: AbortSignal,
): Promise<number> => {
  let tested = 0
  for (const row of await store.connections.all()) {
    if (signal.aborted) return tested
    const isRegistered = registry.all.some((loaded) => loaded.integration.id === row.integration)
    const isUsable = row.state === 'connected' || row.state === 'unverified'
    if (!isRegistered || !isUsable || !hasTest(registry, row)) continue
    if (clock.now() - Math.max(row.stateAt, row.lastUsedAt ?? 0) < testAfterMs) continue
    if (tested > 0) await clock.sleep(pauseMs, signal)
    tested += 1
    // The result is stored with the connection. An unreachable provider proves nothing.
    await check(row).catch((error: unknown) =>
      log('info', 'connection.not_tested', {
        connection: row.id,
        reason: error instanceof Error ? error.name : 'unknown',
      }),
    )
  }
  return tested
}

/** Sweeps until the returned function is called. */
export const watchConnections = (parts: ConnectionWatchDependencies & Shared): (() => void) => {
  const stop = new AbortController()
  const loop = async () => {
    while (!stop.signal.aborted) {
      await parts.clock.sleep(intervalMs, stop.signal)
      await parts.leases.tryHold('connection tests', () => sweepConnections(parts, stop.signal))
    }
  }
  loop().catch((error: unknown) => {
    if (!stop.signal.aborted)
      parts.log('error', 'connections.watch_ended', { error: error instanceof Error ? error.name : 'unknown' })
  })
  return () => stop.abort()
}
