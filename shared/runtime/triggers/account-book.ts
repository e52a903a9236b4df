import type { Connection, Store } from '../ports.ts'

/** What the trigger runtime keeps in mind of an account: whose it is, and whether it can be used. */
export type AccountBook = {
  load(): Promise<Connection[]>
  /** Reads one anew after it was changed. */
  refresh(tenant: string, id: string): Promise<Connection | undefined>
  /** Member id at the provider, where it is known. */
  accountId(tenant: string, id: string): string | undefined
}

export const isUsable = ({ state }: Pick<Connection, 'state'>) => state === 'connected' || state === 'unverified'

export const createAccountBook = (store: Pick<Store, 'connections'>): AccountBook => {
  const ids = new Map<string, string>()
  const nameOf = (tenant: string, id: string) => `${tenant}\n${id}`
  const keep = (connection: Connection) => {
    if (connection.accountId === null) ids.delete(nameOf(connection.tenant, connection.id))
    else ids.set(nameOf(connection.tenant, connection.id), connection.accountId)
    return connection
  }
  return {
    async load() {
      const all = await store.connections.all()
      ids.clear()
      return all.map(keep)
    },
    async refresh(tenant, id) {
      const connection = await store.connections.get(tenant, id)
      if (connection) keep(connection)
      else ids.delete(nameOf(tenant, id))
      return connection
    },
    accountId: (tenant, id) => ids.get(nameOf(tenant, id)),
  }
}
