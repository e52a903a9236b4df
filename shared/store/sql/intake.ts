import type {
  Arrival,
  ArrivalResult,
  Cursor,
  Gap,
  PollState,
  Store,
  StoredEvent,
  Timer,
  Undecodable,
} from '../../runtime/ports/index.ts'
import { timeIn } from '../commit.ts'
import type { Db, Job, Statement } from '../commit.ts'
import { alsoIn, alsoWhere, joined, listed, readCursor, table, wrote } from '../table.ts'
import { newest } from './newest.ts'
import { insertNotices } from './notifications.ts'
import { insertStart, jobsOf } from './starts.ts'

const events = table<StoredEvent>('events', {
  tenant: 'plain',
  connection: 'plain',
  id: 'plain',
  integration: 'plain',
  hook: 'plain',
  type: 'plain',
  at: 'plain',
  receivedAt: 'plain',
  via: 'plain',
  causedByUs: 'json',
  runId: 'plain',
  depth: 'plain',
  subject: 'plain',
  container: 'plain',
  state: 'plain',
  attempts: 'plain',
  dueAt: 'plain',
  raw: 'plain',
  summary: 'plain',
})
export const eventColumns = events.columns
const undecodable = table<Undecodable>('undecodable', {
  tenant: 'plain',
  id: 'plain',
  integration: 'plain',
  connection: 'plain',
  hook: 'plain',
  receivedAt: 'plain',
  reason: 'plain',
  raw: 'plain',
})
const cursors = table<Cursor>('cursors', {
  tenant: 'plain',
  connection: 'plain',
  model: 'plain',
  position: 'plain',
  historyPosition: 'plain',
  at: 'plain',
  listedAt: 'plain',
})
const gaps = table<Gap>('gaps', {
  tenant: 'plain',
  id: 'plain',
  connection: 'plain',
  model: 'plain',
  fromAt: 'plain',
  toAt: 'plain',
  kind: 'plain',
  reason: 'plain',
  createdAt: 'plain',
})
const polls = table<PollState>('polls', {
  tenant: 'plain',
  connection: 'plain',
  integration: 'plain',
  resource: 'plain',
  cursor: 'plain',
  scannedAt: 'plain',
  dueAt: 'plain',
  failures: 'plain',
  reason: 'plain',
})
const timers = table<Timer>('timers', {
  tenant: 'plain',
  subscription: 'plain',
  key: 'plain',
  connection: 'plain',
  resource: 'plain',
  dueAt: 'plain',
  data: 'json',
})

const insertEventSql = `${events.insertSql} on conflict (tenant, connection, id) do nothing`
const insertUndecodableSql = `${undecodable.insertSql} on conflict (tenant, id) do nothing`
/** A gap that is found again may have grown. */
const putGapSql = `${gaps.insertSql} on conflict (tenant, id) do update set to_at = excluded.to_at where excluded.to_at > gaps.to_at`
const putCursor = (cursor: Cursor) => cursors.upsert(cursor, ['tenant', 'connection', 'model'])
const jobsOfPoll = ({ tenant, connection, dueAt }: PollState): Job[] => [
  { kind: 'polls', key: JSON.stringify([tenant, connection]), at: dueAt },
]
const putPoll = (poll: PollState) => polls.upsert(poll, ['tenant', 'connection', 'resource'])

/**
 * Returns a statement that refuses the unit it is part of, so that no event is matched against outdated subscriptions.
 */
export type MatchGuard = (tenant: string, connection: string) => Statement

const guardsFor = (events: StoredEvent[], guard: MatchGuard): Statement[] => {
  const connections = new Map(events.map((event) => [`${event.tenant}\n${event.connection}`, event]))
  return [...connections.values()].map(({ tenant, connection }) => guard(tenant, connection))
}

export const ingestInto =
  (db: Db, guard?: MatchGuard): Store['ingest'] =>
  async ({
    events: arrived = [],
    starts = [],
    cursor,
    poll,
    gaps: newGaps = [],
    fired = [],
    notices = [],
    fence,
  }: Arrival) => {
    const statements: Statement[] = []
    for (const event of arrived) statements.push({ sql: insertEventSql, params: events.params(event) })
    const startAt: number[] = []
    for (const start of starts) {
      startAt.push(statements.length)
      statements.push(...insertStart(start))
    }
    for (const gap of newGaps) statements.push({ sql: putGapSql, params: gaps.params(gap) })
    for (const { gap, ...notice } of notices) {
      // A gap that is reported again keeps the time of the first report, so it causes no second notice.
      const isNew = {
        sql: 'exists (select 1 from gaps g where g.tenant = ? and g.id = ? and g.created_at = ?)',
        params: [notice.tenant, gap, notice.at],
      }
      statements.push(...insertNotices([notice], isNew))
    }
    if (cursor) statements.push(putCursor(cursor))
    if (poll) statements.push(putPoll(poll))
    for (const { tenant, subscription, key } of fired) {
      statements.push({
        sql: 'delete from timers where tenant = ? and subscription = ? and key = ?',
        params: [tenant, subscription, key],
      })
    }
    if (statements.length === 0) return { events: [], starts: [] }
    if (guard) statements.push(...guardsFor(arrived, guard))
    const done = await db.write(statements, {
      admits: true,
      fence,
      jobs: () => [...jobsOf(starts), ...(poll ? jobsOfPoll(poll) : [])],
    })
    const added: ArrivalResult = { events: [], starts: [] }
    for (const [n, { id }] of arrived.entries()) if (done[n]!.changes > 0) added.events.push(id)
    for (const [n, { id }] of starts.entries()) if (done[startAt[n]!]!.changes > 0) added.starts.push(id)
    return added
  }

const isAbout = (id: string | undefined): Statement =>
  id === undefined ? { sql: '', params: [] } : { sql: ' and (subject = ? or container = ?)', params: [id, id] }

const startedBy = (subscriptions: string[] | undefined): Statement => {
  if (subscriptions === undefined) return { sql: '', params: [] }
  const { sql, params } = alsoIn('s.subscription', subscriptions)
  const ofEvent = 's.tenant = events.tenant and s.event = events.id and s.connection = events.connection'
  return { sql: ` and exists (select 1 from starts s where ${ofEvent} and s.archived = 0${sql})`, params }
}

export const eventsIn = (db: Db, guard?: MatchGuard): Store['events'] => ({
  get: async (tenant, connection, id) =>
    (
      await db.read('select * from events where tenant = ? and connection = ? and id = ?', [tenant, connection, id])
    ).map(events.fromRow)[0],
  byId: async (tenant, id) => {
    // Joined by connection, because the primary key of an event starts with it.
    const sql = `select e.* from (select distinct connection from subscriptions where tenant = ?) s
      join events e on e.tenant = ? and e.connection = s.connection and e.id = ? order by e.received_at`
    return (await db.read(sql, [tenant, tenant, id])).map(events.fromRow)
  },
  list: async (tenant, page, filter = {}) => {
    const after = readCursor(page.cursor)
    const { connection: connectionId, hook, type, subject, container, state } = filter
    const also = joined(
      alsoWhere({ connection: connectionId, hook, type, subject, container, state }),
      alsoIn('connection', filter.connections),
      isAbout(filter.about),
      startedBy(filter.startedBy),
    )
    const [id = '', connection = ''] = after?.id.split(' ') ?? []
    const rows = await newest(db, {
      table: 'events',
      keys: ['received_at', 'id', 'connection'],
      within: { sql: 'tenant = ?', params: [tenant] },
      filter: also,
      after: after && [after.at, id, connection],
      rows: page.limit + 1,
    })
    // Two connections can receive the same provider event in the same millisecond.
    return listed(rows.map(events.fromRow), page, (row) => ({ at: row.receivedAt, id: `${row.id} ${row.connection}` }))
  },
  claimPending: async (now, limit, claimMs, { exceptTenants = [] } = {}) => {
    const time = timeIn(db)
    const but = exceptTenants.length === 0 ? '' : `and tenant not in (${exceptTenants.map(() => '?').join(', ')})`
    const due = `where state = 'pending' and due_at <= ${time.sql} ${but} order by due_at limit ?`
    const params = [time.param(now, 0), ...exceptTenants, limit]
    const isAny = async () =>
      (await db.read(`select 1 from events /* every tenant: events.claimPending */ ${due}`, params)).length > 0
    // Where several processes share the store, the write would hold up those of every tenant, usually for nothing.
    if (db.isShared && !(await isAny())) return []
    const sql = `update events /* every tenant: events.claimPending */ set due_at = ${time.sql}, attempts = attempts + 1
      where (tenant, connection, id) in (select tenant, connection, id from events ${due}) returning *`
    const [claimed] = await db.write([{ sql, params: [time.param(now, claimMs), ...params] }])
    return claimed!.rows.map(events.fromRow).sort((a, b) => a.at - b.at)
  },
  matched: async ({ tenant, connection, id }, starts) => {
    const sql = `update events set state = 'matched' where tenant = ? and connection = ? and id = ? and state = 'pending'`
    return wrote(
      await db.write(
        [
          { sql, params: [tenant, connection, id] },
          ...starts.flatMap(insertStart),
          ...(guard ? [guard(tenant, connection)] : []),
        ],
        { jobs: () => jobsOf(starts) },
      ),
    )
  },
  postpone: async ({ tenant, connection, id }, dueAt) => {
    const sql = `update events set due_at = ? where tenant = ? and connection = ? and id = ? and state = 'pending'`
    await db.write([{ sql, params: [dueAt, tenant, connection, id] }])
  },
})

export const undecodableIn = (db: Db): Store['undecodable'] => ({
  add: async (delivery) =>
    void (await db.write([{ sql: insertUndecodableSql, params: undecodable.params(delivery) }], { admits: true })),
  list: async (tenant, page) => {
    const after = readCursor(page.cursor)
    const from = after ? ' and (received_at, id) < (?, ?)' : ''
    const sql = `select * from undecodable where tenant = ?${from} order by received_at desc, id desc limit ?`
    const rows = await db.read(sql, [tenant, ...(after ? [after.at, after.id] : []), page.limit + 1])
    return listed(rows.map(undecodable.fromRow), page, (row) => ({ at: row.receivedAt, id: row.id }))
  },
})

export const cursorsIn = (db: Db): Store['cursors'] => ({
  get: async (tenant, connection, model) =>
    (
      await db.read('select * from cursors where tenant = ? and connection = ? and model = ?', [
        tenant,
        connection,
        model,
      ])
    ).map(cursors.fromRow)[0],
  put: async (cursor, fence) => void (await db.write([putCursor(cursor)], { fence })),
  list: async (tenant, connection) =>
    (
      await db.read('select * from cursors where tenant = ? and connection = ? order by model', [tenant, connection])
    ).map(cursors.fromRow),
})

export const gapsIn = (db: Db): Store['gaps'] => ({
  list: async (tenant, page, filter = {}) => {
    const after = readCursor(page.cursor)
    const also = joined(
      alsoWhere({ connection: filter.connection, model: filter.model }),
      alsoIn('connection', filter.connections),
    )
    const from = after ? ' and (created_at, id) < (?, ?)' : ''
    const sql = `select * from gaps where tenant = ?${also.sql}${from} order by created_at desc, id desc limit ?`
    const rows = await db.read(sql, [tenant, ...also.params, ...(after ? [after.at, after.id] : []), page.limit + 1])
    return listed(rows.map(gaps.fromRow), page, (row) => ({ at: row.createdAt, id: row.id }))
  },
})

export const pollsIn = (db: Db): Store['polls'] => ({
  get: async (tenant, connection, resource) =>
    (
      await db.read('select * from polls where tenant = ? and connection = ? and resource = ?', [
        tenant,
        connection,
        resource,
      ])
    ).map(polls.fromRow)[0],
  put: async (poll, fence) => void (await db.write([putPoll(poll)], { fence, jobs: () => jobsOfPoll(poll) })),
  remove: async (tenant, connection, resource) =>
    void (await db.write([
      {
        sql: 'delete from polls where tenant = ? and connection = ? and resource = ?',
        params: [tenant, connection, resource],
      },
    ])),
  all: async () =>
    (await db.read('select * from polls /* every tenant: polls.all */ order by due_at', [])).map(polls.fromRow),
})

export const timersIn = (db: Db): Store['timers'] => ({
  put: async (newTimers, fence) => {
    if (newTimers.length > 0)
      await db.write(
        newTimers.map((timer) => timers.upsert(timer, ['tenant', 'subscription', 'key'])),
        { admits: true, fence },
      )
  },
  drop: async (tenant, subscription, keys, fence) => {
    const deleteSql = 'delete from timers where tenant = ? and subscription = ? and key = ?'
    const every = { sql: 'delete from timers where tenant = ? and subscription = ?', params: [tenant, subscription] }
    const statements = keys ? keys.map((key) => ({ sql: deleteSql, params: [tenant, subscription, key] })) : [every]
    if (statements.length > 0) await db.write(statements, { fence })
  },
  of: async (tenant, subscription) =>
    (
      await db.read('select * from timers where tenant = ? and subscription = ? order by due_at, key', [
        tenant,
        subscription,
      ])
    ).map(timers.fromRow),
  due: async (now, limit) =>
    (
      await db.read('select * from timers /* every tenant: timers.due */ where due_at <= ? order by due_at limit ?', [
        now,
        limit,
      ])
    ).map(timers.fromRow),
  nextDueAt: async () => {
    const [row] = await db.read('select min(due_at) as due_at from timers /* every tenant: timers.nextDueAt */', [])
    return (row?.['due_at'] as number | null) ?? undefined
  },
})

export const timestampsIn = (db: Db): Store['timestamps'] => ({
  get: async (name) => {
    const [row] = await db.read('select value from meta where name = ?', [`mark ${name}`])
    return row === undefined ? undefined : Number(row['value'])
  },
  put: async (name, at) => {
    const sql = 'insert into meta (name, value) values (?, ?) on conflict (name) do update set value = excluded.value'
    await db.write([{ sql, params: [`mark ${name}`, String(at)] }])
  },
})
