import { fail } from '#kit'
import type { Connection, Match, Notice, Store, Tenant } from '../../runtime/ports/index.ts'
import type { Groups } from '../sql/groups.ts'

const insertInto = <T>(rows: Map<string, T>, id: string, row: T): void => {
  if (rows.has(id)) throw fail('conflict', 'A row with this id exists already.')
  rows.set(id, row)
}

type Aged = { createdAt: number; id: string }
const byAge = (a: Aged, b: Aged): number => a.createdAt - b.createdAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

export const tenantsInMemory = (): Store['tenants'] => {
  const rows = new Map<string, Tenant>()
  return {
    add: async (tenant) => insertInto(rows, tenant.id, tenant),
    get: async (id) => rows.get(id),
    list: async () => [...rows.values()].sort(byAge),
    patch: async (id, changes) => {
      const row = rows.get(id)
      if (row) rows.set(id, { ...row, ...changes })
      return row !== undefined
    },
  }
}

export const connectionsInMemory = (
  notify: (notices: Notice[]) => Promise<void>,
): Pick<Store, 'connections' | 'matches'> => {
  const matches = new Map<string, Match>()
  const matchKey = (tenant: string, connection: string, endpoint = '') =>
    JSON.stringify([tenant, connection]) + endpoint
  const clearMatches = (tenant: string, connection: string) => {
    for (const key of matches.keys()) if (key.startsWith(matchKey(tenant, connection))) matches.delete(key)
  }
  const byTenant = new Map<string, Map<string, Connection>>()
  const of = (tenant: string) => {
    const rows = byTenant.get(tenant) ?? new Map<string, Connection>()
    byTenant.set(tenant, rows)
    return rows
  }
  const unsetOtherDefaults = (chosen: Connection) => {
    if (!chosen.isDefault) return
    for (const other of of(chosen.tenant).values()) {
      const isAlike = other.integration === chosen.integration && (other.person ?? null) === (chosen.person ?? null)
      if (other.isDefault && other.id !== chosen.id && isAlike)
        of(other.tenant).set(other.id, { ...other, isDefault: false })
    }
  }
  // A reader gets the stored row itself and may change its state before `patch`, so the last stored state is kept
  // apart.
  const states = new Map<string, Connection['state']>()
  const stateKey = (tenant: string, id: string) => JSON.stringify([tenant, id])
  const connections: Store['connections'] = {
    add: async (connection, notices = []) => {
      insertInto(of(connection.tenant), connection.id, connection)
      unsetOtherDefaults(connection)
      states.set(stateKey(connection.tenant, connection.id), connection.state)
      if (notices.length > 0) await notify(notices)
    },
    get: async (tenant, id) => of(tenant).get(id),
    list: async (tenant, { integration, externalId, person, labels = {} } = {}) =>
      [...of(tenant).values()]
        .filter(
          (row) =>
            (integration === undefined || row.integration === integration) &&
            (externalId === undefined || row.externalId === externalId) &&
            (person === undefined || row.person === person),
        )
        .filter((row) => Object.entries(labels).every(([name, value]) => row.labels[name] === value))
        .sort((a, b) => byAge(b, a)),
    usableBy: async (tenant, person) =>
      [...of(tenant).values()].filter((row) => row.person == null || row.person === person).map(({ id }) => id),
    patch: async (tenant, id, changes, notices = []) => {
      const row = of(tenant).get(id)
      if (!row) return false
      const definedChanges = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
      const changed = { ...row, ...definedChanges }
      of(tenant).set(id, changed)
      unsetOtherDefaults(changed)
      const before = states.get(stateKey(tenant, id))
      states.set(stateKey(tenant, id), changed.state)
      if (notices.length > 0 && changed.state !== before) await notify(notices)
      return true
    },
    remove: async (tenant, id) => {
      clearMatches(tenant, id)
      states.delete(stateKey(tenant, id))
      return of(tenant).delete(id)
    },
    ofAccounts: async (integration, accounts) => {
      const wantedAccounts = new Set(accounts)
      const isOf = ({ integration: ownIntegration, accountId }: Connection) =>
        ownIntegration === integration && accountId !== null && wantedAccounts.has(accountId)
      return (await connections.all()).filter(isOf)
    },
    all: async () => [...byTenant.values()].flatMap((rows) => [...rows.values()]).sort(byAge),
  }
  return {
    connections,
    matches: {
      put: async (match) => {
        if (of(match.tenant).has(match.connection))
          matches.set(matchKey(match.tenant, match.connection, match.endpoint), match)
      },
      get: async (tenant, connection, endpoint) => matches.get(matchKey(tenant, connection, endpoint)),
      clear: async (tenant, connection) => clearMatches(tenant, connection),
    },
  }
}

/** Encrypted values: those of connections are in their rows in memory, all others in the database. */
export const sealedInMemory = (
  connections: Store['connections'],
  groups: Groups,
  isOpen: () => boolean,
): Store['sealed'] => ({
  all: async () => {
    const rows = (await connections.all()).filter(({ secrets }) => Object.keys(secrets).length > 0)
    const ofConnections = rows.map(({ tenant, id, secrets }) => ({
      kind: 'connection' as const,
      tenant,
      id,
      sealed: secrets,
    }))
    return isOpen() ? [...ofConnections, ...(await groups.sealed.all())] : ofConnections
  },
  paged: async (...query) => (isOpen() ? groups.sealed.paged(...query) : []),
  replace: async (row, by) => {
    if (row.kind !== 'connection') return groups.sealed.replace(row, by)
    const present = await connections.get(row.tenant, row.id)
    return (
      JSON.stringify(present?.secrets) === JSON.stringify(row.sealed) &&
      connections.patch(row.tenant, row.id, { secrets: by })
    )
  },
})
