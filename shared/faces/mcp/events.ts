import type { Pack } from '../../pack.ts'
import type { Caller } from '../../runtime/ports/index.ts'
import { readerIn } from './reader.ts'
import type { Reader } from './reader.ts'

/** Recent events of the reader's connections, as the resource shows them. */
export type EventSource = {
  /** The newest events first, as JSON values. */
  recent(reader: Reader, limit: number): Promise<unknown[]>
  /** Calls `changed` after new events of the reader's connections, until the returned function is called. */
  watch(reader: Reader, changed: () => void): () => void
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
  const list = async (reader: Reader, limit: number) =>
    (await events.list(await readerIn(pack, reader), { limit })).items
  // A caller limited to connections sees only part of each page.
  const newest = async (reader: Reader) => (await list(reader, 20))[0]?.id
  return {
    recent: list,
    watch(reader, changed) {
      // If the store is unavailable, the next poll finds the changes.
      let seen = newest(reader).catch(() => undefined)
      return repeat(pollMs, () => {
        const before = seen
        seen = newest(reader).catch(() => before)
        void Promise.all([before, seen]).then(([old, newestId]) => void (old !== newestId && changed()))
      })
    },
  }
}
