import { runState } from '../../../api/resources/run.ts'
import { choice, command, paging, text, texts } from '../declare.ts'
import { personColumn, personFilter } from '../person-options.ts'
import { sentenceCell, shortTime } from '../table.ts'
import { printRun } from '../show-run.ts'
import { usageCommands } from './usage.ts'

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
        'what was done': sentenceCell(run.summary, `${run.integration} ${run.step}`),
        run: run.id,
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
      about: 'show one with its requests and its failure, and what it took and returned where that is stored',
    },
    async ({ call, say, terminal }, { id }) => {
      const run = await call('runs.getRun', { id })
      say(run, () => printRun(terminal, run))
    },
  ),
  ...usageCommands,
]
