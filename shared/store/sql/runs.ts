import type { Intent, Run, Settlement, Store } from '../../runtime/ports/index.ts'
import { fail, isUnavailable } from '#kit'
import type { Db, Statement } from '../commit.ts'
import type { Sqlite } from '../sqlite.ts'
import { settleStatements } from './credits.ts'
import { newest } from './newest.ts'
import { insertNotices } from './notifications.ts'
import { outcomeKey } from './sealed.ts'
import { createSending, removal, restoreSending } from './sending.ts'
import { countRuns, isEnded, usageByPerson, usageOf, usageOfPeople } from './usage.ts'
import { alsoIn, alsoWhere, joined, listed, readCursor, table, wrote } from '../table.ts'

const runs = table<Run>('runs', {
  tenant: 'plain',
  id: 'plain',
  integration: 'plain',
  step: 'plain',
  connection: 'plain',
  token: 'plain',
  person: 'plain',
  startId: 'plain',
  parentId: 'plain',
  jobId: 'plain',
  effect: 'plain',
  state: 'plain',
  code: 'plain',
  failure: 'json',
  attempts: 'plain',
  calls: 'plain',
  credits: 'plain',
  creditsEstimated: 'bool',
  waitedMs: 'plain',
  refused: 'plain',
  exchanges: 'json',
  summary: 'plain',
  createdAt: 'plain',
  durationMs: 'plain',
})

const intents = table<Intent>('intents', {
  tenant: 'plain',
  key: 'plain',
  requestHash: 'plain',
  runId: 'plain',
  state: 'plain',
  outcome: 'json',
  createdAt: 'plain',
  expiresAt: 'plain',
})

const nothing: Statement = { sql: '', params: [] }
/**
 * Limits a query to the rows of `nodes` and to imported rows, which have no node. Only a shared store has the column.
 */
const leftBy = (nodes: string[] | undefined): Statement =>
  nodes === undefined
    ? nothing
    : { sql: ` and (node is null or node in (${nodes.map(() => '?').join(', ') || 'null'}))`, params: nodes }
/**
 * Matches the condition of the index of runs that are not done. Written into the statement, so that the index can be
 * used.
 */
const notDone: Statement = { sql: ` and state <> 'done'`, params: [] }

/** Maximum number of rows written as one unit. */
const maxJoined = 64

/** Runs that end in the same turn are written and counted together, which costs a fraction of writing each alone. */
type Ended = { run: Run; settles?: Settlement | undefined }
const joinRuns = (write: (ended: Ended[]) => Promise<void>) => {
  let open: Map<string, Ended> | undefined
  let written = Promise.resolve()

  const writeJoined = async (rows: Map<string, Ended>) => {
    await Promise.resolve()
    if (open === rows) open = undefined
    const all = [...rows.values()]
    try {
      await write(all)
    } catch (error) {
      if (all.length === 1 || isUnavailable(error)) throw error
      // One row that cannot be stored must not prevent the others.
      await Promise.all(all.map((ended) => write([ended])))
    }
  }

  return {
    add(run: Run, settles?: Settlement): Promise<void> {
      if (!open || open.size >= maxJoined) written = writeJoined((open = new Map()))
      open.set(`${run.tenant}\n${run.id}`, { run, settles })
      return written
    },
    settled: (): Promise<void> => written.catch(() => {}),
  }
}

const insertSql = `${runs.insertSql} on conflict (tenant, id) do nothing`
const insertNew = (run: Run): Statement => ({ sql: insertSql, params: runs.params(run) })

export const runsIn = (
  db: Db,
  shard = 0,
): { runs: Store['runs']; settled(): Promise<void>; settleSending(): Promise<void> } => {
  const write = async (
    rows: Run[],
    { notices, settles: _, ...options }: Parameters<Store['runs']['record']>[1] = {},
    also: Statement[] = [],
  ) => {
    const upserts = rows.map((run) => runs.upsert(run, ['tenant', 'id']))
    await db.write([...countRuns(rows.filter(isEnded), shard), ...upserts, ...insertNotices(notices), ...also], options)
  }
  const sending = db.writeLate && createSending(db.writeLate)
  const writeEnded = async (ended: Ended[], options?: Parameters<Store['runs']['record']>[1]) => {
    const rows = ended.map(({ run }) => run)
    const settling = ended.flatMap(({ settles }) => (settles ? settleStatements(settles) : []))
    if (!sending) return write(rows, options, settling)
    const over = sending.takeOver()
    try {
      await write(rows, options, [...settling, ...over.map(removal)])
    } catch (error) {
      sending.giveBack(over)
      throw error
    }
    sending.ended(rows)
  }
  /** Turns runs that are still sending into rows of `runs`. */
  const settleSending = async () => {
    const { runs: rows, taken } = sending?.takeAll() ?? { runs: [], taken: [] }
    // A row that already exists is the row of the run's end, which may have been submitted a moment ago.
    if (taken.length > 0) await db.write([...rows.map(insertNew), ...taken.map(removal)])
  }
  const { add, settled } = joinRuns(writeEnded)
  const record: Store['runs']['record'] = (run, options) => {
    if (run.state === 'sending' && options?.admits && sending) return sending.begin(run)
    if (!isEnded(run)) return write([run], options)
    return options?.admits === undefined && (options?.notices ?? []).length === 0
      ? add(run, options?.settles)
      : writeEnded([{ run, settles: options?.settles }], options)
  }
  const { list, get, ...reads } = runReads(db)
  return {
    runs: {
      ...reads,
      get: async (tenant, id) => (await get(tenant, id)) ?? sending?.find(tenant, id),
      list: async (...parameters) => {
        await settleSending()
        return list(...parameters)
      },
      record,
    },
    settled,
    settleSending,
  }
}

/** Call this when a database that one process owns is opened. */
export const restoreRuns = (db: Sqlite): void => restoreSending(db, insertNew)

const runReads = (db: Db): Omit<Store['runs'], 'record'> => ({
  cutOff: async (of) => {
    const left = leftBy(of)
    return (
      await db.read(
        `select * from runs /* every tenant: runs.cutOff */ where state = 'sending'${notDone.sql}${left.sql}`,
        left.params,
      )
    ).map(runs.fromRow)
  },
  get: async (tenant, id) =>
    (await db.read('select * from runs where tenant = ? and id = ?', [tenant, id])).map(runs.fromRow)[0],
  list: async (tenant, page, filter = {}) => {
    const after = readCursor(page.cursor)
    const { integration, step, connection, connections, person, state, startId, parentId, since, until } = filter
    const isRare = state !== undefined && state !== 'done'
    const within = joined(
      { sql: 'tenant = ?', params: [tenant] },
      isRare ? joined(alsoWhere({ state }), notDone) : alsoWhere({ person, start_id: startId, parent_id: parentId }),
      since === undefined ? nothing : { sql: ' and created_at >= ?', params: [since] },
      until === undefined ? nothing : { sql: ' and created_at < ?', params: [until] },
    )
    const also = joined(
      alsoWhere({
        integration,
        step,
        connection,
        ...(isRare ? { person, start_id: startId, parent_id: parentId } : { state }),
      }),
      alsoIn('connection', connections),
    )
    const rows = await newest(db, {
      table: 'runs',
      keys: ['created_at', 'id'],
      within,
      filter: also,
      after: after && [after.at, after.id],
      rows: page.limit + 1,
    })
    return listed(rows.map(runs.fromRow), page, (run) => ({ at: run.createdAt, id: run.id }))
  },
  usage: (tenant, since) => usageOf(db, tenant, since),
  usageByPerson: (tenant, since) => usageByPerson(db, tenant, since),
  usageOfPeople: (tenant, since, people) => usageOfPeople(db, tenant, since, people),
})

/** Deletes all but the newest rows of a tenant. */
export const trimRuns = async (db: Db, tenant: string, rows: number): Promise<void> => {
  const sql = `delete from runs where tenant = ? and (created_at, id) <
    (select created_at, id from runs where tenant = ? order by created_at desc, id desc limit 1 offset ?)`
  await db.write([{ sql, params: [tenant, tenant, rows - 1] }])
}

/** Approximate size of a row without its outcome, in bytes. */
const rowBytes = 512
const bytesOf = (outcome: unknown) => rowBytes + (typeof outcome === 'string' ? Buffer.byteLength(outcome) : 0)
const outcomeAt = intents.columns.indexOf('outcome')
/** Rows evicted at once: one commit of them blocks the event loop for a few milliseconds. */
const maxEvicted = 200

/** The first rows that together reach `size`, or all rows. */
const firstOf = <T>(rows: T[], size: number, sizeOf: (row: T) => number): T[] => {
  let sum = 0
  const enough = rows.findIndex((row) => (sum += sizeOf(row)) >= size)
  return enough === -1 ? rows : rows.slice(0, enough + 1)
}

export const intentsIn = (db: Db): Store['intents'] => {
  const columns = intents.columns.filter((column) => column !== 'tenant' && column !== 'key')
  // An expired row counts as absent, so it is overwritten.
  const sizes = ['sealed_under', 'bytes', 'may_go']
  const allColumns = [...intents.columns, ...sizes]
  const insertSized = `insert into intents (${allColumns.join(', ')}) values (${allColumns.map(() => '?').join(', ')})
    on conflict (tenant, key) do update set ${[...columns, ...sizes].map((column) => `${column} = excluded.${column}`).join(', ')}
    where intents.tenant = excluded.tenant and intents.expires_at <= excluded.created_at`
  const plan = `${intents.insertSql} on conflict (tenant, key) do update set ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}
    where intents.tenant = excluded.tenant and intents.expires_at <= excluded.created_at`
  return {
    plan: async (intent) => {
      const [inserted, present] = await db.write(
        [
          { sql: plan, params: intents.params(intent) },
          { sql: 'select * from intents where tenant = ? and key = ?', params: [intent.tenant, intent.key] },
        ],
        { admits: true },
      )
      return { inserted: inserted!.changes > 0, intent: intents.fromRow(present!.rows[0]!) }
    },
    insert: async (intent, evictable = false) => {
      const params = intents.params(intent)
      const bytes = bytesOf(params[outcomeAt])
      const all = [...params, outcomeKey(intent.outcome), bytes, evictable ? 1 : 0]
      if (!wrote(await db.write([{ sql: insertSized, params: all }], { admits: true })))
        throw fail('conflict', 'This idempotency key is in use by another run.')
      return bytes
    },
    claim: async ({ tenant, key, runId }, next) => {
      const sql = `update intents set state = 'planned', run_id = ? where tenant = ? and key = ? and run_id = ? and state = 'not_sent'`
      return wrote(await db.write([{ sql, params: [next, tenant, key, runId] }], { admits: true }))
    },
    update: async (tenant, key, state, outcome, evictable = false, runId) => {
      const text = outcome === undefined ? null : JSON.stringify(outcome)
      const bytes = bytesOf(text)
      const own = runId === undefined ? nothing : { sql: ' and run_id = ?', params: [runId] }
      const sql = `update intents set state = ?, outcome = ?, sealed_under = ?, bytes = ?, may_go = ? where tenant = ? and key = ?${own.sql}`
      if (
        !wrote(
          await db.write([
            { sql, params: [state, text, outcomeKey(outcome), bytes, evictable ? 1 : 0, tenant, key, ...own.params] },
          ]),
        )
      )
        throw runId !== undefined
          ? fail('conflict', 'Another run has taken over this idempotency key.')
          : fail('internal', 'The record of this idempotency key no longer exists.')
      return bytes
    },
    get: async (tenant, key) =>
      (await db.read('select * from intents where tenant = ? and key = ?', [tenant, key])).map(intents.fromRow)[0],
    drop: async (tenant, key) =>
      void (await db.write([{ sql: 'delete from intents where tenant = ? and key = ?', params: [tenant, key] }])),
    bytes: async (tenant) =>
      Number((await db.read('select sum(bytes) as bytes from intents where tenant = ?', [tenant]))[0]!['bytes'] ?? 0),
    evict: async (tenant, bytes) => {
      const oldest = `select key, bytes from intents where tenant = ? and may_go = 1 and state in ('done', 'not_sent') order by expires_at limit ?`
      const evicted = firstOf(await db.read(oldest, [tenant, maxEvicted]), bytes, (row) => Number(row['bytes']))
      const sql = `delete from intents where tenant = ? and key = ? and may_go = 1 and state in ('done', 'not_sent')`
      const done =
        evicted.length === 0
          ? []
          : await db.write(evicted.map((row) => ({ sql, params: [tenant, String(row['key'])] })))
      return evicted.reduce((sum, row, index) => sum + (done[index]!.changes > 0 ? Number(row['bytes']) : 0), 0)
    },
    open: async (of) => {
      const left = leftBy(of)
      const sql = `select * from intents /* every tenant: intents.open */ where state in ('planned', 'sending')${left.sql} order by created_at`
      return (await db.read(sql, left.params)).map(intents.fromRow)
    },
    prune: async (now, tenant) => {
      const [done] = await db.write([
        tenant === undefined
          ? { sql: 'delete from intents /* every tenant: intents.prune */ where expires_at <= ?', params: [now] }
          : { sql: 'delete from intents where tenant = ? and expires_at <= ?', params: [tenant, now] },
      ])
      return done!.changes
    },
  }
}
