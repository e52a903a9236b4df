import { setImmediate as pause } from 'node:timers/promises'
import type { Retention, Store } from '../../runtime/ports/index.ts'
import type { Db } from '../commit.ts'
import type { StatementResult, Param } from '../sqlite.ts'
import { pruneAudit } from './audit.ts'
import type { AnchorTo } from './audit.ts'
import { eventColumns } from './intake.ts'
import { approvalKinds } from './prune-approvals.ts'
import { clientKinds } from './prune-clients.ts'
import { expiring } from './prune-kind.ts'
import { lookupKinds, nameKinds, rateKinds } from './prune-lookups.ts'
import { listKinds } from './prune-lists.ts'
import type { Emptied, Kind } from './prune-kind.ts'
import { startColumns } from './starts.ts'

/** Tenants with rows in a table. The query skips from one to the next in an index that starts with the tenant. */
const tenantsIn = async (db: Db, table: string): Promise<string[]> => {
  const sql = `with recursive found (tenant) as (
    select min(tenant) from ${table} /* every tenant: prune */ union all
    select (select min(tenant) from ${table} where tenant > found.tenant) from found where found.tenant is not null)
    select tenant from found where tenant is not null`
  return (await db.read(sql, [])).map((row) => String(row['tenant']))
}

/** Subscriptions past retention, and whether the connection has another subscription that is not. */
const expired = 'su.deleted_at < ?'
const hasOtherSubscriptions = `exists (select 1 from subscriptions o where o.tenant = su.tenant and o.connection = su.connection and (o.deleted_at is null or o.deleted_at >= ?))`

/** The trigger runtime itself removes these, every second, and counts them; pruning only removes what it left. */
const unclaimedGraceMs = 60_000

/** Rows that have their own expiry time. */
const endingKinds = (now: number): { [what: string]: Kind } => ({
  intents: expiring('intents', 'tenant, key', now),
  fileChunks: {
    act: 'delete from file_chunks /* every tenant: prune */',
    keys: 'tenant, file, number',
    find: `select ch.tenant, ch.file, ch.number from files fi /* every tenant: prune */
      join file_chunks ch on ch.tenant = fi.tenant and ch.file = fi.id where fi.expires_at <= ? limit ?`,
    params: [now],
  },
  // Only when its chunks are gone, because they are found by this row.
  files: {
    act: 'delete from files /* every tenant: prune */',
    keys: 'tenant, id',
    find: `select fi.tenant, fi.id from files fi /* every tenant: prune */ where fi.expires_at <= ?
      and not exists (select 1 from file_chunks ch where ch.tenant = fi.tenant and ch.file = fi.id) limit ?`,
    params: [now],
  },
  bulkJobChunks: {
    act: 'delete from bulk_job_chunks /* every tenant: prune */',
    keys: 'tenant, job, number',
    find: `select ch.tenant, ch.job, ch.number from bulk_jobs jo /* every tenant: prune */
      join bulk_job_chunks ch on ch.tenant = jo.tenant and ch.job = jo.id where jo.expires_at <= ? limit ?`,
    params: [now],
  },
  bulkJobs: {
    act: 'delete from bulk_jobs /* every tenant: prune */',
    keys: 'tenant, id',
    find: `select jo.tenant, jo.id from bulk_jobs jo /* every tenant: prune */ where jo.expires_at <= ?
      and not exists (select 1 from bulk_job_chunks ch where ch.tenant = jo.tenant and ch.job = jo.id) limit ?`,
    params: [now],
  },
  samples: expiring('samples', 'tenant, id', now),
  ...listKinds(now),
  ...lookupKinds(now),
  unclaimed: expiring('unclaimed_events', 'tenant, id', now - unclaimedGraceMs),
  authorizations: expiring('authorizations', 'id', now),
  signInCodes: expiring('sign_in_codes', 'hash', now),
  sessions: expiring('sessions', 'hash', now),
  ...clientKinds(now),
})

const kindsOf = ({ payloads, starts, deleted, gaps, now, contents = now }: Retention): { [what: string]: Kind } => ({
  payloads: {
    act: 'update events /* every tenant: prune */ set raw = null, summary = null',
    keys: 'tenant, connection, id',
    find: `select tenant, connection, id from events /* every tenant: prune */ where raw is not null and received_at < ? and state = 'matched'
      order by received_at limit ?`,
    params: [payloads],
    emptied: {
      table: 'events',
      columns: eventColumns,
      set: { raw: null, summary: null },
      still: `raw is not null and state = 'matched'`,
    },
  },
  undecodable: {
    act: 'delete from undecodable /* every tenant: prune */',
    keys: 'tenant, id',
    find: 'select tenant, id from undecodable /* every tenant: prune */ where received_at < ? limit ?',
    params: [payloads],
  },
  // Nothing refers to notifications once they have ended.
  notifications: {
    act: 'delete from starts /* every tenant: prune */',
    keys: 'tenant, id',
    find: `select tenant, id from starts /* every tenant: prune */ where archived = 0 and ended_at < ? and integration = '' order by ended_at limit ?`,
    params: [starts],
  },
  // Paused starts of agents that nobody has resumed.
  pausedStarts: {
    act: `update starts /* every tenant: prune */ set state = 'cancelled', ended_at = created_at`,
    keys: 'tenant, id',
    find: `select tenant, id from starts /* every tenant: prune */ where state = 'paused' and created_at < ? order by created_at limit ?`,
    params: [starts],
  },
  previousSecrets: {
    act: `update subscriptions /* every tenant: prune */ set secrets = json_remove(secrets, '$.previous'), previous_until = null`,
    keys: 'tenant, id',
    find: 'select tenant, id from subscriptions /* every tenant: prune */ where previous_until < ? limit ?',
    params: [now],
  },
  previousNotificationSecrets: {
    act: `update notification_targets /* every tenant: prune */ set secrets = json_remove(secrets, '$.previous'), previous_until = null`,
    keys: 'tenant',
    find: 'select tenant from notification_targets /* every tenant: prune */ where previous_until < ? limit ?',
    params: [now],
  },
  starts: {
    act: 'update starts /* every tenant: prune */ set data = null, summary = null, answer = null, answers = null, archived = 1',
    keys: 'tenant, id',
    find: 'select tenant, id from starts /* every tenant: prune */ where archived = 0 and ended_at < ? order by ended_at limit ?',
    params: [starts],
    emptied: {
      table: 'starts',
      columns: startColumns,
      set: { data: null, summary: null, answer: null, answers: null, archived: 1 },
      still: 'archived = 0 and ended_at is not null',
    },
  },
  startIds: {
    act: 'delete from starts /* every tenant: prune */',
    keys: 'tenant, id',
    find: `select st.tenant, st.id from subscriptions su /* every tenant: prune */ join starts st on st.tenant = su.tenant and st.subscription = su.id
      where ${expired} limit ?`,
    params: [deleted],
  },
  eventIds: {
    act: 'delete from events /* every tenant: prune */',
    keys: 'tenant, connection, id',
    find: `select e.tenant, e.connection, e.id from subscriptions su /* every tenant: prune */
      join events e on e.tenant = su.tenant and e.connection = su.connection where ${expired} and not ${hasOtherSubscriptions} limit ?`,
    params: [deleted, deleted],
  },
  timers: {
    act: 'delete from timers /* every tenant: prune */',
    keys: 'tenant, subscription, key',
    find: `select ti.tenant, ti.subscription, ti.key from subscriptions su /* every tenant: prune */
      join timers ti on ti.tenant = su.tenant and ti.subscription = su.id where ${expired} limit ?`,
    params: [deleted],
  },
  // Last, and only when nothing depends on it any more, because the rows above are found by it.
  subscriptions: {
    act: 'delete from subscriptions /* every tenant: prune */',
    keys: 'tenant, id',
    find: `select su.tenant, su.id from subscriptions su /* every tenant: prune */ where ${expired}
      and not exists (select 1 from starts st where st.tenant = su.tenant and st.subscription = su.id)
      and not exists (select 1 from timers ti where ti.tenant = su.tenant and ti.subscription = su.id)
      and (${hasOtherSubscriptions} or not exists (select 1 from events e where e.tenant = su.tenant and e.connection = su.connection)) limit ?`,
    params: [deleted, deleted],
  },
  hooks: {
    act: 'delete from hooks /* every tenant: prune */',
    keys: 'tenant, id',
    find: `select tenant, id from hooks /* every tenant: prune */ where state = 'deleted' and updated_at < ? limit ?`,
    params: [deleted],
  },
  gaps: {
    act: 'delete from gaps /* every tenant: prune */',
    keys: 'tenant, id',
    find: 'select tenant, id from gaps /* every tenant: prune */ where created_at < ? limit ?',
    params: [gaps],
  },
  runContents: expiring('run_contents', 'tenant, id', contents),
  ...endingKinds(now),
})

/**
 * Rows of a tenant older than `before`, found in an index of tenant and `column`. `also`: a further condition on each
 * row.
 */
type Aged = { table: string; keys: string; column: string; before: number | undefined; also?: string; params?: Param[] }

const dayMs = 86_400_000
const agedOf = ({ runs, ownWrites, ids, usage }: Retention): { [what: string]: Aged } => ({
  runs: {
    table: 'runs',
    keys: 'tenant, id',
    column: 'created_at',
    before: runs,
    also: ` and state not in ('planned', 'sending', 'running')`,
  },
  ownWrites: { table: 'own_writes', keys: 'tenant, connection, object, run_id', column: 'at', before: ownWrites },
  // The time of arrival alone does not suffice: an event with a later time of its own would start its agents again.
  oldEventIds: {
    table: 'events',
    keys: 'tenant, connection, id',
    column: 'received_at',
    before: ids,
    also: ` and state = 'matched' and raw is null and at < ?`,
    params: [ids ?? 0],
  },
  oldStartIds: {
    table: 'starts',
    keys: 'tenant, id',
    column: 'created_at',
    before: ids,
    also: ' and archived = 1 and event_at < ?',
    params: [ids ?? 0],
  },
  usage: {
    table: 'usage_totals',
    keys: 'tenant, day, integration, step, connection, shard',
    column: 'day',
    before: usage === undefined ? undefined : Math.floor(usage / dayMs),
  },
  usageOfPeople: {
    table: 'usage_totals_of_people',
    keys: 'tenant, day, person, integration, step, connection, shard',
    column: 'day',
    before: usage === undefined ? undefined : Math.floor(usage / dayMs),
  },
})

/**
 * How long a commit of deleted rows should take, and how many rows it has at first, and at least unless it takes ten
 * times as long. Alone, it blocks the event loop. In a shared database most of its time is waiting for others: fewer
 * rows would not make it shorter, and rows would come faster than they are removed. There it holds up the other commits
 * of its process, and through its lock those of its tenant, or of everybody.
 */
type Pace = { targetMs: number; least: number }
const alone: Pace = { targetMs: 5, least: 1 }
const ofTenant: Pace = { targetMs: 100, least: 500 }
const ofEverybody: Pace = { targetMs: 100, least: 100 }
const firstRows = 50
const maxRows = 2000
const readsAtOnce = 25

/**
 * Rows of the next commit, adjusted by the duration of the last one of its kind: a row may be a hundred bytes or a
 * megabyte.
 */
export const nextSize = (
  size: number,
  { changes, ms }: { changes: number; ms: number },
  { targetMs, least }: Pace = alone,
): number => {
  if (ms > targetMs) return Math.max(ms > 10 * targetMs ? 1 : least, Math.floor(size / 2))
  return changes >= size && ms < targetMs / 2 ? Math.min(maxRows, size * 2) : size
}

/**
 * In the embedded store, a row that becomes shorter leaves a hole that nothing else fills, so its page would never be
 * free. So the row is deleted and inserted anew, behind the newest ones.
 */
const replaceEmptied = async (
  db: Db,
  keys: string,
  find: string,
  params: Param[],
  { table, columns, set, still }: Emptied,
) => {
  const names = keys.split(', ')
  const startedAt = performance.now()
  const stay = columns.filter((name) => !(name in set))
  const rows = await db.read(
    `select ${stay.join(', ')} from ${table} /* every tenant: prune */ where (${keys}) in (${find})`,
    params,
  )
  const readMs = performance.now() - startedAt
  const remove = `delete from ${table} where ${names.map((name) => `${name} = ?`).join(' and ')} and ${still}`
  // A row that has changed meanwhile was not deleted, so the insert must not replace it.
  const add = `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')}) on conflict (${keys}) do nothing`
  const statements = rows.flatMap((row) => [
    { sql: remove, params: names.map((name) => row[name] as Param) },
    { sql: add, params: columns.map((name) => (name in set ? set[name] : row[name]) as Param) },
  ])
  if (statements.length === 0) return { changes: 0, ms: 0 }
  const done = await db.write(statements, { timed: true })
  return {
    changes: done.filter((_, index) => index % 2 === 0).reduce((sum, { changes }) => sum + changes, 0),
    ms: readMs + timed(done).ms,
  }
}

export const pruneIn = (db: Db, anchorTo?: AnchorTo): Store['prune'] => {
  const sizes = new Map<string, number>()

  return async (retention) => {
    const counts: Record<string, number> = {}
    let more = false
    /** Each slice is a commit of its own, so that deliveries are committed in between. */
    const slice = async (
      what: string,
      work: (rows: number) => Promise<{ changes: number; ms: number }>,
      pace = db.isShared ? ofEverybody : alone,
    ) => {
      const size = Math.min(retention.limit, sizes.get(what) ?? Math.max(firstRows, pace.least))
      const done = await work(size).catch((error: unknown) => {
        // Perhaps because it took too long, which as many rows would do again.
        sizes.set(what, Math.max(1, Math.floor(size / 2)))
        throw error
      })
      counts[what] = (counts[what] ?? 0) + done.changes
      sizes.set(what, nextSize(size, done, pace))
      if (done.changes >= size) more = true
    }
    const tenantPace = db.isShared ? ofTenant : alone
    let reads = 0
    /** A tenant with nothing to remove costs one read; a thousand of them in a row would block other work. */
    const pauseSometimes = async () => void ((reads += 1) % readsAtOnce === 0 && (await pause()))
    const write = async (sql: string, params: Param[]) => timed(await db.write([{ sql, params }], { timed: true }))

    for (const [what, { act, keys, find, params, emptied }] of Object.entries({
      ...kindsOf(retention),
      ...approvalKinds(retention),
      ...nameKinds(retention),
      ...rateKinds(retention),
    })) {
      // A read is cheap, a commit is not, so check first whether there is anything to do.
      if ((await db.read(find, [...params, 1])).length === 0) continue
      if (emptied && !db.isShared) {
        await slice(what, (rows) => replaceEmptied(db, keys, find, [...params, rows], emptied))
        continue
      }
      await slice(what, (rows) => write(`${act} where (${keys}) in (${find})`, [...params, rows]))
    }
    for (const [what, { table, keys, column, before, also = '', params = [] }] of Object.entries(agedOf(retention))) {
      if (before === undefined) continue
      for (const tenant of await tenantsIn(db, table)) {
        const find = `select ${keys} from ${table} where tenant = ? and ${column} < ?${also} order by ${column} limit ?`
        await pauseSometimes()
        if ((await db.read(find, [tenant, before, ...params, 1])).length === 0) continue
        const sql = `delete from ${table} where tenant = ? and (${keys}) in (${find})`
        await slice(what, (rows) => write(sql, [tenant, tenant, before, ...params, rows]), tenantPace)
      }
    }
    for (const tenant of await tenantsIn(db, 'audit')) {
      await pauseSometimes()
      const [oldest] = await db.read('select at from audit where tenant = ? order by seq limit 1', [tenant])
      if (!oldest || Number(oldest['at']) >= retention.audit) continue
      await slice(
        'audit',
        async (rows) => {
          let ms = 0
          const clocked: Db = {
            read: db.read,
            write: async (statements) => {
              const done = await db.write(statements, { timed: true })
              ms += timed(done).ms
              return done
            },
          }
          return { changes: await pruneAudit(clocked, tenant, retention.audit, rows, anchorTo), ms }
        },
        tenantPace,
      )
    }
    const of = (...what: string[]) => what.reduce((sum, name) => sum + (counts[name] ?? 0), 0)
    return {
      payloads: of('payloads', 'undecodable'),
      starts: of('starts'),
      subscriptions: of('subscriptions', 'hooks'),
      ids: of('startIds', 'eventIds', 'timers', 'oldStartIds', 'oldEventIds'),
      runs: of('runs'),
      approvals: of('approvalContents', 'approvals'),
      ownWrites: of('ownWrites'),
      audit: of('audit'),
      gaps: of('gaps'),
      intents: of('intents'),
      files: of('files', 'fileChunks'),
      samples: of('samples'),
      peopleLists: of('peopleLists', 'listRows'),
      runContents: of('runContents'),
      lookups: of('lookups'),
      bulkJobs: of('bulkJobs', 'bulkJobChunks'),
      authorizations: of('authorizations'),
      sessions: of('sessions', 'signInCodes', ...Object.keys(clientKinds(0))),
      usage: of('usage', 'usageOfPeople'),
      unclaimed: of('unclaimed'),
      names: of('names'),
      rates: of('rates'),
      more,
    }
  }
}

const timed = (done: StatementResult[]) => ({ changes: done[0]!.changes, ms: done[0]!.ms ?? 0 })
