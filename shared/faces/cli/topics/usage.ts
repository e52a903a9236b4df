import { failField } from '#kit'
import { usageGroup } from '../../../api/resources/usage.ts'
import { choice, command, flag, printTable, text } from '../declare.ts'
import type { Context } from '../declare.ts'
import type { Answer } from '../operations.ts'
import { personFilter } from '../person-options.ts'
import { budgetColumns } from './credits.ts'

type Usage = Answer<'runs.getUsage'>
type Money = { amount: number; currency: string }

const readDays = (days: string) => {
  const count = /^\d{1,3}$/.test(days) ? Number(days) : 0
  if (count < 1 || count > 366) throw failField('days', `--days takes a number from 1 to 366, not "${days}".`)
  return count
}

const stepOf = ({ integration, step }: { integration: string; step: string }) => `${integration} ${step}`
const moneyOf = (money: Money | undefined) => (money ? `${money.amount} ${money.currency}` : '')
/** The column of money, where a row has any. */
const moneyColumn =
  (rows: readonly { money?: Money }[]) =>
  ({ money }: { money?: Money }): { money?: string } =>
    rows.some((row) => row.money) ? { money: moneyOf(money) } : {}

const nobody = { step: '', person: 'nobody', connection: 'none' }

const totalRows = (totals: NonNullable<Usage['totals']>, by: (typeof usageGroup.options)[number]) => {
  const money = moneyColumn(totals)
  return totals.map((row) => ({
    [by]: row.name ?? row[by] ?? nobody[by],
    integration: row.integration,
    runs: String(row.runs),
    failed: String(row.failed),
    requests: String(row.calls),
    credits: `${row.credits}${row.estimatedCredits > 0 ? ` (${row.estimatedCredits} estimated)` : ''}`,
    ...money(row),
  }))
}

const dayRows = (items: Usage['items']) => {
  const money = moneyColumn(items)
  return items.map((row) => ({
    day: row.day,
    step: stepOf(row),
    runs: String(row.runs),
    failed: String(row.failed),
    requests: String(row.calls),
    credits: String(row.credits),
    ...money(row),
    connection: row.connection ?? '',
  }))
}

const spentRows = (spent: Usage['spent']) =>
  spent.map((row) => ({
    day: row.day,
    step: stepOf(row),
    spent: `${row.spent}${row.estimated > 0 ? ` (${row.estimated} estimated)` : ''}`,
    reserved: String(row.reserved),
    token: row.token ?? '',
  }))

const show = ({ say, terminal }: Context, usage: Usage, by: (typeof usageGroup.options)[number] | undefined) =>
  say(usage, () => {
    const { items, spent, budgets, totals } = usage
    if (items.length === 0) terminal.out(`No runs since ${usage.since}.\n`)
    const tables = totals && by ? [totalRows(totals, by)] : [dayRows(items), spentRows(spent)]
    for (const [at, rows] of [...tables, budgets.map(budgetColumns)].entries()) {
      if (rows.length === 0) continue
      if (at > 0) terminal.out('\n')
      printTable(terminal, { items: rows })
    }
  })

export const usageCommands = [
  command(
    {
      usage: 'usage',
      about: 'show runs, requests and credits by day, step and connection, or in total',
      options: {
        by: choice('<what>', 'totals by step, person or connection, in place of days', usageGroup.options),
        days: text('<n>', 'number of days, 1 to 366', '30'),
        since: text('<day>', 'from this day on (UTC), such as 2026-11-01, in place of --days'),
        until: text('<day>', 'to this day, with --since'),
        person: personFilter,
        csv: flag('print totals as CSV (by step, unless --by says otherwise)'),
      },
    },
    async (context, { by, days, csv, since, until, person }) => {
      if (until !== undefined && since === undefined) throw failField('until', '--until needs --since.')
      const filter = { days: readDays(days), since, until, person, by }
      if (!csv) return show(context, await context.call('runs.getUsage', filter), by)
      const client = await context.client()
      context.terminal.out(await client.text('runs.exportUsage', filter))
    },
  ),
]
