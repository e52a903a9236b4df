import { fail } from '#kit'
import type { Caller, Start, StoredEvent } from '../ports/index.ts'
import type { TriggerParts } from './parts.ts'
import { mayUseConnection } from '../bounds.ts'

type Store = TriggerParts['store']

const maxStarts = 200

export const findEvent = async (
  store: Store,
  caller: Caller,
  id: string,
  connection: string | undefined,
): Promise<StoredEvent> => {
  const rows = await store.events.byId(caller.tenant, id)
  const mine = rows.filter(
    (row) => (connection === undefined || row.connection === connection) && mayUseConnection(caller, row.connection),
  )
  // Each connection that received the event has a row of its own; without a connection named, the latest row is used.
  const row = mine.at(-1)
  if (!row) throw fail('not_found', `There is no event "${id}".`)
  return row
}

export const findStart = async (store: Store, caller: Caller, id: string): Promise<Start> => {
  const start = await store.starts.get(caller.tenant, id)
  if (!start || !mayUseConnection(caller, start.connection)) throw fail('not_found', `There is no start "${id}".`)
  return start
}

export const startsOf = async (store: Store, { tenant, id, connection }: StoredEvent) =>
  (await store.starts.list(tenant, { limit: maxStarts }, { event: id, connection })).items
