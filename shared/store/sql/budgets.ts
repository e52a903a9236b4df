import type { Budget, BudgetPeriod, PeriodSpan, Store } from '../../runtime/ports/index.ts'
import type { Db, Statement } from '../commit.ts'
import type { Row } from '../sqlite.ts'
import { table, wrote } from '../table.ts'
import { addedBy, ledgerSlices } from './ledger-sums.ts'
import { insertNotices } from './notifications.ts'

const budgets = table<Budget>('budgets', {
  tenant: 'plain',
  id: 'plain',
  scope: 'plain',
  subject: 'plain',
  integration: 'plain',
  credits: 'plain',
  period: 'plain',
  timeZone: 'plain',
  warnAt: 'plain',
  createdAt: 'plain',
  updatedAt: 'plain',
})

const slotMs = 900_000
const warned = ['no', 'due', 'sent'] as const
const rounded = (value: unknown) => Math.round(Number(value) * 1e6) / 1e6

const periodFrom = (row: Row): BudgetPeriod => ({
  tenant: String(row['tenant']),
  budget: String(row['budget']),
  startsAt: Number(row['starts_at']),
  endsAt: Number(row['ends_at']),
  spent: rounded(row['spent']),
  reserved: rounded(row['reserved']),
  warned: warned[Number(row['warned'])]!,
})

/** Which ledger totals count in a budget; a condition that is absent means all. */
const countedIn = ({ scope, subject, integration }: Budget): Statement => ({
  sql: `${scope === 'tenant' ? '' : ` and ${scope === 'connection' ? 'connection' : 'token'} = ?`}${integration === null ? '' : ' and integration = ?'}`,
  params: [...(scope === 'tenant' ? [] : [subject]), ...(integration === null ? [] : [integration])],
})

const maxReads = 4

/**
 * Opens a period of a person's budget, from the ledger: the totals do not tell people apart. Rows are read in slices,
 * so more may come meanwhile; then they are read once more, because what the period leaves out it never counts.
 */
const openOfPerson = async (db: Db, { tenant, id, subject, integration }: Budget, { startsAt, endsAt }: PeriodSpan) => {
  const within = {
    sql: 'tenant = ? and person = ? and entry_at < ?',
    params: [tenant, subject, endsAt],
  }
  const ofIntegration =
    integration === null ? { sql: '', params: [] } : { sql: ' and integration = ?', params: [integration] }
  const counted = {
    sql: `tenant = ? and person = ? and entry_at >= ? and entry_at < ?${ofIntegration.sql}`,
    params: [tenant, subject, startsAt, endsAt, ...ofIntegration.params],
  }
  /** False when the condition does not hold, or there is such a period. A budget may be removed meanwhile. */
  const insertPeriod = async (values: Statement, condition: Statement): Promise<boolean> => {
    const sql = `insert into budget_periods (tenant, budget, starts_at, ends_at, spent, reserved, warned)
      select ?, ?, ?, ?, ${values.sql}, 0 where ${condition.sql} and exists (select 1 from budgets where tenant = ? and id = ?)
      on conflict (tenant, budget, starts_at) do nothing`
    const params = [tenant, id, startsAt, endsAt, ...values.params, ...condition.params, tenant, id]
    const [inserted] = await db.write([{ sql, params }])
    return inserted!.changes > 0
  }
  const known = 'select 1 from budget_periods where tenant = ? and budget = ? and starts_at = ?'
  for (let left = maxReads; left > 0; left -= 1) {
    if ((await db.read(known, [tenant, id, startsAt])).length > 0) return
    let [spent, reserved, read] = [0, 0, 0]
    for await (const rows of ledgerSlices(db, within, startsAt)) {
      for (const row of rows) {
        if (integration !== null && row['integration'] !== integration) continue
        read += 1
        const added = addedBy(row)
        spent += added.spent
        reserved += added.reserved
      }
    }
    // Each row is written once, and none is changed.
    const isSame = `(select count(*) from ledger where ${counted.sql}) = ?`
    const values = { sql: '?, ?', params: [rounded(spent), rounded(reserved)] }
    if (await insertPeriod(values, { sql: isSame, params: [...counted.params, read] })) return
  }
  // Rows keep coming while they are read: now they wait, for one statement that reads them all.
  const sums = `(select coalesce(sum(case when kind in ('settled', 'resolved') then credits else 0 end), 0) from ledger where ${counted.sql}),
    (select coalesce(sum(case kind when 'reserved' then credits when 'released' then -credits else 0 end), 0) from ledger where ${counted.sql})`
  await insertPeriod({ sql: sums, params: [...counted.params, ...counted.params] }, { sql: '1 = 1', params: [] })
}

export const budgetsIn = (db: Db): Store['budgets'] => ({
  list: async (tenant) =>
    (await db.read('select * from budgets where tenant = ? order by created_at, id', [tenant])).map(budgets.fromRow),
  get: async (tenant, id) =>
    (await db.read('select * from budgets where tenant = ? and id = ?', [tenant, id])).map(budgets.fromRow)[0],
  put: async (budget) =>
    void (await db.write(
      [
        budgets.upsert(budget, ['tenant', 'id']),
        {
          sql: 'update budget_periods set warned = 0 where tenant = ? and budget = ?',
          params: [budget.tenant, budget.id],
        },
      ],
      { admits: true },
    )),
  lower: async (tenant, id, credits, at) => {
    const [lowered] = await db.write([
      {
        sql: 'update budgets set credits = ?, updated_at = ? where tenant = ? and id = ? and credits >= ?',
        params: [credits, at, tenant, id, credits],
      },
      { sql: 'update budget_periods set warned = 0 where tenant = ? and budget = ?', params: [tenant, id] },
    ])
    return lowered!.changes > 0
  },
  remove: async (tenant, id) =>
    wrote(
      await db.write([
        { sql: 'delete from budgets where tenant = ? and id = ?', params: [tenant, id] },
        { sql: 'delete from budget_periods where tenant = ? and budget = ?', params: [tenant, id] },
      ]),
    ),
  open: async (budget, { startsAt, endsAt }) => {
    const { tenant, id } = budget
    const only = countedIn(budget)
    if (budget.scope === 'person') return openOfPerson(db, budget, { startsAt, endsAt })
    // Days, weeks and months begin with a slot. What was reserved before a budget of the period `total` was created
    // never counts in it.
    const sql = `insert into budget_periods (tenant, budget, starts_at, ends_at, spent, reserved, warned)
      select ?, ?, ?, ?, coalesce(sum(spent), 0), coalesce(sum(reserved), 0), 0 from credit_totals where tenant = ? and slot >= ? and slot < ?${only.sql}
      on conflict (tenant, budget, starts_at) do nothing`
    const slots = [Math.ceil(startsAt / slotMs), Math.ceil(endsAt / slotMs)]
    await db.write([{ sql, params: [tenant, id, startsAt, endsAt, tenant, ...slots, ...only.params] }])
  },
  periods: async (tenant, at) =>
    (
      await db.read('select * from budget_periods where tenant = ? and starts_at <= ? and ends_at > ?', [
        tenant,
        at,
        at,
      ])
    ).map(periodFrom),
  warn: async ({ tenant, budget, startsAt }, notice) => {
    const isDue: Statement = {
      sql: 'exists (select 1 from budget_periods p where p.tenant = ? and p.budget = ? and p.starts_at = ? and p.warned = 1)',
      params: [tenant, budget, startsAt],
    }
    const sent = {
      sql: 'update budget_periods set warned = 2 where tenant = ? and budget = ? and starts_at = ? and warned = 1',
      params: [tenant, budget, startsAt],
    }
    await db.write([...insertNotices([notice], isDue), sent])
  },
})
