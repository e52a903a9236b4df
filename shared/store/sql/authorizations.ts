import type { Authorization, Store } from '../../runtime/ports/index.ts'
import type { Db } from '../commit.ts'
import { table, wrote } from '../table.ts'

const authorizations = table<Authorization>('authorizations', {
  id: 'plain',
  tenant: 'plain',
  integration: 'plain',
  type: 'plain',
  choices: 'json',
  connection: 'plain',
  name: 'plain',
  profile: 'plain',
  browser: 'plain',
  returnTo: 'plain',
  locale: 'plain',
  externalId: 'plain',
  person: 'plain',
  labels: 'json',
  secrets: 'json',
  token: 'plain',
  createdAt: 'plain',
  expiresAt: 'plain',
  usedAt: 'plain',
})

/**
 * Every query finds the row by the hash of `state`, the only thing a returning browser has; the row names the tenant.
 */
export const authorizationsIn = (db: Db): Store['authorizations'] => ({
  add: async (authorization) => void (await db.write([authorizations.insert(authorization)], { admits: true })),
  get: async (id, now) => {
    const sql =
      'select * from authorizations /* every tenant: authorizations.get */ where id = ? and used_at is null and expires_at > ?'
    return (await db.read(sql, [id, now])).map(authorizations.fromRow)[0]
  },
  bind: async (id, browser, now, ends) => {
    const sql = `update authorizations /* every tenant: authorizations.bind */ set browser = ?,
      expires_at = case when browser is null and expires_at > ? then ? else expires_at end
      where id = ? and used_at is null and expires_at > ? and (browser is null or browser = ?)`
    return wrote(await db.write([{ sql, params: [browser, ends, ends, id, now, browser] }]))
  },
  choose: async (id, browser, { integration, type }, now) => {
    const sql = `update authorizations /* every tenant: authorizations.choose */ set integration = ?, type = ?
      where id = ? and used_at is null and expires_at > ? and browser = ? and integration = ''`
    return wrote(await db.write([{ sql, params: [integration, type, id, now, browser] }]))
  },
  save: async (id, secrets) => {
    const sql =
      'update authorizations /* every tenant: authorizations.save */ set secrets = ? where id = ? and used_at is null'
    await db.write([{ sql, params: [JSON.stringify(secrets), id] }])
  },
  take: async (id, browser, now) => {
    const sql = `update authorizations /* every tenant: authorizations.take */ set used_at = ?
      where id = ? and used_at is null and expires_at > ? and browser = ? returning *`
    const [taken] = await db.write([{ sql, params: [now, id, now, browser] }])
    return taken!.rows.map(authorizations.fromRow)[0]
  },
})
