import { hash } from 'node:crypto'
import type { Start, StoredEvent } from '../runtime/ports/index.ts'

/**
 * The ids under which an event is traced, made from its key. The server that calls the agent finds them without asking
 * the one that took the delivery.
 */
export const idsOfEvent = ({ tenant, connection, id }: Pick<StoredEvent, 'tenant' | 'connection' | 'id'>) => {
  const digest = hash('sha256', JSON.stringify(['trace of an event', tenant, connection, id]))
  return { traceId: digest.slice(0, 32), spanId: digest.slice(32, 48) }
}

export const eventOf = ({ tenant, connection, event }: Start) => ({ tenant, connection, id: event })
