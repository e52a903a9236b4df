import type { RecentStart, Start, StartFilter, StartQueue, Store } from '../../runtime/ports/index.ts'
import { timeIn } from '../commit.ts'
import type { Db, Job, Statement } from '../commit.ts'
import { newest } from './newest.ts'
import { insertNotices } from './notifications.ts'
import { alsoIn, alsoWhere, joined, listed, readCursor, table, wrote } from '../table.ts'

const starts = table<Start>('starts', {
  tenant: 'plain',
  id: 'plain',
  subscription: 'plain',
  event: 'plain',
  integration: 'plain',
  trigger: 'plain',
  connection: 'plain',
  subject: 'plain',
  serial: 'bool',
  settleMs: 'plain',
  state: 'plain',
  attempts: 'plain',
  dueAt: 'plain',
  leaseEpoch: 'plain',
  eventAt: 'plain',
  via: 'plain',
  causedByUs: 'json',
  depth: 'plain',
  late: 'bool',
  test: 'bool',
  mergedInto: 'plain',
  replayOf: 'plain',
  data: 'json',
  summary: 'plain',
  answer: 'json',
  answers: 'json',
  createdAt: 'plain',
  endedAt: 'plain',
})

export const startColumns = [...starts.columns, 'archived']

const insertSql = `${starts.insertSql} on conflict (tenant, id) do nothing`

/** Wake-ups for when pending starts are due, if processes share the store. */
export const jobsOf = (starts: readonly Pick<Start, 'tenant' | 'state' | 'dueAt'>[]): Job[] =>
  starts.flatMap(({ tenant, state, dueAt }) =>
    state === 'pending' ? [{ kind: 'starts', key: tenant, at: dueAt }] : [],
  )
const jobAt = (tenant: string, at: number) => (): Job[] => jobsOf([{ tenant, state: 'pending', dueAt: at }])

/** `changes` of the first statement shows whether the start is new; a repeat changes nothing. */
export const insertStart = (start: Start): Statement[] => {
  const plain = { sql: insertSql, params: starts.params(start) }
  if (start.settleMs === null || start.subject === null || start.state !== 'pending') return [plain]
  return insertSettling(start, plain.params)
}

/** Selects the start whose quiet period is open for this subject. */
const openWindow = `select w.id from starts w where w.tenant = ? and w.subscription = ? and w.subject = ? and w.state = 'pending'
  and w.attempts = 0 and w.settle_ms is not null and w.due_at > ? order by w.due_at, w.id limit 1`

const settlingSql = (() => {
  const places = starts.columns.map((column) => {
    if (column === 'state') return `case when exists (${openWindow}) then 'merged' else ? end`
    if (column === 'merged_into') return `(${openWindow})`
    return column === 'ended_at' ? `case when exists (${openWindow}) then ? else null end` : '?'
  })
  return `insert into starts (${starts.columns.join(', ')}) values (${places.join(', ')}) on conflict (tenant, id) do nothing`
})()

const insertSettling = (start: Start, params: Statement['params']): Statement[] => {
  const window = [start.tenant, start.subscription, start.subject, start.createdAt]
  const settlingParams = starts.columns.flatMap((column, index) => {
    if (column === 'state') return [...window, params[index]!]
    if (column === 'merged_into') return window
    return column === 'ended_at' ? [...window, start.createdAt] : [params[index]!]
  })
  // Computed from the stored row, not from the arguments: a repeat of the same event must not extend the period again.
  const extend = `update starts set due_at = (select m.created_at + m.settle_ms from starts m where m.tenant = ? and m.id = ?)
    where tenant = ? and state = 'pending' and attempts = 0
    and id = (select m.merged_into from starts m where m.tenant = ? and m.id = ?)
    and due_at < (select m.created_at + m.settle_ms from starts m where m.tenant = ? and m.id = ?)`
  const { tenant, id } = start
  return [
    { sql: settlingSql, params: settlingParams },
    { sql: extend, params: [tenant, id, tenant, tenant, id, tenant, id] },
  ]
}

const open = `state in ('pending', 'leased')`
/**
 * Of one row, by its key. Compared with the bare column, PostgreSQL prefers the index of open starts, and reads all of
 * the tenant's.
 */
const isLeased = `coalesce(state, '') = 'leased'`

/** Ordered as the index is, and by nothing more: PostgreSQL would sort the whole backlog for each claim. */
const claimSql = (time: string, comment: string, key: string, which: string, end = ')') => `update starts${comment}
  set state = 'leased', due_at = ${time}, lease_epoch = lease_epoch + 1, attempts = attempts + 1
  where ${key} from starts s where s.${open} and s.due_at <= ${time}${which}
    and (s.serial = 0 or s.subject is null or not exists (
      select 1 from starts e where e.tenant = s.tenant and e.subscription = s.subscription and e.subject = s.subject and e.${open}
      and (e.event_at, e.event, e.id) < (s.event_at, s.event, s.id)))
    order by s.due_at limit ?${end} returning *`
const ofQueue = ' and s.tenant = ? and s.subscription = ?'
const claimsIn = ({ isShared }: Pick<Db, 'isShared'>, time: string) => ({
  any: claimSql(time, ' /* every tenant: starts.claim */', '(tenant, id) in (select s.tenant, s.id', ''),
  // As an array, so that PostgreSQL reads the queue once, and not for each start of the tenant.
  queue: isShared
    ? claimSql(time, '', 'tenant = ? and id = any (array(select s.id', ofQueue, '))')
    : claimSql(time, '', 'tenant = ? and id in (select s.id', ofQueue),
  /** A list, even of one row, costs SQLite five times as much as comparing with the row itself. */
  first: claimSql(time, '', 'tenant = ? and id = (select s.id', ofQueue),
})

const first = (column: string, where: string) =>
  `(select ${column} from starts where ${open} and ${where} order by ${column} limit 1)`
const tenantAfter = first('tenant', 'tenant > t')
/**
 * Skips from one tenant and subscription to the next in the index: the cost depends on their number, not on the number
 * of starts. A row without a subscription means that its tenant has no more.
 */
const queuesSql = `with recursive each_queue(t, s, n) as (
    select ?, ?, 0
    union all
    select case when s is null then ${tenantAfter} else t end,
      case when s is null then ${first('subscription', `tenant = ${tenantAfter}`)}
        else ${first('subscription', 'tenant = t and subscription > s')} end,
      n + 1
    from each_queue where t is not null and n < ?)
  select t as tenant, s as subscription, (
    select min(due_at) from starts /* every tenant: starts.queues */ where ${open} and tenant = t and subscription = s) as due_at
  from each_queue where n > 0 order by n`
/** The same on PostgreSQL, see `queues` in `postgres/schema.ts`. */
const sharedQueuesSql =
  'select tenant, subscription, due_at from open_queues(?, ?, ?) /* every tenant: starts.queues */'

const everything: Statement = { sql: '', params: [] }
/** Excludes notifications, which have no integration. */
const ofAgents: Statement = { sql: ` and integration <> ''`, params: [] }
const ofOwners = (owners: StartFilter['owners']): Statement => {
  if (!owners) return everything
  const either = [alsoIn('connection', owners.connections), alsoIn('subscription', owners.subscriptions)].map(
    ({ sql, params }) => ({
      sql: sql.replace(' and ', ''),
      params,
    }),
  )
  return { sql: ` and (${either.map(({ sql }) => sql).join(' or ')})`, params: either.flatMap(({ params }) => params) }
}

const leasesOf = (db: Db): Pick<Store['starts'], 'claim' | 'renew'> => {
  const time = timeIn(db)
  const claims = claimsIn(db, time.sql)
  const renewal = `update starts set due_at = ${time.sql} where tenant = ? and id = ? and lease_epoch = ? and ${isLeased}`
  return {
    claim: async (now, limit, leaseMs, queues) => {
      const [at, until] = [time.param(now, 0), time.param(now, leaseMs)]
      const claimOf = (queue: NonNullable<typeof queues>[number]) => {
        const most = Math.min(limit, queue.limit)
        const sql = most === 1 ? claims.first : claims.queue
        return { sql, params: [until, queue.tenant, at, queue.tenant, queue.subscription, most] }
      }
      const statements = queues ? queues.map(claimOf) : [{ sql: claims.any, params: [until, at, limit] }]
      if (statements.length === 0) return []
      const claimed: Start[] = []
      for (const { rows } of await db.write(statements)) for (const row of rows) claimed.push(starts.fromRow(row))
      return claimed.sort((a, b) => a.eventAt - b.eventAt || (a.id < b.id ? -1 : 1))
    },
    renew: async (tenant, id, epoch, now, leaseMs) =>
      wrote(await db.write([{ sql: renewal, params: [time.param(now, leaseMs), tenant, id, epoch] }])),
  }
}

const recentIn =
  (db: Db): Store['starts']['recent'] =>
  async (tenant, subscription, limit) => {
    const sql = `select id, state, test, answer, created_at from starts
      where tenant = ? and subscription = ? and archived = 0 order by created_at desc, id desc limit ?`
    return (await db.read(sql, [tenant, subscription, limit])).map((row) => ({
      id: String(row['id']),
      state: row['state'] as RecentStart['state'],
      test: row['test'] === 1,
      answer: row['answer'] === null ? null : (JSON.parse(String(row['answer'])) as RecentStart['answer']),
      createdAt: Number(row['created_at']),
    }))
  }

export const startsIn = (db: Db): Store['starts'] => ({
  ...leasesOf(db),
  get: async (tenant, id) =>
    (await db.read('select * from starts where tenant = ? and id = ?', [tenant, id])).map(starts.fromRow)[0],
  list: async (tenant, page, filter = {}) => {
    const after = readCursor(page.cursor)
    const { subscription, event, connection } = filter
    // Written into the statement, so that the partial index of dead letters can be used.
    const inState: Statement = {
      sql: filter.state ? ` and state = '${filter.state.replace(/[^a-z]/g, '')}'` : '',
      params: [],
    }
    const isIndexed = subscription === undefined && event === undefined && filter.state === 'dead'
    const rows = await newest(db, {
      table: 'starts',
      keys: ['created_at', 'id'],
      within: joined(
        { sql: 'tenant = ?', params: [tenant] },
        alsoWhere({ subscription, event }),
        isIndexed ? inState : everything,
      ),
      filter: joined(
        { sql: ' and archived = 0', params: [] },
        alsoWhere({ connection }),
        ofOwners(filter.owners),
        alsoIn('subscription', filter.subscriptions),
        subscription === undefined ? ofAgents : everything,
        isIndexed ? everything : inState,
      ),
      after: after && [after.at, after.id],
      rows: page.limit + 1,
    })
    return listed(rows.map(starts.fromRow), page, (row) => ({ at: row.createdAt, id: row.id }))
  },
  ofEvents: async (tenant, events, limit) => {
    if (events.length === 0) return []
    const of = alsoIn('event', events)
    const sql = `select id, event, connection, subscription, state from starts where tenant = ?${of.sql} and archived = 0 order by created_at, id limit ?`
    const rows = await db.read(sql, [tenant, ...of.params, limit])
    return rows.map((row) => row as Pick<Start, 'id' | 'event' | 'connection' | 'subscription' | 'state'>)
  },
  recent: recentIn(db),
  merged: async ({ tenant, subscription, id, createdAt }) => {
    const sql = `select event from starts where tenant = ? and subscription = ? and created_at >= ? and merged_into = ? order by created_at, id`
    return (await db.read(sql, [tenant, subscription, createdAt, id])).map((row) => String(row['event']))
  },
  queues: async (now, limit, after) => {
    const rows = await db.read(db.isShared ? sharedQueuesSql : queuesSql, [
      after?.tenant ?? '',
      after?.subscription ?? null,
      limit,
    ])
    const items: StartQueue[] = []
    for (const { tenant, subscription, due_at: dueAt } of rows) {
      if (dueAt === null || Number(dueAt) > now) continue
      items.push({ tenant: String(tenant), subscription: String(subscription), dueAt: Number(dueAt) })
    }
    const last = rows.at(-1)
    return {
      items,
      next: last?.['tenant']
        ? { tenant: String(last['tenant']), subscription: last['subscription'] as string | null }
        : undefined,
    }
  },
  end: async (tenant, id, epoch, { state, at, dueAt, attempts, answer, answers }, { notices, agent: failing } = {}) => {
    const sql = `update starts set state = ?, ended_at = ?, due_at = coalesce(?, due_at), attempts = coalesce(?, attempts), answer = coalesce(?, answer),
      answers = coalesce(?, answers)
      where tenant = ? and id = ? and lease_epoch = ? and ${isLeased}`
    const endedAt = state === 'pending' || state === 'paused' ? null : at
    const answerText = answer ? JSON.stringify(answer) : null
    const answersText = answers ? JSON.stringify(answers) : null
    const params = [state, endedAt, dueAt ?? null, attempts ?? null, answerText, answersText, tenant, id, epoch]
    const ended = {
      sql: 'exists (select 1 from starts e where e.tenant = ? and e.id = ? and e.lease_epoch = ? and e.state = ?)',
      params: [tenant, id, epoch, state],
    }
    const agent = failing && {
      sql: `update subscriptions set failing_since = ?, failing_reason = ? where tenant = ? and id = ? and ${ended.sql}`,
      params: [failing.failingSince, failing.failingReason, tenant, failing.subscription, ...ended.params],
    }
    return wrote(
      await db.write([{ sql, params }, ...(agent ? [agent] : []), ...insertNotices(notices, ended)], {
        jobs: () => jobsOf([{ tenant, state, dueAt: dueAt ?? at }]),
      }),
    )
  },
  replay: async (tenant, which, dueAt) => {
    const [where, params] =
      'id' in which
        ? ['id = ?', [which.id]]
        : ['subscription = ? and state = ? and ended_at >= ?', [which.subscription, which.state, which.since ?? 0]]
    const sql = `update starts set state = 'pending', attempts = 0, due_at = ?, ended_at = null, settle_ms = null
      where tenant = ? and ${where} and state in ('done', 'dead', 'missed', 'cancelled') and archived = 0`
    return (await db.write([{ sql, params: [dueAt, tenant, ...params] }], { jobs: jobAt(tenant, dueAt) }))[0]!.changes
  },
  pause: async (tenant, subscription) =>
    changeOpen(db, `state = 'paused'`, [], tenant, subscription, `state = 'pending'`),
  resume: async (tenant, subscription, dueAt) =>
    changeOpen(
      db,
      `state = 'pending', due_at = ?`,
      [dueAt],
      tenant,
      subscription,
      `state = 'paused'`,
      jobAt(tenant, dueAt),
    ),
  cancel: async (tenant, subscription, at) =>
    changeOpen(db, `state = 'cancelled', ended_at = ?`, [at], tenant, subscription, `state in ('pending', 'paused')`),
  nextDueAt: async () => {
    const [row] = await db.read(
      `select min(due_at) as due_at from starts /* every tenant: starts.nextDueAt */ where ${open}`,
      [],
    )
    return (row?.['due_at'] as number | null) ?? undefined
  },
})

const changeOpen = async (
  db: Db,
  set: string,
  params: number[],
  tenant: string,
  subscription: string,
  where: string,
  jobs?: () => Job[],
): Promise<number> => {
  const sql = `update starts set ${set} where tenant = ? and subscription = ? and ${where}`
  return (await db.write([{ sql, params: [...params, tenant, subscription] }], jobs && { jobs }))[0]!.changes
}

export const loadOf =
  (db: Db): Store['load'] =>
  async () => {
    const sql = `select /* every tenant: load */
    (select count(*) from starts where ${open}) as open_starts, (select min(due_at) from starts where ${open}) as oldest_start,
    (select count(*) from events where state = 'pending') as pending_events, (select min(due_at) from events where state = 'pending') as oldest_event,
    (select count(*) from starts where state = 'dead' and archived = 0 and integration <> '') as dead_starts,
    (select count(*) from unclaimed_events) as unclaimed_events`
    const [row] = await db.read(sql, [])
    return {
      openStarts: Number(row!['open_starts']),
      oldestStartDueAt: row!['oldest_start'] as number | null,
      pendingEvents: Number(row!['pending_events']),
      oldestEventDueAt: row!['oldest_event'] as number | null,
      deadStarts: Number(row!['dead_starts']),
      unclaimedEvents: Number(row!['unclaimed_events']),
    }
  }
