import { authKeyOf } from '../catalogue/scheme.ts'
import type { Connection, Store } from '../ports/index.ts'

/** What the trigger runtime caches of a connection. */
type CachedConnection = {
  /** Id of the connection's account at the provider; undefined when it is not known. */
  accountId: string | undefined
  /** Ids that we act under beside the account. */
  ownIds: readonly string[]
  /** Key under which the wire profile holds the connection's authentication, see `authKeyOf`. */
  type: string
  /** Name of the wire profile that it chose; null: the operator's. */
  profile: string | null
}

export type ConnectionCache = {
  load(): Promise<Connection[]>
  /** Reads a connection again after it was changed. */
  refresh(tenant: string, id: string): Promise<Connection | undefined>
  get(tenant: string, id: string): CachedConnection | undefined
  /** Connections of these accounts, across all tenants, as the store has them now. */
  ofAccounts(integration: string, accounts: string[]): Promise<Connection[]>
  /** How many connections a tenant has. */
  count(tenant: string): number
}

const nobody: readonly string[] = []

export const isUsable = ({ state }: Pick<Connection, 'state'>) => state === 'connected' || state === 'unverified'

export const createConnectionCache = (store: Pick<Store, 'connections'>): ConnectionCache => {
  const cachedConnections = new Map<string, CachedConnection>()
  const nameOf = (tenant: string, id: string) => `${tenant}\n${id}`
  const counts = new Map<string, number>()
  const drop = (tenant: string, id: string) => {
    if (!cachedConnections.delete(nameOf(tenant, id))) return
    const left = counts.get(tenant)! - 1
    if (left > 0) counts.set(tenant, left)
    else counts.delete(tenant)
  }
  const keep = (connection: Connection) => {
    if (!cachedConnections.has(nameOf(connection.tenant, connection.id)))
      counts.set(connection.tenant, (counts.get(connection.tenant) ?? 0) + 1)
    cachedConnections.set(nameOf(connection.tenant, connection.id), {
      // Otherwise an event without an account would match a connection whose account id the provider left empty.
      accountId: connection.accountId === '' ? undefined : (connection.accountId ?? undefined),
      ownIds: connection.ownIds ?? nobody,
      type: authKeyOf(connection),
      profile: connection.profile ?? null,
    })
    return connection
  }
  return {
    async load() {
      const all = await store.connections.all()
      cachedConnections.clear()
      counts.clear()
      return all.map(keep)
    },
    async refresh(tenant, id) {
      const connection = await store.connections.get(tenant, id)
      if (connection) keep(connection)
      else drop(tenant, id)
      return connection
    },
    get: (tenant, id) => cachedConnections.get(nameOf(tenant, id)),
    // Read from the store, since a connection may have been created a moment ago, here or by another process.
    ofAccounts: async (integration, accounts) =>
      accounts.length === 0 ? [] : (await store.connections.ofAccounts(integration, accounts)).map(keep),
    count: (tenant) => counts.get(tenant) ?? 0,
  }
}
