import type { Pack } from '../../pack.ts'
import type { Caller } from '../../runtime/ports/index.ts'

/** Recent events of the caller's accounts, as the resource shows them. */
export type EventSource = {
  /** Newest first; JSON values. */
  recent(caller: Caller, limit: number): Promise<unknown[]>
  /** Calls `changed` after events of the caller's accounts arrived, until the function it gives is called. */
  watch(caller: Caller, changed: () => void): () => void
}

type Listing = { list(caller: Caller, page: { limit: number }): Promise<{ items: { id: string }[] }> }
/** Does work again and again, until the function it gives is called. */
type Repeat = (ms: number, work: () => void) => () => void

const lookMs = 5_000

const repeatedly: Repeat = (ms, work) => {
  const timer = setInterval(work, ms)
  // Looking for news is no reason for a process to stay.
  timer.unref()
  return () => clearInterval(timer)
}

/** The events of a pack, or undefined where it takes none in. Who watches is told within some seconds. */
export const eventsOf = (pack: Pack, repeat: Repeat = repeatedly): EventSource | undefined => {
  const { events } = pack as { events?: Listing }
  if (!events) return undefined
  // A token bound to accounts sees only some of each page.
  const newest = async (caller: Caller) => (await events.list(caller, { limit: 20 })).items[0]?.id
  return {
    recent: async (caller, limit) => (await events.list(caller, { limit })).items,
    watch(caller, changed) {
      // A store that is away for a moment has no news; the next look finds them.
      let seen = newest(caller).catch(() => undefined)
      return repeat(lookMs, () => {
        const before = seen
        seen = newest(caller).catch(() => before)
        void Promise.all([before, seen]).then(([old, found]) => void (old !== found && changed()))
      })
    },
  }
}
