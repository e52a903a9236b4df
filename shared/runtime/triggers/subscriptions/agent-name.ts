import { isBoundToPerson } from '../../people/act-for.ts'
import type { Caller, Store, Subscription, SubscriptionFilter } from '../../ports/index.ts'

/** What tells agents apart: your own id, otherwise the address. Starts without an address go to the callback. */
export const agentName = ({ agent }: Pick<Subscription, 'agent'>): string => agent.id ?? agent.url ?? 'onStart'

/** `agent`: the name of an agent. */
export type SubscriptionsOf = { trigger?: string | undefined; agent?: string | undefined }

const sliceRows = 200

/** Live subscriptions, newest first, of the person whom the caller is bound to if there is one, in slices. */
export async function* subscriptionsOf(
  { subscriptions }: Pick<Store, 'subscriptions'>,
  caller: Caller,
  filter: SubscriptionFilter,
): AsyncGenerator<Subscription[]> {
  const own = isBoundToPerson(caller) ? { person: caller.person! } : {}
  let cursor: string | undefined
  do {
    const page = { limit: sliceRows, ...(cursor === undefined ? {} : { cursor }) }
    const { items, next } = await subscriptions.list(caller.tenant, page, { ...filter, ...own })
    yield items
    cursor = next
  } while (cursor !== undefined)
}

/** Ids of the subscriptions of a trigger or an agent; undefined when the filter names neither. */
export const subscriptionIds = async (
  store: Pick<Store, 'subscriptions'>,
  caller: Caller,
  { trigger, agent }: SubscriptionsOf,
): Promise<string[] | undefined> => {
  if (trigger === undefined && agent === undefined) return undefined
  const ids: string[] = []
  for await (const rows of subscriptionsOf(store, caller, trigger === undefined ? {} : { trigger }))
    for (const row of rows) if (agent === undefined || agentName(row) === agent) ids.push(row.id)
  return ids
}
