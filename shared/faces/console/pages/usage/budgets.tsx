import type { Budget } from '../../../../api/resources/budget.ts'
import type { SpentRow } from '../../../../api/resources/usage.ts'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

const count = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 })
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
    keyOf={({ id }) => id}
    columns={[
      { title: 'Budget', cell: whose },
      { title: 'Credits', number: true, cell: ({ credits, period }) => `${count.format(credits)} ${periods[period]}` },
      { title: 'Spent', number: true, cell: ({ spent }) => count.format(spent) },
      { title: 'Reserved', number: true, cell: ({ reserved }) => count.format(reserved) },
      { title: 'Remaining', number: true, cell: ({ remaining }) => count.format(remaining) },
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
  for (const { token, spent, estimated, reserved } of rows) {
    const sum = sums.get(token) ?? { token, spent: 0, estimated: 0, reserved: 0 }
    sums.set(token, {
      token,
      spent: sum.spent + spent,
      estimated: sum.estimated + estimated,
      reserved: sum.reserved + reserved,
    })
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
        cell: ({ spent, estimated }) =>
          estimated === 0 ? count.format(spent) : `${count.format(spent)} (${count.format(estimated)} estimated)`,
      },
      { title: 'Reserved', number: true, cell: ({ reserved }) => count.format(reserved) },
    ]}
  />
)
