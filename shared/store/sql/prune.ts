import type { Retention, Store } from '../../runtime/ports/index.ts'
import type { Db } from '../commit.ts'
import type { Done, Param } from '../sqlite.ts'
import { pruneAudit } from './audit.ts'
import type { AnchorTo } from './audit.ts'

/** Tenants with rows in a table, by skipping from one to the next in an index that starts with the tenant. */
const tenantsIn = async (db: Db, table: string): Promise<string[]> => {
  const sql = `with recursive found (tenant) as (
    select min(tenant) from ${table} /* every tenant: prune */ union all
    select (select min(tenant) from ${table} where tenant > found.tenant) from found where found.tenant is not null)
    select tenant from found where tenant is not null`
  return (await db.read(sql, [])).map((row) => String(row['tenant']))
}

/** Subscriptions past retention, and whether another subscription of the same connection is not. */
const expired = 'su.deleted_at < ?'
const othersLeft = `exists (select 1 from subscriptions o where o.tenant = su.tenant and o.connection = su.connection and (o.deleted_at is null or o.deleted_at >= ?))`

/** Rows past retention: `find` selects the keys of the next ones, limited by its last parameter; `act` is run on those keys. */
type Kind = { act: string; keys: string; find: string; params: Param[] }

const expiring = (table: string, keys: string, now: number): Kind => ({
  act: `delete from ${table} /* every tenant: prune */`,
  keys,
  find: `select ${keys} from ${table} /* every tenant: prune */ where expires_at <= ? limit ?`,
  params: [now],
})

const kindsOf = ({ payloads, starts, deleted, gaps, now }: Retention): { [what: string]: Kind } => ({
  payloads: {
    act: 'update events /* every tenant: prune */ set raw = null',
    keys: 'tenant, connection, id',
    find: `select tenant, connection, id from events /* every tenant: prune */ where raw is not null and received_at < ? and state = 'matched'
      order by received_at limit ?`,
    params: [payloads],
  },
  undecodable: {
    act: 'delete from undecodable /* every tenant: prune */',
    keys: 'tenant, id',
    find: 'select tenant, id from undecodable /* every tenant: prune */ where received_at < ? limit ?',
    params: [payloads],
  },
  // Nothing looks for them once they are over.
  notifications: {
    act: 'delete from starts /* every tenant: prune */',
    keys: 'tenant, id',
    find: `select tenant, id from starts /* every tenant: prune */ where archived = 0 and ended_at < ? and integration = '' order by ended_at limit ?`,
    params: [starts],
  },
  // Of agents that nobody has switched on again.
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
    act: 'update starts /* every tenant: prune */ set data = null, answer = null, answers = null, archived = 1',
    keys: 'tenant, id',
    find: 'select tenant, id from starts /* every tenant: prune */ where archived = 0 and ended_at < ? order by ended_at limit ?',
    params: [starts],
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
      join events e on e.tenant = su.tenant and e.connection = su.connection where ${expired} and not ${othersLeft} limit ?`,
    params: [deleted, deleted],
  },
  timers: {
    act: 'delete from timers /* every tenant: prune */',
    keys: 'tenant, subscription, key',
    find: `select ti.tenant, ti.subscription, ti.key from subscriptions su /* every tenant: prune */
      join timers ti on ti.tenant = su.tenant and ti.subscription = su.id where ${expired} limit ?`,
    params: [deleted],
  },
  // Last of them, and only when nothing hangs on it any more: the row is what the ones above are found by.
  subscriptions: {
    act: 'delete from subscriptions /* every tenant: prune */',
    keys: 'tenant, id',
    find: `select su.tenant, su.id from subscriptions su /* every tenant: prune */ where ${expired}
      and not exists (select 1 from starts st where st.tenant = su.tenant and st.subscription = su.id)
      and not exists (select 1 from timers ti where ti.tenant = su.tenant and ti.subscription = su.id)
      and (${othersLeft} or not exists (select 1 from events e where e.tenant = su.tenant and e.connection = su.connection)) limit ?`,
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
  intents: expiring('intents', 'tenant, key', now),
  fileChunks: {
    act: 'delete from file_chunks /* every tenant: prune */',
    keys: 'tenant, file, number',
    find: `select ch.tenant, ch.file, ch.number from files fi /* every tenant: prune */
      join file_chunks ch on ch.tenant = fi.tenant and ch.file = fi.id where fi.expires_at <= ? limit ?`,
    params: [now],
  },
  // Only when nothing of its content is left: the row is what the chunks are found by.
  files: {
    act: 'delete from files /* every tenant: prune */',
    keys: 'tenant, id',
    find: `select fi.tenant, fi.id from files fi /* every tenant: prune */ where fi.expires_at <= ?
      and not exists (select 1 from file_chunks ch where ch.tenant = fi.tenant and ch.file = fi.id) limit ?`,
    params: [now],
  },
  samples: expiring('samples', 'tenant, id', now),
  authorizations: expiring('authorizations', 'id', now),
  signInCodes: expiring('sign_in_codes', 'hash', now),
  sessions: expiring('sessions', 'hash', now),
})

const byAge: { [what: string]: { table: string; keys: string; column: string } } = {
  runs: { table: 'runs', keys: 'tenant, id', column: 'created_at' },
  ownWrites: { table: 'own_writes', keys: 'tenant, connection, object, run_id', column: 'at' },
}

/** About how long a commit of deleted rows may block the event loop; rows of the first commit, and at most. */
const targetMs = 5
const firstRows = 50
const maxRows = 2000

/** Rows of the next commit, from how long the last one of its kind took: a row may be a hundred bytes or a megabyte. */
export const nextSize = (size: number, { changes, ms }: { changes: number; ms: number }): number => {
  if (ms > targetMs) return Math.max(1, Math.floor(size / 2))
  return changes >= size && ms < targetMs / 2 ? Math.min(maxRows, size * 2) : size
}

export const pruneIn = (db: Db, anchorTo?: AnchorTo): Store['prune'] => {
  const sizes = new Map<string, number>()

  return async (retention) => {
    const counts: Record<string, number> = {}
    let more = false
    /** A separate commit each time, so that deliveries are committed in between. */
    const slice = async (what: string, work: (rows: number) => Promise<{ changes: number; ms: number }>) => {
      const size = Math.min(retention.limit, sizes.get(what) ?? firstRows)
      const done = await work(size)
      counts[what] = (counts[what] ?? 0) + done.changes
      sizes.set(what, nextSize(size, done))
      if (done.changes >= size) more = true
    }
    const write = async (sql: string, params: Param[]) => timed(await db.write([{ sql, params }], { timed: true }))

    for (const [what, { act, keys, find, params }] of Object.entries(kindsOf(retention))) {
      // A read is cheap, a commit is not.
      if ((await db.read(find, [...params, 1])).length === 0) continue
      await slice(what, (rows) => write(`${act} where (${keys}) in (${find})`, [...params, rows]))
    }
    for (const [what, { table, keys, column }] of Object.entries(byAge)) {
      const before = what === 'runs' ? retention.runs : retention.ownWrites
      for (const tenant of await tenantsIn(db, table)) {
        const find = `select ${keys} from ${table} where tenant = ? and ${column} < ? order by ${column} limit ?`
        if ((await db.read(find, [tenant, before, 1])).length === 0) continue
        await slice(what, (rows) => write(`delete from ${table} where tenant = ? and (${keys}) in (${find})`, [tenant, tenant, before, rows]))
      }
    }
    for (const tenant of await tenantsIn(db, 'audit')) {
      const [oldest] = await db.read('select at from audit where tenant = ? order by seq limit 1', [tenant])
      if (!oldest || Number(oldest['at']) >= retention.audit) continue
      await slice('audit', async (rows) => {
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
      })
    }
    const of = (...what: string[]) => what.reduce((sum, name) => sum + (counts[name] ?? 0), 0)
    return {
      payloads: of('payloads', 'undecodable'),
      starts: of('starts'),
      subscriptions: of('subscriptions', 'hooks'),
      ids: of('startIds', 'eventIds', 'timers'),
      runs: of('runs'),
      ownWrites: of('ownWrites'),
      audit: of('audit'),
      gaps: of('gaps'),
      intents: of('intents'),
      files: of('files', 'fileChunks'),
      samples: of('samples'),
      authorizations: of('authorizations'),
      sessions: of('sessions', 'signInCodes'),
      more,
    }
  }
}

const timed = (done: Done[]) => ({ changes: done[0]!.changes, ms: done[0]!.ms ?? 0 })
