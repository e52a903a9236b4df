import type { App, Connection, Match, Store } from '../../runtime/ports/index.ts'
import type { Db } from '../commit.ts'
import { clearLookups } from './lookups.ts'
import { clearNames } from './names.ts'
import { insertNotices } from './notifications.ts'
import { alsoWhere, padded, table, wrote } from '../table.ts'

const apps = table<App>('apps', {
  tenant: 'plain',
  integration: 'plain',
  key: 'plain',
  clientId: 'plain',
  secrets: 'json',
  hints: 'json',
  createdAt: 'plain',
  updatedAt: 'plain',
})

const connections = table<Connection>('connections', {
  tenant: 'plain',
  id: 'plain',
  integration: 'plain',
  type: 'plain',
  name: 'plain',
  state: 'plain',
  stateReason: 'plain',
  stateAt: 'plain',
  accountId: 'plain',
  accountName: 'plain',
  secrets: 'json',
  hints: 'json',
  policy: 'json',
  externalId: 'plain',
  person: 'plain',
  labels: 'json',
  isDefault: 'bool',
  createdAt: 'plain',
  updatedAt: 'plain',
  lastUsedAt: 'plain',
  oauthVersion: 'plain',
  expiresAt: 'plain',
  profile: 'plain',
  ownIds: 'json',
  grantedScopes: 'json',
  defaultContainer: 'plain',
})

export const appsIn = (db: Db): Store['apps'] => ({
  put: async (app) => void (await db.write([apps.upsert(app, ['tenant', 'integration'])], { admits: true })),
  get: async (tenant, integration) =>
    (await db.read('select * from apps where tenant = ? and integration = ?', [tenant, integration])).map(
      apps.fromRow,
    )[0],
  all: async () =>
    (await db.read('select * from apps /* every tenant: apps.all */ order by tenant, integration', [])).map(
      apps.fromRow,
    ),
})

const accountsAtOnce = 256

export const connectionsIn = (db: Db): Store['connections'] => ({
  add: async (connection, notices) => {
    const statements = [connections.insert(connection), ...insertNotices(notices)]
    if (connection.isDefault) statements.push(unsetOtherDefaults(connection.tenant, connection.id))
    await db.write(statements, { admits: true })
  },
  get: async (tenant, id) =>
    (await db.read('select * from connections where tenant = ? and id = ?', [tenant, id])).map(connections.fromRow)[0],
  list: async (tenant, filter = {}) => {
    const also = alsoWhere({ integration: filter.integration, external_id: filter.externalId, person: filter.person })
    const sql = `select * from connections where tenant = ?${also.sql} order by created_at desc, id desc`
    const foundConnections = (await db.read(sql, [tenant, ...also.params])).map(connections.fromRow)
    const labels = Object.entries(filter.labels ?? {})
    return foundConnections.filter((connection) => labels.every(([name, value]) => connection.labels[name] === value))
  },
  usableBy: async (tenant, person) => {
    const sql = `select id from connections where tenant = ? and person is null
      union all select id from connections where tenant = ? and person = ?`
    return (await db.read(sql, [tenant, tenant, person])).map(({ id }) => String(id))
  },
  patch: async (tenant, id, changes, notices) => {
    const { sql, params } = connections.assign(changes)
    if (sql === '')
      return (await db.read('select id from connections where tenant = ? and id = ?', [tenant, id])).length > 0
    const statements = [
      { sql: `update connections set ${sql} where tenant = ? and id = ?`, params: [...params, tenant, id] },
    ]
    if (changes.isDefault) statements.push(unsetOtherDefaults(tenant, id))
    // These statements run before the change, since a second report of the same state is not news.
    const news = insertNotices(notices, {
      sql: 'exists (select 1 from connections c where c.tenant = ? and c.id = ? and c.state <> ?)',
      params: [tenant, id, changes.state ?? ''],
    })
    return wrote((await db.write([...news, ...statements])).slice(news.length))
  },
  remove: async (tenant, id) =>
    wrote(
      await db.write([
        { sql: 'delete from connections where tenant = ? and id = ?', params: [tenant, id] },
        clearMatches(tenant, id),
        ...clearLookups(tenant, id),
        clearNames(tenant, id),
      ]),
    ),
  ofAccounts: async (integration, accounts) => {
    const foundConnections: Connection[] = []
    for (let from = 0; from < accounts.length; from += accountsAtOnce) {
      const some = padded(accounts.slice(from, from + accountsAtOnce))
      const sql = `select * from connections /* every tenant: connections.ofAccounts */ where integration = ?
        and account_id in (${some.map(() => '?').join(', ')}) order by created_at, id`
      foundConnections.push(...(await db.read(sql, [integration, ...some])).map(connections.fromRow))
    }
    return foundConnections
  },
  all: async () =>
    (await db.read('select * from connections /* every tenant: connections.all */ order by created_at, id', [])).map(
      connections.fromRow,
    ),
})

const matches = table<Match>('matches', {
  tenant: 'plain',
  connection: 'plain',
  endpoint: 'plain',
  fingerprint: 'plain',
  at: 'plain',
})

const clearMatches = (tenant: string, connection: string) => ({
  sql: 'delete from matches where tenant = ? and connection = ?',
  params: [tenant, connection],
})

export const matchesIn = (db: Db): Store['matches'] => ({
  put: async ({ tenant, connection, endpoint, fingerprint, at }) => {
    const sql = `insert into matches (tenant, connection, endpoint, fingerprint, at)
      select tenant, id, ?, ?, ? from connections where tenant = ? and id = ?
      on conflict (tenant, connection, endpoint) do update set fingerprint = excluded.fingerprint, at = excluded.at`
    await db.write([{ sql, params: [endpoint, fingerprint, at, tenant, connection] }])
  },
  get: async (tenant, connection, endpoint) =>
    (
      await db.read('select * from matches where tenant = ? and connection = ? and endpoint = ?', [
        tenant,
        connection,
        endpoint,
      ])
    ).map(matches.fromRow)[0],
  clear: async (tenant, connection) => void (await db.write([clearMatches(tenant, connection)])),
})

/** Runs in the same commit as the new default, so that there are never two. */
const unsetOtherDefaults = (tenant: string, id: string) => ({
  sql: `update connections set is_default = 0 where tenant = ? and id <> ? and is_default = 1
    and (integration, coalesce(person, '')) = (select integration, coalesce(person, '') from connections where tenant = ? and id = ?)`,
  params: [tenant, id, tenant, id],
})
