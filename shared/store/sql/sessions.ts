import type { Session, SignInCode, Store } from '../../runtime/ports/index.ts'
import type { Db, Statement } from '../commit.ts'
import { table, wrote } from '../table.ts'
import type { Table } from '../table.ts'

type Row = SignInCode & Session
const kinds = { hash: 'plain', tenant: 'plain', token: 'plain', createdAt: 'plain', expiresAt: 'plain' } as const

const signInCodes = table<SignInCode>('sign_in_codes', kinds)
const sessions = table<Session>('sessions', kinds)

const addTo =
  ({ name, insert }: Table<Row>, db: Db) =>
  async (row: Row, max: number): Promise<void> => {
    const pruneStatement: Statement = {
      sql: `delete from ${name} where tenant = ? and token = ? and hash not in
        (select hash from ${name} where tenant = ? and token = ? order by created_at desc, hash desc limit ?)`,
      params: [row.tenant, row.token, row.tenant, row.token, max],
    }
    await db.write([insert(row), pruneStatement], { admits: true })
  }

/** Rows are found by the hash of a secret that only the browser has; the row names the tenant. */
export const signInCodesIn = (db: Db): Store['signInCodes'] => ({
  add: addTo(signInCodes, db),
  take: async (hash, now) => {
    const sql =
      'delete from sign_in_codes /* every tenant: signInCodes.take */ where hash = ? and expires_at > ? returning *'
    const [taken] = await db.write([{ sql, params: [hash, now] }])
    return taken!.rows.map(signInCodes.fromRow)[0]
  },
})

export const sessionsIn = (db: Db): Store['sessions'] => ({
  add: addTo(sessions, db),
  get: async (hash, now) => {
    const sql = 'select * from sessions /* every tenant: sessions.get */ where hash = ? and expires_at > ?'
    return (await db.read(sql, [hash, now])).map(sessions.fromRow)[0]
  },
  remove: async (tenant, hash) =>
    wrote(await db.write([{ sql: 'delete from sessions where tenant = ? and hash = ?', params: [tenant, hash] }])),
})
