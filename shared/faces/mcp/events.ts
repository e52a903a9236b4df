import type { Pack } from '../../pack.ts'
import type { Caller } from '../../runtime/ports/index.ts'

/** Recent events of the caller's connections, as the resource shows them. */
export type EventSource = {
  /** The newest events first, as JSON values. */
  recent(caller: Caller, limit: number): Promise<unknown[]>
  /** Calls `changed` after new events of the caller's connections, until the returned function is called. */
  watch(caller: Caller, changed: () => void): () => void
}

type Listing = { list(caller: Caller, page: { limit: number }): Promise<{ items: { id: string }[] }> }
/** Repeats work until the returned function is called. */
type Repeat = (ms: number, work: () => void) => () => void

const pollMs = 5_000

const repeatedly: Repeat = (ms, work) => {
  const timer = setInterval(work, ms)
  // Polling must not keep the process alive.
  timer.unref()
  return () => clearInterval(timer)
}

/** The events of a pack; undefined if it has none. Changes are noticed within seconds. */
export const eventsOf = (pack: Pack, repeat: Repeat = repeatedly): EventSource | undefined => {
  const { events } = pack as { events?: Listing }
  if (!events) return undefined
  // A token bound to connections sees only part of each page.
  const newest = async (caller: Caller) => (await events.list(caller, { limit: 20 })).items[0]?.id
  return {
    recent: async (caller, limit) => (await events.list(caller, { limit })).items,
    watch(caller, changed) {
      // If the store is unavailable, the next poll finds the changes.
      let seen = newest(caller).catch(() => undefined)
      return repeat(pollMs, () => {
        const before = seen
        seen = newest(caller).catch(() => before)
        void Promise.all([before, seen]).then(([old, newestId]) => void (old !== newestId && changed()))
      })
    },
  }
}
