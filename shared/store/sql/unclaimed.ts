import type { Store, UnclaimedEvent, UnclaimedGroup, UnclaimedName } from '../../runtime/ports/index.ts'
import { timeIn } from '../commit.ts'
import type { Db, Statement } from '../commit.ts'
import type { Row } from '../sqlite.ts'
import { table, wrote } from '../table.ts'

const unclaimed = table<UnclaimedEvent>('unclaimed_events', {
  tenant: 'plain',
  id: 'plain',
  integration: 'plain',
  account: 'plain',
  event: 'plain',
  hook: 'plain',
  secrets: 'json',
  content: 'plain',
  receivedAt: 'plain',
  expiresAt: 'plain',
})

const nameOf = ({ tenant, integration, account, event }: Row): UnclaimedName => ({
  tenant: String(tenant),
  integration: String(integration),
  account: String(account),
  event: String(event),
})
const returned = 'returning tenant, integration, account, event'

const insertSql = `${unclaimed.insertSql} on conflict (tenant, id) do nothing`
const insert = (row: UnclaimedEvent): Statement => ({ sql: insertSql, params: unclaimed.params(row) })

/**
 * The newest event of each account takes precedence over the second newest of any: accounts with the most events lose
 * theirs first.
 */
const trim = (tenant: string, integration: string, most: number): Statement => ({
  sql: `delete from unclaimed_events where tenant = ? and id in (select id from
    (select id, row_number() over (order by place, received_at desc, id) as overall from
      (select id, received_at, row_number() over (partition by account order by received_at desc, id) as place
        from unclaimed_events where tenant = ? and integration = ?) placed) ranked where overall > ?) ${returned}`,
  params: [tenant, tenant, integration, most],
})

export const unclaimedIn = (db: Db): Store['unclaimed'] => ({
  add: async (rows, most) => {
    const apps = new Map(rows.map((row) => [`${row.tenant}\n${row.integration}`, row]))
    const trims = [...apps.values()].map(({ tenant, integration }) => trim(tenant, integration, most))
    const done = await db.write([...rows.map(insert), ...trims], { admits: true })
    return {
      added: done.slice(0, rows.length).reduce((sum, { changes }) => sum + changes, 0),
      displaced: done.slice(rows.length).flatMap((trimmed) => trimmed.rows.map(nameOf)),
    }
  },
  groups: async () => {
    const sql = `select distinct tenant, integration, account, hook
      from unclaimed_events /* every tenant: unclaimed.groups */ order by tenant, integration, account, hook`
    return (await db.read(sql, [])).map((row) => row as UnclaimedGroup)
  },
  of: async ({ tenant, integration, account, hook }, limit) => {
    const sql = `select * from unclaimed_events where tenant = ? and integration = ? and account = ? and hook = ?
      order by received_at, id limit ?`
    return (await db.read(sql, [tenant, integration, account, hook, limit])).map(unclaimed.fromRow)
  },
  remove: async ({ tenant, id }) =>
    wrote(await db.write([{ sql: 'delete from unclaimed_events where tenant = ? and id = ?', params: [tenant, id] }])),
  expire: async (now, limit) => {
    const time = timeIn(db)
    const due = `select tenant, id from unclaimed_events /* every tenant: unclaimed.expire */
      where expires_at <= ${time.sql} limit ?`
    const rows = await db.read(due, [time.param(now, 0), limit])
    if (rows.length === 0) return []
    // Deleted one by one by key: another process may remove the same rows, and each must be counted once.
    const sql = `delete from unclaimed_events where tenant = ? and id = ? ${returned}`
    const done = await db.write(rows.map(({ tenant, id }) => ({ sql, params: [String(tenant), String(id)] })))
    return done.flatMap((removed) => removed.rows.map(nameOf))
  },
})
