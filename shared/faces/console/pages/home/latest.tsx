import type { Run } from '../../../../api/resources/run.ts'
import type { Start } from '../../../../api/resources/start.ts'
import { integrationTitle, pathTo, stepTitle, triggerTitle } from '../../api/index.ts'
import { formatDuration, Table, Time } from '../../ui/index.ts'
import { StartBadge } from '../events/words.tsx'
import { StateBadge } from '../runs/words.tsx'

export const LatestStarts = ({ starts }: { starts: Start[] }) => (
  <Table
    caption="Latest starts"
    rows={starts}
    columns={[
      { title: 'Trigger', cell: (start) => <a href={pathTo('starts', start.id)}>{triggerTitle(start)}</a> },
      { title: 'State', cell: ({ state }) => <StartBadge state={state} /> },
      { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
      {
        title: 'Agent’s answer',
        cell: ({ answer }) =>
          answer === null ? '–' : `${answer.status ?? 'no answer'}${answer.message ? `: ${answer.message}` : ''}`,
      },
    ]}
  />
)

export const LatestRuns = ({ runs }: { runs: Run[] }) => (
  <Table
    caption="Latest runs"
    rows={runs}
    columns={[
      {
        title: 'Step',
        cell: ({ id, integration, step }) => <a href={pathTo('runs', id)}>{stepTitle(integration, step)}</a>,
      },
      { title: 'Integration', cell: ({ integration }) => integrationTitle(integration) },
      { title: 'Outcome', cell: ({ state }) => <StateBadge state={state} /> },
      { title: 'Began', cell: ({ createdAt }) => <Time at={createdAt} /> },
      { title: 'Took', number: true, cell: ({ durationMs }) => formatDuration(durationMs) },
    ]}
  />
)
