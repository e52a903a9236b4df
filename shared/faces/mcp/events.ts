import type { Pack } from '../../pack.ts'
import type { Caller } from '../../runtime/ports.ts'

/** Recent events of the caller's accounts, as the resource shows them. */
export type EventSource = {
  /** Newest first; JSON values. */
  recent(caller: Caller, limit: number): Promise<unknown[]>
  /** Calls `changed` after events of the tenant arrived, until the function it gives is called. */
  watch(caller: Caller, changed: () => void): () => void
}

/** The events of a pack, or undefined where it takes none in. */
export const eventsOf = (_pack: Pack): EventSource | undefined => undefined
