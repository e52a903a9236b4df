import type {
  AccessToken,
  AuthorizationCode,
  Grant,
  GrantedToken,
  OAuthClient,
  Store,
} from '../../runtime/ports/index.ts'
import type { Db, Statement } from '../commit.ts'
import type { Row } from '../sqlite.ts'
import { listed, readCursor, table, wrote } from '../table.ts'
import type { Table } from '../table.ts'
import { tokens } from './tenants.ts'

const clients = table<OAuthClient>('oauth_clients', {
  id: 'plain',
  name: 'plain',
  redirectUris: 'json',
  secretHash: 'plain',
  createdAt: 'plain',
  expiresAt: 'plain',
})

const grants = table<Grant>('grants', {
  tenant: 'plain',
  id: 'plain',
  client: 'plain',
  clientName: 'plain',
  clientHost: 'plain',
  resource: 'plain',
  scopes: 'json',
  signedBy: 'plain',
  who: 'plain',
  family: 'plain',
  newest: 'plain',
  revision: 'plain',
  createdAt: 'plain',
  lastUsedAt: 'plain',
})

const codes = table<AuthorizationCode>('oauth_codes', {
  hash: 'plain',
  tenant: 'plain',
  grantId: 'plain',
  client: 'plain',
  redirectUri: 'plain',
  challenge: 'plain',
  expiresAt: 'plain',
})

const accessTokens = table<AccessToken>('access_tokens', {
  hash: 'plain',
  tenant: 'plain',
  grantId: 'plain',
  expiresAt: 'plain',
})

/** Inserts a row under a condition. */
const insertIf = <T>({ name, columns, params }: Table<T>, row: T, condition: Statement): Statement => ({
  sql: `insert into ${name} (${columns.join(', ')}) select ${columns.map(() => '?').join(', ')} where ${condition.sql}`,
  params: [...params(row), ...condition.params],
})

export const oauthClientsIn = (db: Db): Store['oauthClients'] => ({
  add: async (client, max) => {
    const sql = `delete from oauth_clients where (select count(*) from oauth_clients) >= ?
      and id in (select id from oauth_clients order by expires_at, id limit 1)`
    await db.write([{ sql, params: [max] }, clients.insert(client)], { admits: true })
  },
  get: async (id, now) =>
    (await db.read('select * from oauth_clients where id = ? and expires_at > ?', [id, now])).map(clients.fromRow)[0],
  extend: async (id, expiresAt) => {
    const sql = 'update oauth_clients set expires_at = ? where id = ? and expires_at < ?'
    await db.write([{ sql, params: [expiresAt, id, expiresAt] }])
  },
})

const tokenColumns = (name: string) => tokens.columns.map((column) => `${name}.${column} as ${name}_${column}`)
const readToken = (row: Row, name: string) =>
  tokens.fromRow(Object.fromEntries(tokens.columns.map((column) => [column, row[`${name}_${column}`]!])) as Row)
/** The columns of both tables, those of the token as `t_…`. */
const both = [...grants.columns.map((column) => `g.${column}`), ...tokenColumns('t')].join(', ')
const joined = 'grants g join tokens t on t.tenant = g.tenant and t.id = g.id'

const read = (row: Row): GrantedToken => ({ grant: grants.fromRow(row), token: readToken(row, 't') })

const always: Statement = { sql: '', params: [] }
/** Changes of one row; undefined where nothing changes. */
const change = (
  { name, assign }: { name: string; assign(changes: object): Statement },
  changes: object,
  tenant: string,
  id: string,
  also: Statement = always,
): Statement => {
  const { sql, params } = assign(changes)
  return {
    sql: `update ${name} set ${sql} where tenant = ? and id = ?${also.sql}`,
    params: [...params, tenant, id, ...also.params],
  }
}
const isOpen: Statement = { sql: ' and revoked_at is null', params: [] }
const andIf = (also: Statement, condition: Statement): Statement => ({
  sql: `${also.sql} and ${condition.sql}`,
  params: [...also.params, ...condition.params],
})

/** Grants of a signer whose codes nobody redeemed, and what hangs on them, beyond the newest `max`. */
const forgetUnredeemed = ({ tenant, signedBy }: Grant, max: number): Statement[] => {
  const unredeemed = `tenant = ? and signed_by ${signedBy === null ? 'is null' : '= ?'} and family is null`
  const own = [tenant, ...(signedBy === null ? [] : [signedBy])]
  const ids = `select id from grants where ${unredeemed} and id not in
    (select id from grants where ${unredeemed} order by created_at desc, id desc limit ?)`
  const limits = `select id from budgets where tenant = ? and scope = 'token' and subject in (${ids})`
  const params = [tenant, ...own, ...own, max]
  return [
    { sql: `delete from oauth_codes where tenant = ? and grant_id in (${ids})`, params },
    { sql: `delete from budget_periods where tenant = ? and budget in (${limits})`, params: [tenant, ...params] },
    { sql: `delete from budgets where tenant = ? and scope = 'token' and subject in (${ids})`, params },
    { sql: `delete from tokens where tenant = ? and id in (${ids})`, params },
    { sql: `delete from grants where tenant = ? and id in (${ids})`, params },
  ]
}

/** That a signer has fewer than `max` grants which have not ended. */
const hasFewer = ({ tenant, signedBy, createdAt }: Grant, max: number): Statement => ({
  sql: `(select count(*) from ${joined} where g.tenant = ? and g.signed_by ${signedBy === null ? 'is null' : '= ?'}
    and t.revoked_at is null and t.expires_at > ?) < ?`,
  params: [tenant, ...(signedBy === null ? [] : [signedBy]), createdAt, max],
})

export const grantsIn = (db: Db): Store['grants'] => {
  const find = async (sql: string, params: (string | number)[]) =>
    (await db.read(`select ${both} from ${joined} ${sql}`, params)).map(read)[0]
  return {
    add: async ({ grant, token }, code, max) => {
      const isAdded = {
        sql: 'exists (select 1 from tokens t where t.tenant = ? and t.id = ?)',
        params: [token.tenant, token.id],
      }
      const statements = [
        insertIf(tokens, token, hasFewer(grant, max.open)),
        insertIf(grants, grant, isAdded),
        insertIf(codes, code, isAdded),
        ...forgetUnredeemed(grant, max.unredeemed),
      ]
      return wrote(await db.write(statements, { admits: true }))
    },
    get: async (tenant, id) => find('where g.tenant = ? and g.id = ?', [tenant, id]),
    list: async (tenant, page, now, { person, own } = {}) => {
      const after = readCursor(page.cursor)
      const conditions: [sql: string, ...params: (string | number)[]][] = [
        ['g.tenant = ?', tenant],
        ['t.revoked_at is null and t.expires_at > ?', now],
      ]
      if (person !== undefined) conditions.push(['t.person = ?', person])
      if (own && own.person === undefined) conditions.push(['(g.id = ? or g.signed_by = ?)', own.token, own.token])
      if (own && own.person !== undefined)
        conditions.push(['(g.id = ? or g.signed_by = ? or t.person = ?)', own.token, own.token, own.person])
      if (after) conditions.push(['(g.created_at, g.id) < (?, ?)', after.at, after.id])
      const sql = `select ${both} from ${joined} where ${conditions.map(([condition]) => condition).join(' and ')}
        order by g.created_at desc, g.id desc limit ?`
      const rows = await db.read(sql, [...conditions.flatMap(([, ...params]) => params), page.limit + 1])
      return listed(rows.map(read), page, ({ grant: { createdAt, id } }) => ({ at: createdAt, id }))
    },
    narrow: async ({ tenant, id, revision }, token, grant) => {
      const isSame: Statement = {
        sql: 'exists (select 1 from grants g where g.tenant = ? and g.id = ? and g.revision = ?)',
        params: [tenant, id, revision],
      }
      const isOpenToken: Statement = {
        sql: 'exists (select 1 from tokens t where t.tenant = ? and t.id = ? and t.revoked_at is null)',
        params: [tenant, id],
      }
      const results = await db.write([
        ...(Object.keys(token).length > 0 ? [change(tokens, token, tenant, id, andIf(isOpen, isSame))] : []),
        // Last, because the other one depends on the revision.
        change(
          grants,
          { ...grant, revision: revision + 1 },
          tenant,
          id,
          andIf({ sql: ' and revision = ?', params: [revision] }, isOpenToken),
        ),
      ])
      return results.at(-1)!.changes > 0
    },
    code: async (hash, now) => {
      const sql = 'select * from oauth_codes /* every tenant: grants.code */ where hash = ? and expires_at > ?'
      const [row] = await db.read(sql, [hash, now])
      return row && { code: codes.fromRow(row), isUsed: row['used_at'] !== null }
    },
    begin: async ({ tenant, grantId: id, hash }, { family, newest, expiresAt }, access, now) => {
      const isUnused: Statement = {
        sql: 'exists (select 1 from oauth_codes c where c.tenant = ? and c.hash = ? and c.used_at is null)',
        params: [tenant, hash],
      }
      const [lasts] = await db.write(
        [
          change(tokens, { expiresAt }, tenant, id, andIf(isOpen, isUnused)),
          change(grants, { family, newest }, tenant, id, andIf(always, isUnused)),
          insertIf(accessTokens, access, isUnused),
          // Last, because the others depend on it.
          {
            sql: 'update oauth_codes set used_at = ?, expires_at = ? where tenant = ? and hash = ? and used_at is null',
            params: [now, access.expiresAt, tenant, hash],
          },
        ],
        { admits: true },
      )
      return lasts!.changes > 0
    },
    byFamily: async (family) => find('/* every tenant: grants.byFamily */ where g.family = ?', [family]),
    rotate: async (newest, next, access) => {
      const { tenant, grantId: id } = access
      const isNext: Statement = {
        sql: 'exists (select 1 from grants g where g.tenant = ? and g.id = ? and g.newest = ?)',
        params: [tenant, id, next.newest],
      }
      const [rotated] = await db.write(
        [
          change(grants, { newest: next.newest }, tenant, id, { sql: ' and newest = ?', params: [newest] }),
          change(tokens, { expiresAt: next.expiresAt }, tenant, id, andIf(isOpen, isNext)),
          insertIf(accessTokens, access, isNext),
        ],
        { admits: true },
      )
      return rotated!.changes > 0
    },
    byAccess: async (hash, now) => {
      const sql = `select ${both}, ${tokenColumns('s').join(', ')}
        from access_tokens a /* every tenant: grants.byAccess */ join grants g on g.tenant = a.tenant and g.id = a.grant_id
        join tokens t on t.tenant = g.tenant and t.id = g.id left join tokens s on s.tenant = g.tenant and s.id = g.signed_by
        where a.hash = ? and a.expires_at > ?`
      const [row] = await db.read(sql, [hash, now])
      return row && { ...read(row), signer: row['s_id'] === null ? undefined : readToken(row, 's') }
    },
    removeAccess: async (tenant, hash) =>
      void (await db.write([
        { sql: 'delete from access_tokens where tenant = ? and hash = ?', params: [tenant, hash] },
      ])),
    touch: async (tenant, id, at) => void (await db.write([change(grants, { lastUsedAt: at }, tenant, id)])),
  }
}

export const oauthByDefaultIn = (db: Db): Store['oauthByDefault'] => ({
  get: async () => (await db.read(`select value from meta where name = 'oauth'`, [])).length > 0,
  set: async () =>
    void (await db.write([
      { sql: `insert into meta (name, value) values ('oauth', 'on') on conflict (name) do nothing`, params: [] },
    ])),
})
