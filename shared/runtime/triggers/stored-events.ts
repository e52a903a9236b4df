import type { Event, Json, Model, WebhookSource } from '#kit'
import type { StoredEvent } from '../ports/index.ts'

/**
 * Decodes the event of an inbox row again; undefined once retention has removed its payload, and for items found by
 * polls.
 */
export const readEvent = (source: Pick<WebhookSource, 'decodeStored'>, row: StoredEvent): Event | undefined => {
  if (row.raw === null) return undefined
  const stored = JSON.parse(Buffer.from(row.raw).toString('utf8')) as { action?: Json; model?: Model }
  if (stored.action === undefined || stored.model === undefined) return undefined
  const event = source.decodeStored(stored.action, stored.model, 'recovery').events.find(({ id }) => id === row.id)
  return event && { ...event, via: row.via, causedByUs: row.causedByUs }
}
