import { useMemo, useState } from 'preact/hooks'
import type { Run } from '../../../../api/resources/run.ts'
import { integrationTitle, pathTo, stepTitle, useConnections, usePages } from '../../api/index.ts'
import {
  Button,
  ButtonLink,
  Empty,
  formatDuration,
  List,
  Page,
  personColumns,
  plural,
  Time,
  useAddress,
} from '../../ui/index.ts'
import type { Column } from '../../ui/index.ts'
import { RunFilters, periods } from './filters.tsx'
import { StateBadge, creditsOf } from './words.tsx'

const waitsOf = ({ waitedMs, refused }: Run) => {
  if (waitedMs === 0 && refused === 0) return '–'
  return `${formatDuration(waitedMs)}${refused === 0 ? '' : `, refused ${plural(refused, 'time')}`}`
}

const columnsWith = (nameOf: (connection: string) => string, rows: Run[]): Column<Run>[] => [
  {
    title: 'Step',
    cell: ({ id, integration, step }) => (
      <>
        <a href={pathTo('runs', id)}>{stepTitle(integration, step)}</a>
        <br />
        <span class="muted">{integrationTitle(integration)}</span>
      </>
    ),
  },
  {
    title: 'Outcome',
    cell: ({ state, failure }) => (
      <>
        <StateBadge state={state} />
        {failure && <div class="said">{failure.message}</div>}
      </>
    ),
  },
  { title: 'Began', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { title: 'Took', number: true, cell: ({ durationMs }) => formatDuration(durationMs) },
  { title: 'Waited', number: true, cell: waitsOf },
  { title: 'Credits', number: true, cell: (run) => creditsOf(run) ?? '–' },
  ...personColumns(rows),
  {
    title: 'Connection',
    cell: ({ connection }) =>
      connection === null ? '–' : <a href={pathTo('connections', connection)}>{nameOf(connection)}</a>,
  },
]

const Runs = () => {
  const { query } = useAddress()
  const [turn, setTurn] = useState(0)
  const { period, since, integration, step, connection, person, state, until, startId } = query
  // Computed once per choice, so that all pages of the list share one lower time bound.
  const from = useMemo(() => {
    const ms = period === undefined ? undefined : periods[period]?.ms
    return ms === undefined ? since : new Date(Date.now() - ms).toISOString()
  }, [period, since, turn])
  const list = usePages<Run>('runs', { integration, step, connection, person, state, since: from, until, startId })
  const { items: connections, nameOf } = useConnections()
  const refresh = () => {
    setTurn(turn + 1)
    list.reload()
  }
  return (
    <Page title="Runs" actions={<Button onClick={refresh}>Refresh</Button>}>
      <RunFilters connections={connections} />
      <List
        list={list}
        what="Runs"
        columns={columnsWith(nameOf, list.items)}
        empty={
          Object.keys(query).length > 0 ? (
            <Empty title="No run matches the filters">
              <p>Choose a longer period, or clear the filters.</p>
            </Empty>
          ) : (
            <Empty title="No runs yet">
              <p>Every run of a step is listed here: from this console, from agents, from the command line.</p>
              <p>
                <ButtonLink to={['steps']}>Choose a step to run</ButtonLink>
              </p>
            </Empty>
          )
        }
      />
    </Page>
  )
}

export default Runs
