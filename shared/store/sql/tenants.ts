import type { Store, Tenant, Token } from '../../runtime/ports/index.ts'
import type { Db } from '../commit.ts'
import { table, wrote } from '../table.ts'

const tenants = table<Tenant>('tenants', { id: 'plain', name: 'plain', createdAt: 'plain', policy: 'json' })

export const tokens = table<Token>('tokens', {
  tenant: 'plain',
  id: 'plain',
  name: 'plain',
  hash: 'plain',
  last4: 'plain',
  scopes: 'json',
  steps: 'json',
  connections: 'json',
  toolSet: 'plain',
  person: 'plain',
  createdAt: 'plain',
  expiresAt: 'plain',
  revokedAt: 'plain',
  origin: 'plain',
})

export const tenantsIn = (db: Db): Store['tenants'] => ({
  add: async (tenant) => void (await db.write([tenants.insert(tenant)], { admits: true })),
  get: async (id) => (await db.read('select * from tenants where id = ?', [id])).map(tenants.fromRow)[0],
  list: async () => (await db.read('select * from tenants order by created_at, id', [])).map(tenants.fromRow),
  patch: async (id, changes) => {
    const { sql, params } = tenants.assign(changes)
    return wrote(await db.write([{ sql: `update tenants set ${sql} where id = ?`, params: [...params, id] }]))
  },
})

export const tokensIn = (db: Db): Store['tokens'] => ({
  add: async (token) => void (await db.write([tokens.insert(token)], { admits: true })),
  byHash: async (hash) =>
    (await db.read('select * from tokens /* every tenant: tokens.byHash */ where hash = ?', [hash])).map(
      tokens.fromRow,
    )[0],
  get: async (tenant, id) =>
    (await db.read('select * from tokens where tenant = ? and id = ?', [tenant, id])).map(tokens.fromRow)[0],
  list: async (tenant) =>
    (await db.read('select * from tokens where tenant = ? order by created_at desc, id desc', [tenant])).map(
      tokens.fromRow,
    ),
  revoke: async (tenant, id, at) => {
    const sql = 'update tokens set revoked_at = coalesce(revoked_at, ?) where tenant = ? and id = ?'
    return wrote(await db.write([{ sql, params: [at, tenant, id] }]))
  },
  patch: async (tenant, id, changes) => {
    const { sql, params } = tokens.assign(changes)
    return wrote(
      await db.write([
        { sql: `update tokens set ${sql} where tenant = ? and id = ?`, params: [...params, tenant, id] },
      ]),
    )
  },
})
