import type { Event, WebhookSource } from '#kit'
import type { StoredEvent } from '../ports/index.ts'

/** The event of an inbox row, decoded again; undefined once its payload was taken by retention. */
export const readEvent = (source: Pick<WebhookSource, 'decode'>, row: StoredEvent): Event | undefined => {
  if (row.raw === null) return undefined
  const kept: unknown = JSON.parse(Buffer.from(row.raw).toString('utf8'))
  const event = source.decode(kept, 'recovery').events.find(({ id }) => id === row.id)
  return event && { ...event, via: row.via, causedByUs: row.causedByUs }
}
