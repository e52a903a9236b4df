import { isFailure } from '#kit'
import type { Leases } from '../leases.ts'
import type { Clock, Log, Pruned, Retention, Store } from '../ports/index.ts'

const minute = 60_000
const day = 24 * 60 * minute
/** Ages in ms after which rows are removed. `ids`: ids of events and starts, which repeats are recognised by. */
export const ages = {
  payloads: 30 * day,
  starts: 90 * day,
  deleted: 30 * day,
  runs: 90 * day,
  approvals: day,
  ownWrites: 7 * day,
  audit: 365 * day,
  gaps: 365 * day,
  ids: 365 * day,
  usage: 400 * day,
  names: 30 * day,
  rates: 365 * day,
}
export type Ages = typeof ages
/** Ages in ms that decide a row's expiry when it is stored. Older lookup results are not reused either. */
export const storedAges = { lookups: 90 * day, noMatches: 7 * day, samples: 90 * day, jobs: 30 * day }
export type StoredAges = typeof storedAges
export type RetentionSettings = { ages?: Partial<Ages & StoredAges>; /** Embedded store only. */ maxBytes?: number }

const intervalMs = 10_000
/** Delay before the first round; spares short-lived processes the work. */
const firstMs = 10_000
/** Pause between two rounds of a backlog, so that other work gets its turn. */
const restMs = 10
const rowsOfAKind = 2000

const retentionAt = (now: number, { ages: ownAges, maxBytes }: RetentionSettings): Retention => {
  const before = Object.fromEntries(
    Object.entries(ages).map(([what, age]) => [what, now - (ownAges?.[what as keyof Ages] ?? age)]),
  ) as Ages
  return { now, ...before, ...(maxBytes === undefined ? {} : { maxBytes }), limit: rowsOfAKind }
}

/** `leases`: present where several processes share the store; then only one of them removes rows. */
type RetentionDependencies = {
  store: Pick<Store, 'prune'>
  clock: Clock
  log: Log
  leases?: Pick<Leases, 'tryHold'> | undefined
  settings?: RetentionSettings | undefined
}

/**
 * Removes old rows of every table: every few seconds while the pack is used, and in quick succession while more are
 * left. `touch` is called wherever work comes in, and does nothing until the next round is due.
 */
export const createRetention = ({ store, clock, log, leases, settings = {} }: RetentionDependencies) => {
  let dueAt = clock.monotonic() + firstMs
  let running: Promise<void> | undefined
  let stopped = false

  const prune = async () => {
    const total: Record<string, number> = {}
    for (;;) {
      const { more, ...gone }: Pruned = await store.prune(retentionAt(clock.now(), settings))
      for (const [what, count] of Object.entries(gone)) total[what] = (total[what] ?? 0) + count
      if (!more || stopped) break
      await clock.sleep(restMs)
    }
    if (Object.values(total).some((count) => count > 0)) log('info', 'store.pruned', total)
  }
  const run = async () => {
    try {
      if (leases) await leases.tryHold('retention', prune)
      else await prune()
    } catch (error) {
      log('warn', 'store.not_pruned', { error: isFailure(error) ? error.message : String(error) })
    }
    running = undefined
    dueAt = clock.monotonic() + intervalMs
  }

  const touch = () => {
    if (clock.monotonic() < dueAt || running !== undefined || stopped) return
    running = run()
  }
  let timer: NodeJS.Timeout | undefined

  return {
    touch,
    /** Covers times without requests, by a timer that does not keep the process alive. */
    start: () => void (timer = setInterval(touch, intervalMs).unref()),
    /** Resolves when no round is in progress. */
    idle: async () => running,
    async stop(): Promise<void> {
      stopped = true
      clearInterval(timer)
      await running
    },
  }
}
