import type { Store } from '../../runtime/ports/index.ts'
import type { Db } from '../commit.ts'
import { slicesOf } from './slices.ts'

/** For the page of metrics. There may be very many connections, so these are read in slices; no index is kept for it. */
export const tallyIn =
  (db: Db): Store['tally'] =>
  async (at) => {
    const connections: Record<string, number> = {}
    const slices = slicesOf(db, {
      table: 'connections',
      columns: '/* every tenant: tally */ tenant, id, state',
      keys: ['tenant', 'id'],
      within: { sql: '1 = 1', params: [] },
      after: ['', ''],
    })
    for await (const rows of slices)
      for (const row of rows) {
        const state = String(row['state'])
        connections[state] = (connections[state] ?? 0) + 1
      }
    const used = 'coalesce(p.spent + p.reserved, 0)'
    const sql = `select /* every tenant: tally */ case when ${used} >= b.credits then 'spent' when ${used} >= b.credits * b.warn_at then 'near' else 'open' end as state,
      count(*) as count from budgets b
      left join budget_periods p on p.tenant = b.tenant and p.budget = b.id and p.starts_at <= ? and p.ends_at > ? group by 1`
    const budgets = await db.read(sql, [at, at])
    return {
      connections,
      budgets: Object.fromEntries(budgets.map((row) => [String(row['state']), Number(row['count'])])),
    }
  }
