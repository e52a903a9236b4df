import { isFailure } from '#kit'
import type { Clock, Log, Pruned, Retention, Store } from '../ports/index.ts'

const minute = 60_000
const day = 24 * 60 * minute
/** Ages after which things go. */
export const ages = { payloads: 30 * day, starts: 90 * day, deleted: 30 * day, runs: 90 * day, ownWrites: 7 * day, audit: 365 * day, gaps: 365 * day }

const everyMs = minute
/** A process that does one thing and ends is spared the work. */
const firstMs = 10_000
/** Between two rounds of a backlog, for everybody else. */
const restMs = 10
const rowsOfAKind = 2000

const agesAt = (now: number): Retention => ({
  now,
  payloads: now - ages.payloads,
  starts: now - ages.starts,
  deleted: now - ages.deleted,
  runs: now - ages.runs,
  ownWrites: now - ages.ownWrites,
  audit: now - ages.audit,
  gaps: now - ages.gaps,
  limit: rowsOfAKind,
})

/**
 * Takes old rows of every table away: once a minute while the pack is used, and without pause but for a moment between the rounds while there
 * are more. `touch` is called wherever work comes in and costs nothing while it is not time.
 */
export const createRetention = ({ store, clock, log }: { store: Pick<Store, 'prune'>; clock: Clock; log: Log }) => {
  let dueAt = clock.monotonic() + firstMs
  let running: Promise<void> | undefined
  let stopped = false

  const work = async () => {
    const total: Record<string, number> = {}
    for (;;) {
      const { more, ...gone }: Pruned = await store.prune(agesAt(clock.now()))
      for (const [what, count] of Object.entries(gone)) total[what] = (total[what] ?? 0) + count
      if (!more || stopped) break
      await clock.sleep(restMs)
    }
    if (Object.values(total).some((count) => count > 0)) log('info', 'store.pruned', total)
  }
  const run = async () => {
    try {
      await work()
    } catch (error) {
      log('warn', 'store.not_pruned', { error: isFailure(error) ? error.message : String(error) })
    }
    running = undefined
    dueAt = clock.monotonic() + everyMs
  }

  const touch = () => {
    if (clock.monotonic() < dueAt || running !== undefined || stopped) return
    running = run()
  }
  // Also where nothing comes in any more. What it does is not worth keeping a process for.
  const timer = setInterval(touch, everyMs).unref()

  return {
    touch,
    /** Resolves when nothing is being removed. */
    idle: async () => running,
    async stop(): Promise<void> {
      stopped = true
      clearInterval(timer)
      await running
    },
  }
}
