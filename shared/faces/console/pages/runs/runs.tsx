import { useMemo, useState } from 'preact/hooks'
import type { Run } from '../../../../api/resources/run.ts'
import { integrationTitle, may, pathTo, stepOf, stepTitle, useConnections, usePages } from '../../api/index.ts'
import {
  Button,
  ButtonLink,
  Empty,
  formatDuration,
  List,
  Page,
  personColumns,
  plural,
  Sentence,
  Time,
  useAddress,
  valuesOf,
  withoutIds,
} from '../../ui/index.ts'
import type { Column } from '../../ui/index.ts'
import { RunFilters, periods } from './filters.tsx'
import { StateBadge, creditsOf, otherwiseOf, repeatAddress } from './words.tsx'

const waitsOf = ({ waitedMs, refused }: Run) => {
  if (waitedMs === 0 && refused === 0) return '–'
  return `${formatDuration(waitedMs)}${refused === 0 ? '' : `, refused ${plural(refused, 'time')}`}`
}

const columnsWith = (nameOf: (connection: string) => string, rows: Run[]): Column<Run>[] => [
  {
    title: 'What happened',
    cell: (run) => (
      <>
        <a href={pathTo('runs', run.id)}>
          <Sentence of={run.summary} otherwise={otherwiseOf(run)} />
        </a>
        <br />
        <span class="muted">
          {stepTitle(run.integration, run.step)}, {integrationTitle(run.integration)}
        </span>
        {run.failure && <div class="said">{withoutIds(run.failure.message)}</div>}
      </>
    ),
  },
  { title: 'Outcome', cell: (run) => <StateBadge run={run} /> },
  { title: 'Began', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { title: 'Took', number: true, cell: ({ durationMs }) => formatDuration(durationMs) },
  // Most lists have none of these.
  ...(rows.some(({ waitedMs, refused }) => waitedMs > 0 || refused > 0)
    ? [{ title: 'Waited', number: true, cell: waitsOf }]
    : []),
  ...(rows.some((run) => creditsOf(run) !== undefined)
    ? [{ title: 'Credits', number: true, cell: (run: Run) => creditsOf(run) ?? '–' }]
    : []),
  ...personColumns(rows),
  {
    title: 'Connection',
    cell: ({ connection }) =>
      connection === null ? '–' : <a href={pathTo('connections', connection)}>{nameOf(connection)}</a>,
  },
  {
    title: 'Repeat',
    cell: (run) =>
      stepOf(run.integration, run.step) && may('run') ? <a href={repeatAddress(run)}>Edit and run again</a> : '–',
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
      <RunFilters connections={connections} people={valuesOf(list.items, 'person').filter((id) => id !== null)} />
      <List
        list={list}
        what="Runs"
        columns={columnsWith(nameOf, list.items)}
        empty={
          Object.keys(query).length > 0 ? (
            <Empty picture="search" title="No run matches the filters">
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
