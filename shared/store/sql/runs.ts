import type { Intent, Run, Store, UsageRow } from '../../runtime/ports.ts'
import { fail } from '#kit'
import type { Db } from '../commit.ts'
import { alsoWhere, listed, readCursor, table, wrote } from '../table.ts'

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

const dayMs = 86_400_000
export const dayOf = (dayNumber: number): string => new Date(dayNumber * dayMs).toISOString().slice(0, 10)

export const runsIn = (db: Db): Store['runs'] => ({
  record: async (run) => void (await db.write([runs.upsert(run, ['tenant', 'id'])])),
  get: async (tenant, id) => (await db.read('select * from runs where tenant = ? and id = ?', [tenant, id])).map(runs.fromRow)[0],
  list: async (tenant, page, filter = {}) => {
    const after = readCursor(page.cursor)
    const also = alsoWhere({
      integration: filter.integration,
      step: filter.step,
      connection: filter.connection,
      state: filter.state,
      start_id: filter.startId,
    })
    const from = after ? ' and (created_at, id) < (?, ?)' : ''
    const sql = `select * from runs where tenant = ?${also.sql}${from} order by created_at desc, id desc limit ?`
    const found = await db.read(sql, [tenant, ...also.params, ...(after ? [after.at, after.id] : []), page.limit + 1])
    return listed(found.map(runs.fromRow), page, (run) => ({ at: run.createdAt, id: run.id }))
  },
  usage: async (tenant, since) => {
    const sql = `select created_at / ${dayMs} as day, integration, step, connection, count(*) as runs,
      sum(case when state in ('failed', 'unknown') then 1 else 0 end) as failed, sum(calls) as calls, sum(credits) as credits
      from runs where tenant = ? and created_at >= ? group by 1, 2, 3, 4 order by 1 desc, 2, 3, 4`
    const rows = await db.read(sql, [tenant, since])
    return rows.map((row) => ({ ...(row as unknown as UsageRow), day: dayOf(Number(row['day'])) }))
  },
})

export const intentsIn = (db: Db): Store['intents'] => {
  const { sql: insert } = intents.insert({} as Intent)
  const columns = intents.columns.filter((column) => column !== 'tenant' && column !== 'key')
  // An expired row counts as absent, so it is overwritten rather than met.
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
    mark: async (tenant, key, state, outcome) => {
      const sql = 'update intents set state = ?, outcome = ? where tenant = ? and key = ?'
      const params = [state, outcome === undefined ? null : JSON.stringify(outcome), tenant, key]
      if (!wrote(await db.write([{ sql, params }]))) throw fail('internal', 'The intent of this idempotency key is gone.')
    },
    open: async () =>
      (await db.read(`select * from intents /* every tenant: intents.open */ where state in ('planned', 'sending') order by created_at`, [])).map(
        intents.fromRow,
      ),
    prune: async (now) => {
      const [done] = await db.write([{ sql: 'delete from intents /* every tenant: intents.prune */ where expires_at <= ?', params: [now] }])
      return done!.changes
    },
  }
}
