import type { Event } from '../../../../api/resources/event.ts'
import type { Run } from '../../../../api/resources/run.ts'
import type { Start } from '../../../../api/resources/start.ts'
import { pathTo, stepTitle, triggerTitle } from '../../api/index.ts'
import { Sentence, Table, Time } from '../../ui/index.ts'
import { eventPath, eventTitle, StartBadge } from '../events/words.tsx'
import { StateBadge } from '../runs/words.tsx'

export const LatestStarts = ({ starts }: { starts: Start[] }) => (
  <Table
    caption="Latest starts"
    rows={starts}
    columns={[
      {
        title: 'What happened',
        cell: (start) => (
          <a href={pathTo('starts', start.id)}>
            <Sentence of={start.summary} otherwise={triggerTitle(start)} />
          </a>
        ),
      },
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

export const LatestEvents = ({ events }: { events: Event[] }) => (
  <Table
    caption="Latest events"
    rows={events}
    keyOf={({ id, connection }) => `${connection} ${id}`}
    columns={[
      {
        title: 'What happened',
        cell: (event) => (
          <a href={eventPath(event)}>
            <Sentence of={event.summary} otherwise={eventTitle(event)} />
          </a>
        ),
      },
      { title: 'When', cell: ({ at }) => <Time at={at} relative /> },
      {
        title: 'Started',
        cell: ({ starts = [] }) =>
          starts.length === 0 ? <span class="muted">nothing</span> : starts.length === 1 ? 'an agent' : starts.length,
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
        title: 'What was done',
        cell: ({ id, integration, step, summary }) => (
          <a href={pathTo('runs', id)}>
            <Sentence of={summary} otherwise={stepTitle(integration, step)} />
          </a>
        ),
      },
      { title: 'Outcome', cell: (run) => <StateBadge run={run} /> },
      { title: 'When', cell: ({ createdAt }) => <Time at={createdAt} relative /> },
    ]}
  />
)
