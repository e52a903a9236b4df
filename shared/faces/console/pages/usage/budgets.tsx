import type { Budget } from '../../../../api/resources/budget.ts'
import type { SpentRow } from '../../../../api/resources/usage.ts'
import { withEstimate, number, Table, Time } from '../../ui/index.ts'

const periods: Record<Budget['period'], string> = { day: 'a day', week: 'a week', month: 'a month', total: 'in all' }
const whose = ({ scope, subject, integration }: Budget) =>
  [scope === 'tenant' ? 'All runs' : `${scope === 'connection' ? 'Connection' : 'Token'} ${subject}`, integration]
    .filter(Boolean)
    .join(', ')

/** The remaining credits of each budget. */
export const Budgets = ({ budgets }: { budgets: Budget[] }) => (
  <Table
    caption="Budgets of credits"
    rows={budgets}
    columns={[
      { title: 'Budget', cell: whose },
      { title: 'Credits', number: true, cell: ({ credits, period }) => `${number(credits)} ${periods[period]}` },
      { title: 'Spent', number: true, cell: ({ spent }) => number(spent) },
      { title: 'Reserved', number: true, cell: ({ reserved }) => number(reserved) },
      { title: 'Remaining', number: true, cell: ({ remaining }) => number(remaining) },
      {
        title: 'Used up',
        cell: ({ projectedRunOutAt }) =>
          projectedRunOutAt === null ? 'not in this period' : <Time at={projectedRunOutAt} />,
      },
    ]}
  />
)

type TokenSpending = Pick<SpentRow, 'token' | 'spent' | 'estimated' | 'reserved'>

const byToken = (rows: SpentRow[]): TokenSpending[] => {
  const sums = new Map<string | null, TokenSpending>()
  for (const row of rows) {
    const sum = sums.get(row.token) ?? { token: row.token, spent: 0, estimated: 0, reserved: 0 }
    for (const field of ['spent', 'estimated', 'reserved'] as const) sum[field] += row[field]
    sums.set(row.token, sum)
  }
  return [...sums.values()].sort((a, b) => b.spent - a.spent)
}

/** The credits spent, by token. */
export const SpentByToken = ({ rows }: { rows: SpentRow[] }) => (
  <Table
    caption="Credits by token"
    rows={byToken(rows)}
    keyOf={({ token }) => token ?? ''}
    columns={[
      { title: 'Token', cell: ({ token }) => token ?? 'Without a token' },
      {
        title: 'Spent',
        number: true,
        cell: (sum) => withEstimate(sum.spent, sum.estimated),
      },
      { title: 'Reserved', number: true, cell: ({ reserved }) => number(reserved) },
    ]}
  />
)
