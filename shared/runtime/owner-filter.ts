import type { Store } from './ports/index.ts'

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

export const ownedSubscriptions = async (
  store: Pick<Store, 'subscriptions'>,
  tenant: string,
  owned: Owned,
): Promise<string[]> => {
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const page = await store.subscriptions.list(
      tenant,
      { limit: all, ...(cursor === undefined ? {} : { cursor }) },
      owned,
    )
    ids.push(...page.items.map(({ id }) => id))
    cursor = page.next
  } while (cursor !== undefined)
  return ids
}
