/** Rows of events as the stream changes them. */
import type { Event } from '../../../../api/resources/event.ts'
import type { Start } from '../../../../api/resources/start.ts'
import type { Change } from '../../api/index.ts'

/** Two connections may receive the same event, so its id alone is not a key. */
export const keyOf = ({ id, connection }: Pick<Event, 'id' | 'connection'>) => `${connection} ${id}`

const maxRecent = 500

/** The latest events of the stream: one that is not listed yet may be once it has started something. */
export const createRecent = () => {
  const events = new Map<string, Event>()
  return {
    get: (key: string) => events.get(key),
    put(key: string, event: Event) {
      events.delete(key)
      events.set(key, event)
      if (events.size > maxRecent) events.delete(events.keys().next().value!)
    },
  }
}

/** The events after the stream's changes; a changed start also changes its event. */
export const rowsOf = (
  changes: Change[],
  findRow: (key: string) => Event | undefined,
  recent: ReturnType<typeof createRecent>,
): Event[] => {
  const rows = new Map<string, Event>()
  const of = (key: string) => rows.get(key) ?? findRow(key) ?? recent.get(key)
  for (const { kind, row } of changes) {
    if (kind === 'event') {
      const event = row as unknown as Event
      const key = keyOf(event)
      rows.set(key, { ...event, starts: of(key)?.starts ?? [] })
      recent.put(key, event)
    } else if (kind === 'start') {
      const { id, subscription, state, event, connection } = row as unknown as Start
      const key = keyOf({ id: event, connection })
      const changed = of(key)
      if (changed)
        rows.set(key, {
          ...changed,
          starts: [...(changed.starts ?? []).filter((start) => start.id !== id), { id, subscription, state }],
        })
    }
  }
  return [...rows.values()]
}
