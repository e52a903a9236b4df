import type { Retention, Store } from '../../runtime/ports.ts'
import type { Db } from '../commit.ts'
import type { Param } from '../sqlite.ts'
import { pruneAudit } from './audit.ts'
import type { AnchorTo } from './audit.ts'

/** Tenants that have rows in a table, found by jumping from one to the next in an index that begins with the tenant. */
const tenantsIn = async (db: Db, table: string): Promise<string[]> => {
  const sql = `with recursive found (tenant) as (
    select min(tenant) from ${table} /* every tenant: prune */ union all
    select (select min(tenant) from ${table} where tenant > found.tenant) from found where found.tenant is not null)
    select tenant from found where tenant is not null`
  return (await db.read(sql, [])).map((row) => String(row['tenant']))
}

/** Subscriptions whose time is over, and whether another one on the same account is not. */
const over = 'su.deleted_at < ?'
const othersLeft = `exists (select 1 from subscriptions o where o.tenant = su.tenant and o.connection = su.connection and (o.deleted_at is null or o.deleted_at >= ?))`

const statementsFor = ({ payloads, starts, deleted, now, limit }: Retention): { [what: string]: [sql: string, ...params: Param[]] } => ({
  payloads: [
    `update events /* every tenant: prune */ set raw = null where (tenant, connection, id) in (
      select tenant, connection, id from events where raw is not null and received_at < ? and state = 'matched' order by received_at limit ?)`,
    payloads,
    limit,
  ],
  undecodable: [
    `delete from undecodable /* every tenant: prune */ where (tenant, id) in (select tenant, id from undecodable where received_at < ? limit ?)`,
    payloads,
    limit,
  ],
  starts: [
    `update starts /* every tenant: prune */ set data = null, answer = null, archived = 1 where (tenant, id) in (
      select tenant, id from starts where archived = 0 and ended_at < ? order by ended_at limit ?)`,
    starts,
    limit,
  ],
  startIds: [
    `delete from starts /* every tenant: prune */ where (tenant, id) in (
      select st.tenant, st.id from subscriptions su join starts st on st.tenant = su.tenant and st.subscription = su.id where ${over} limit ?)`,
    deleted,
    limit,
  ],
  eventIds: [
    `delete from events /* every tenant: prune */ where (tenant, connection, id) in (
      select e.tenant, e.connection, e.id from subscriptions su join events e on e.tenant = su.tenant and e.connection = su.connection
      where ${over} and not ${othersLeft} limit ?)`,
    deleted,
    deleted,
    limit,
  ],
  timers: [
    `delete from timers /* every tenant: prune */ where (tenant, subscription) in (select su.tenant, su.id from subscriptions su where ${over})`,
    deleted,
  ],
  // Last, and only when nothing hangs on it any more: the row is what the ones above are found by.
  subscriptions: [
    `delete from subscriptions /* every tenant: prune */ where (tenant, id) in (
      select su.tenant, su.id from subscriptions su where ${over}
      and not exists (select 1 from starts st where st.tenant = su.tenant and st.subscription = su.id)
      and (${othersLeft} or not exists (select 1 from events e where e.tenant = su.tenant and e.connection = su.connection)) limit ?)`,
    deleted,
    deleted,
    limit,
  ],
  intents: ['delete from intents /* every tenant: prune */ where (tenant, key) in (select tenant, key from intents where expires_at <= ? limit ?)', now, limit],
  authorizations: [
    'delete from authorizations /* every tenant: prune */ where id in (select id from authorizations where expires_at <= ? limit ?)',
    now,
    limit,
  ],
})

export const pruneIn =
  (db: Db, anchorTo?: AnchorTo): Store['prune'] =>
  async (retention) => {
    const { limit } = retention
    const counts: Record<string, number> = {}
    // One commit each, so that arrivals get their turn in between.
    for (const [what, [sql, ...params]] of Object.entries(statementsFor(retention))) {
      counts[what] = (await db.write([{ sql, params }]))[0]!.changes
    }
    counts['runs'] = await pruneByAge(db, 'runs', 'created_at', retention.runs, limit)
    counts['ownWrites'] = await pruneByAge(db, 'own_writes', 'at', retention.ownWrites, limit)
    counts['audit'] = 0
    for (const tenant of await tenantsIn(db, 'audit')) counts['audit'] += await pruneAudit(db, tenant, retention.audit, limit, anchorTo)
    const {
      payloads = 0,
      undecodable = 0,
      starts = 0,
      startIds = 0,
      eventIds = 0,
      subscriptions = 0,
      intents = 0,
      authorizations = 0,
      runs = 0,
      ownWrites = 0,
      audit = 0,
    } = counts
    return {
      payloads: payloads + undecodable,
      starts,
      subscriptions,
      ids: startIds + eventIds,
      runs,
      ownWrites,
      audit,
      intents,
      authorizations,
      more: Object.values(counts).some((count) => count >= limit),
    }
  }

const keyOf = { runs: 'tenant, id', own_writes: 'tenant, connection, object, run_id' }

const pruneByAge = async (db: Db, table: keyof typeof keyOf, column: string, before: number, limit: number): Promise<number> => {
  let gone = 0
  for (const tenant of await tenantsIn(db, table)) {
    const key = keyOf[table]
    const sql = `delete from ${table} where tenant = ? and (${key}) in (select ${key} from ${table} where tenant = ? and ${column} < ? order by ${column} limit ?)`
    gone += (await db.write([{ sql, params: [tenant, tenant, before, limit] }]))[0]!.changes
  }
  return gone
}
