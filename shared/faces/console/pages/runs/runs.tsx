import { useMemo, useState } from 'preact/hooks'
import type { Connection } from '../../../../api/resources/connection.ts'
import type { Run } from '../../../../api/resources/run.ts'
import { pathTo } from '../../api/root.ts'
import { useApi, usePages } from '../../api/use-api.ts'
import { useAddress } from '../../ui/address.ts'
import { Button } from '../../ui/basics.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { PagedTable } from '../../ui/table.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time, formatDuration } from '../../ui/time.tsx'
import { RunFilters, periods } from './filters.tsx'
import { StateBadge, creditsOf, titleOfIntegration, titleOfStep } from './words.tsx'

const waitsOf = ({ waitedMs, refused }: Run) => {
  if (waitedMs === 0 && refused === 0) return '–'
  return `${formatDuration(waitedMs)}${refused === 0 ? '' : `, refused ${refused} ${refused === 1 ? 'time' : 'times'}`}`
}

const columnsWith = (nameOf: (connection: string) => string): Column<Run>[] => [
  {
    title: 'Step',
    cell: ({ id, integration, step }) => (
      <>
        <a href={pathTo('runs', id)}>{titleOfStep(integration, step)}</a>
        <br />
        <span class="muted">{titleOfIntegration(integration)}</span>
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
  {
    title: 'Connection',
    cell: ({ connection }) =>
      connection === null ? '–' : <a href={pathTo('connections', connection)}>{nameOf(connection)}</a>,
  },
]

const Nothing = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No run matches the filters">
      <p>Choose a longer period, or clear the filters.</p>
    </Empty>
  ) : (
    <Empty title="No runs yet">
      <p>Every run of a step is listed here: from this console, from agents, from the command line.</p>
      <p>
        <a class="button primary" href={pathTo('steps')}>
          Choose a step to run
        </a>
      </p>
    </Empty>
  )

const Runs = () => {
  const { query } = useAddress()
  const [turn, setTurn] = useState(0)
  const { period, since, ...otherFilters } = query
  // Computed once per choice, so that all pages of the list share one lower time bound.
  const from = useMemo(() => {
    const ms = period === undefined ? undefined : periods[period]?.ms
    return ms === undefined ? since : new Date(Date.now() - ms).toISOString()
  }, [period, since, turn])
  const { integration, step, connection, state, until, startId } = otherFilters
  const pages = usePages<Run>('runs', { integration, step, connection, state, since: from, until, startId })
  const connections = useApi<{ items: Connection[] }>('connections', { limit: 200 }).data?.items ?? []
  const columns = useMemo(
    () => columnsWith((id) => connections.find((candidate) => candidate.id === id)?.name ?? id),
    [connections],
  )
  const refresh = () => {
    setTurn(turn + 1)
    pages.reload()
  }
  return (
    <Page title="Runs" actions={<Button onClick={refresh}>Refresh</Button>}>
      <RunFilters connections={connections} />
      <PagedTable
        pages={pages}
        what="Runs"
        columns={columns}
        keyOf={({ id }) => id}
        empty={<Nothing isFiltered={Object.keys(query).length > 0} />}
      />
    </Page>
  )
}

export default Runs
