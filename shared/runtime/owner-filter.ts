import type { Store, Subscription } from './ports/index.ts'

/** Filter by owner: connections or subscriptions with this external id or these labels. */
export type Owned = { externalId?: string; labels?: Record<string, string> }

const all = 200

/** Separates the owner part from the rest of a filter. Without an owner part, `isAsked` is false: all rows match. */
export const splitOwned = <F extends object>({ externalId, labels, ...otherFields }: F & Owned) => ({
  owned: { ...(externalId === undefined ? {} : { externalId }), ...(labels === undefined ? {} : { labels }) },
  isAsked: externalId !== undefined || labels !== undefined,
  rest: otherFields,
})

export const ownedConnections = async (
  store: Pick<Store, 'connections'>,
  tenant: string,
  owned: Owned,
): Promise<string[]> => (await store.connections.list(tenant, owned)).map(({ id }) => id)

/** Their ids, with the connections they use. */
export const subscriptionsOf = async (
  store: Pick<Store, 'subscriptions'>,
  tenant: string,
  owned: Owned & { person?: string },
): Promise<Pick<Subscription, 'id' | 'connection'>[]> => {
  const rows: Pick<Subscription, 'id' | 'connection'>[] = []
  let cursor: string | undefined
  do {
    const page = await store.subscriptions.list(
      tenant,
      { limit: all, ...(cursor === undefined ? {} : { cursor }) },
      owned,
    )
    rows.push(...page.items.map(({ id, connection }) => ({ id, connection })))
    cursor = page.next
  } while (cursor !== undefined)
  return rows
}

export const ownedSubscriptions = async (...filter: Parameters<typeof subscriptionsOf>): Promise<string[]> =>
  (await subscriptionsOf(...filter)).map(({ id }) => id)
