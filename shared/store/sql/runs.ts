import type { Intent, Run, Store, UsageRow } from '../../runtime/ports/index.ts'
import { fail } from '#kit'
import type { Db, Statement } from '../commit.ts'
import { insertNotices } from './notifications.ts'
import { outcomeKey } from './sealed.ts'
import { alsoIn, alsoWhere, joined, listed, readCursor, table, wrote } from '../table.ts'

const runs = table<Run>('runs', {
  tenant: 'plain',
  id: 'plain',
  integration: 'plain',
  step: 'plain',
  connection: 'plain',
  token: 'plain',
  startId: 'plain',
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
const dayMs = 86_400_000
const dayOf = (dayNumber: number): string => new Date(dayNumber * dayMs).toISOString().slice(0, 10)

export const runsIn = (db: Db): Store['runs'] => ({
  record: async (run, { notices, ...options } = {}) => void (await db.write([runs.upsert(run, ['tenant', 'id']), ...insertNotices(notices)], options)),
  cutOff: async () => (await db.read(`select * from runs /* every tenant: runs.cutOff */ where state = 'sending'`, [])).map(runs.fromRow),
  get: async (tenant, id) => (await db.read('select * from runs where tenant = ? and id = ?', [tenant, id])).map(runs.fromRow)[0],
  list: async (tenant, page, filter = {}) => {
    const after = readCursor(page.cursor)
    const { integration, step, connection, connections, state, startId, since, until } = filter
    const also = joined(
      alsoWhere({ integration, step, connection, state, start_id: startId }),
      alsoIn('connection', connections),
      since === undefined ? nothing : { sql: ' and created_at >= ?', params: [since] },
      until === undefined ? nothing : { sql: ' and created_at < ?', params: [until] },
    )
    const from = after ? ' and (created_at, id) < (?, ?)' : ''
    const sql = `select * from runs where tenant = ?${also.sql}${from} order by created_at desc, id desc limit ?`
    const found = await db.read(sql, [tenant, ...also.params, ...(after ? [after.at, after.id] : []), page.limit + 1])
    return listed(found.map(runs.fromRow), page, (run) => ({ at: run.createdAt, id: run.id }))
  },
  usage: async (tenant, since) => {
    const sql = `select created_at / ${dayMs} as day, integration, step, connection, count(*) as runs,
      sum(case when state in ('failed', 'unknown') then 1 else 0 end) as failed, sum(calls) as calls, sum(credits) as credits,
      sum(case when credits_estimated = 1 then credits else 0 end) as estimatedCredits, sum(waited_ms) as waitedMs, sum(refused) as refused
      from runs where tenant = ? and created_at >= ? group by 1, 2, 3, 4 order by 1 desc, 2, 3, 4`
    const rows = await db.read(sql, [tenant, since])
    return rows.map((row) => ({ ...(row as unknown as UsageRow), day: dayOf(Number(row['day'])) }))
  },
})

/** Deletes all but the newest rows of a tenant. */
export const trimRuns = async (db: Db, tenant: string, rows: number): Promise<void> => {
  const sql = `delete from runs where tenant = ? and (created_at, id) <
    (select created_at, id from runs where tenant = ? order by created_at desc, id desc limit 1 offset ?)`
  await db.write([{ sql, params: [tenant, tenant, rows - 1] }])
}

/** Approximate size of a row without its outcome. */
const rowBytes = 512
/** Rows evicted at once: one commit of them blocks the event loop for a few milliseconds. */
const maxEvicted = 200

/** The first rows that together reach the size, or all. */
const firstOf = <T>(rows: T[], size: number, sizeOf: (row: T) => number): T[] => {
  let sum = 0
  const enough = rows.findIndex((row) => (sum += sizeOf(row)) >= size)
  return enough === -1 ? rows : rows.slice(0, enough + 1)
}

export const intentsIn = (db: Db): Store['intents'] => {
  const { sql: insert } = intents.insert({} as Intent)
  const columns = intents.columns.filter((column) => column !== 'tenant' && column !== 'key')
  // An expired row counts as absent, so it is overwritten.
  const plan = `${insert} on conflict (tenant, key) do update set ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}
    where intents.tenant = excluded.tenant and intents.expires_at <= excluded.created_at`
  return {
    plan: async (intent) => {
      const [inserted, present] = await db.write(
        [
          { sql: plan, params: intents.insert(intent).params },
          { sql: 'select * from intents where tenant = ? and key = ?', params: [intent.tenant, intent.key] },
        ],
        { admits: true },
      )
      return { inserted: inserted!.changes > 0, intent: intents.fromRow(present!.rows[0]!) }
    },
    update: async (tenant, key, state, outcome, evictable = false) => {
      const text = outcome === undefined ? null : JSON.stringify(outcome)
      const bytes = rowBytes + (text === null ? 0 : Buffer.byteLength(text))
      const sql = 'update intents set state = ?, outcome = ?, sealed_under = ?, bytes = ?, may_go = ? where tenant = ? and key = ?'
      if (!wrote(await db.write([{ sql, params: [state, text, outcomeKey(outcome), bytes, evictable ? 1 : 0, tenant, key] }])))
        throw fail('internal', 'The record of this idempotency key no longer exists.')
      return bytes
    },
    drop: async (tenant, key) => void (await db.write([{ sql: 'delete from intents where tenant = ? and key = ?', params: [tenant, key] }])),
    bytes: async (tenant) => Number((await db.read('select sum(bytes) as bytes from intents where tenant = ?', [tenant]))[0]!['bytes'] ?? 0),
    evict: async (tenant, bytes) => {
      const oldest = `select key, bytes from intents where tenant = ? and may_go = 1 and state in ('done', 'not_sent') order by expires_at limit ?`
      const evicted = firstOf(await db.read(oldest, [tenant, maxEvicted]), bytes, (row) => Number(row['bytes']))
      const sql = `delete from intents where tenant = ? and key = ? and may_go = 1 and state in ('done', 'not_sent')`
      const done = evicted.length === 0 ? [] : await db.write(evicted.map((row) => ({ sql, params: [tenant, String(row['key'])] })))
      return evicted.reduce((sum, row, index) => sum + (done[index]!.changes > 0 ? Number(row['bytes']) : 0), 0)
    },
    open: async () =>
      (await db.read(`select * from intents /* every tenant: intents.open */ where state in ('planned', 'sending') order by created_at`, [])).map(
        intents.fromRow,
      ),
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
