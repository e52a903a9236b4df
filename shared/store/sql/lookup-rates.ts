import type { LookupRate, Store } from '../../runtime/ports/index.ts'
import type { Db } from '../commit.ts'
import { table } from '../table.ts'

const rates = table<LookupRate>('lookup_rates', {
  tenant: 'plain',
  kind: 'plain',
  segment: 'plain',
  provider: 'plain',
  turn: 'plain',
  field: 'plain',
  asked: 'plain',
  filled: 'plain',
  credits: 'plain',
  ageDays: 'plain',
  aged: 'plain',
  countedAt: 'plain',
})

/** From this number on, what was counted before weighs half, so that a provider that changed is noticed. */
const mostAsked = 1_000
const counts = ['asked', 'filled', 'credits', 'age_days', 'aged']
const addSql = `${rates.insertSql} on conflict (tenant, kind, segment, provider, turn, field) do update set
  ${counts.map((name) => `${name} = lookup_rates.${name} * (case when lookup_rates.asked >= ${mostAsked} then 0.5 else 1.0 end) + excluded.${name}`).join(', ')},
  counted_at = excluded.counted_at`

export const lookupRatesIn = (db: Db): Store['lookupRates'] => ({
  find: async (tenant, kind, segments) =>
    (
      await db.read(
        `select * from lookup_rates where tenant = ? and kind = ? and segment in (${segments.map(() => '?').join(', ')})`,
        [tenant, kind, ...segments],
      )
    ).map(rates.fromRow),
  add: async (added) => {
    if (added.length > 0) await db.write(added.map((rate) => ({ sql: addSql, params: rates.params(rate) })))
  },
})
