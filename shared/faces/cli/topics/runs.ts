import { failField } from '#kit'
import { runState } from '../../../api/resources/run.ts'
import { choice, command, paging, printTable, text, texts } from '../declare.ts'
import { personColumn, personFilter } from '../person-options.ts'
import { shortTime } from '../table.ts'
import { budgetColumns } from './credits.ts'

const readDays = (days: string) => {
  const count = /^\d{1,3}$/.test(days) ? Number(days) : 0
  if (count < 1 || count > 366) throw failField('days', `--days takes a number from 1 to 366, not "${days}".`)
  return count
}

export const runCommands = [
  command(
    {
      usage: 'runs',
      about: 'list step runs, newest first',
      options: {
        integration: text('-i <id>', 'only of this integration'),
        step: text('<id>', 'only of this step'),
        connection: text('-c <name>', 'only with this connection, by id or name'),
        person: personFilter,
        state: choice('<state>', 'only in this state', runState.options),
        startId: text('<id>', 'only of this agent start'),
        externalId: text('<id>', 'only of connections with this external id'),
        label: texts('-l <name:value>', 'only of connections with this label; repeat to narrow further'),
        ...paging(),
      },
    },
    async ({ call, list, typed }, filter) => {
      const page = await call('runs.listRuns', filter)
      const personOf = personColumn(page.items)
      list(page, `No runs yet. Run a step with: ${typed('run <integration> <step>')}`, (run) => ({
        run: run.id,
        step: `${run.integration} ${run.step}`,
        at: shortTime(run.createdAt),
        duration: `${Math.round(run.durationMs)} ms`,
        credits: run.credits === 0 ? '' : `${run.credits}${run.creditsEstimated ? ' (estimated)' : ''}`,
        ...personOf(run),
        outcome: run.failure ? `${run.failure.code}: ${run.failure.message}` : (run.code ?? run.state),
      }))
    },
  ),
  command(
    {
      usage: 'runs show <id>',
      about: 'show one with its failure, and the output of a background run',
    },
    async ({ call, show }, { id }) => show(await call('runs.getRun', { id })),
  ),
  command(
    {
      usage: 'usage',
      about: 'show runs, requests and credits by day, step and connection',
      options: { days: text('<n>', 'number of days, 1 to 366', '30'), person: personFilter },
    },
    async ({ call, say, terminal }, { days, person }) => {
      const count = readDays(days)
      const { items, spent, budgets } = await call('runs.getUsage', { days: count, person })
      const stepOf = ({ integration, step }: { integration: string; step: string }) => `${integration} ${step}`
      const runs = items.map((row) => ({
        day: row.day,
        step: stepOf(row),
        runs: String(row.runs),
        failed: String(row.failed),
        requests: String(row.calls),
        credits: String(row.credits),
        connection: row.connection ?? '',
      }))
      const credits = spent.map((row) => ({
        day: row.day,
        step: stepOf(row),
        spent: `${row.spent}${row.estimated > 0 ? ` (${row.estimated} estimated)` : ''}`,
        reserved: String(row.reserved),
        token: row.token ?? '',
      }))
      say({ items, spent, budgets }, () => {
        if (runs.length === 0) terminal.out(`No runs in the last ${count} days.\n`)
        for (const [at, rows] of [runs, credits, budgets.map(budgetColumns)].entries()) {
          if (rows.length === 0) continue
          if (at > 0) terminal.out('\n')
          printTable(terminal, { items: rows })
        }
      })
    },
  ),
]
