import { fail } from '#kit'
import type { App, Connection, Store, Tenant, Token } from '../../runtime/ports/index.ts'
import { fits, newestFirst, tenantRows } from './maps.ts'

export const insertInto = <T>(rows: Map<string, T>, id: string, row: T): void => {
  if (rows.has(id)) throw fail('conflict', 'A row with this id exists already.')
  rows.set(id, row)
}

const byAge = newestFirst((row: { createdAt: number; id: string }) => ({ at: row.createdAt, id: row.id }))

export const tenantsInMemory = (): Store['tenants'] => {
  const rows = new Map<string, Tenant>()
  return {
    add: async (tenant) => insertInto(rows, tenant.id, tenant),
    get: async (id) => rows.get(id),
    list: async () => [...rows.values()].sort(byAge).reverse(),
    patch: async (id, changes) => {
      const row = rows.get(id)
      if (row) rows.set(id, { ...row, ...changes })
      return row !== undefined
    },
  }
}

export const tokensInMemory = (): Store['tokens'] => {
  const rows = tenantRows<Token>()
  const byHash = new Map<string, { tenant: string; id: string }>()
  return {
    add: async (token) => {
      if (byHash.has(token.hash)) throw fail('conflict', 'A row with this id exists already.')
      insertInto(rows.of(token.tenant), token.id, token)
      byHash.set(token.hash, { tenant: token.tenant, id: token.id })
    },
    byHash: async (hash) => {
      const found = byHash.get(hash)
      return found && rows.of(found.tenant).get(found.id)
    },
    list: async (tenant) => [...rows.of(tenant).values()].sort(byAge),
    revoke: async (tenant, id, at) => {
      const token = rows.of(tenant).get(id)
      if (!token) return false
      rows.of(tenant).set(id, { ...token, revokedAt: token.revokedAt ?? at })
      return true
    },
    patch: async (tenant, id, changes) => {
      const token = rows.of(tenant).get(id)
      if (!token) return false
      rows.of(tenant).set(id, { ...token, ...changes })
      return true
    },
  }
}

export const appsInMemory = (): Store['apps'] => {
  const rows = tenantRows<App>()
  const key = (app: App) => `${app.tenant} ${app.integration}`
  return {
    put: async (app) => void rows.of(app.tenant).set(app.integration, app),
    get: async (tenant, integration) => rows.of(tenant).get(integration),
    all: async () => rows.every().sort((a, b) => (key(a) < key(b) ? -1 : 1)),
  }
}

export const connectionsInMemory = (): Store['connections'] => {
  const rows = tenantRows<Connection>()
  const keepOneDefault = (chosen: Connection) => {
    if (!chosen.isDefault) return
    for (const other of rows.of(chosen.tenant).values()) {
      if (other.isDefault && other.id !== chosen.id && other.integration === chosen.integration)
        rows.of(other.tenant).set(other.id, { ...other, isDefault: false })
    }
  }
  return {
    add: async (connection) => {
      insertInto(rows.of(connection.tenant), connection.id, connection)
      keepOneDefault(connection)
    },
    get: async (tenant, id) => rows.of(tenant).get(id),
    list: async (tenant, filter = {}) => {
      const labels = Object.entries(filter.labels ?? {})
      return [...rows.of(tenant).values()]
        .filter((row) => fits(row, { integration: filter.integration, externalId: filter.externalId }))
        .filter((row) => labels.every(([name, value]) => row.labels[name] === value))
        .sort(byAge)
    },
    patch: async (tenant, id, changes) => {
      const row = rows.of(tenant).get(id)
      if (!row) return false
      const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
      const changed = { ...row, ...given }
      rows.of(tenant).set(id, changed)
      keepOneDefault(changed)
      return true
    },
    remove: async (tenant, id) => rows.of(tenant).delete(id),
    all: async () => rows.every().sort(byAge).reverse(),
  }
}
