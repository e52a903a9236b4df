import { fail } from '#kit'
import type { Caller, Start, StoredEvent } from '../ports/index.ts'
import type { TriggerParts } from './parts.ts'
import { isBoundToPerson, mayUseConnection } from '../people/act-for.ts'

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

/** Whether the subscription of a start is, or was, that of the person whom the caller is bound to. */
const isOfOwn = async (store: Store, caller: Caller, { tenant, subscription }: Start): Promise<boolean> =>
  !isBoundToPerson(caller) || (await store.subscriptions.attachedFor(tenant, caller.person!, subscription)).length > 0

export const findStart = async (store: Store, caller: Caller, id: string): Promise<Start> => {
  const start = await store.starts.get(caller.tenant, id)
  if (!start || !mayUseConnection(caller, start.connection) || !(await isOfOwn(store, caller, start)))
    throw fail('not_found', `There is no start "${id}".`)
  return start
}

/** Of the starts of an event, those that the caller may see. */
export const startsOf = async (store: Store, caller: Caller, { tenant, id, connection }: StoredEvent) => {
  const { items } = await store.starts.list(tenant, { limit: maxStarts }, { event: id, connection })
  if (!isBoundToPerson(caller)) return items
  const own = new Set((await store.subscriptions.attachedFor(tenant, caller.person!)).map((row) => row.id))
  return items.filter(({ subscription }) => own.has(subscription))
}
