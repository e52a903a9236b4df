import type { Job } from '../../../../api/resources/job.ts'
import { pathTo } from '../../api/root.ts'
import { manifestOf } from '../../api/server.ts'
import { may } from '../../api/session.ts'
import { usePages } from '../../api/use-api.ts'
import { Button } from '../../ui/basics.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { PagedTable } from '../../ui/table.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { StateBadge, number, percent, spentOf } from './words.tsx'

const columns: Column<Job>[] = [
  {
    title: 'File',
    cell: ({ id, name, integration }) => (
      <>
        <a href={pathTo('jobs', id)}>{name}</a>
        <br />
        <span class="muted">{manifestOf(integration)?.title ?? integration}</span>
      </>
    ),
  },
  { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
  {
    title: 'Rows',
    number: true,
    cell: ({ rows, done }) => (rows === null ? '–' : `${number(done)} of ${number(rows)}`),
  },
  {
    title: 'Matches',
    number: true,
    cell: ({ matched, hitRate }) => (hitRate === null ? '–' : `${number(matched)} (${percent(hitRate)})`),
  },
  { title: 'Credits', cell: spentOf },
  { title: 'Made', cell: ({ createdAt }) => <Time at={createdAt} /> },
]

const NewJob = () => (
  <a class="button primary" href={pathTo('jobs', 'new')}>
    Look up a file
  </a>
)

const Jobs = () => {
  const pages = usePages<Job>('jobs')
  const empty = (
    <Empty title="No jobs yet">
      <p>
        A job looks up a person or company for every row of a CSV or JSONL file. It says what that costs before anything
        is sent.
      </p>
      {may('run') && (
        <p>
          <NewJob />
        </p>
      )}
    </Empty>
  )
  return (
    <Page
      title="Jobs"
      actions={
        <>
          {may('run') && pages.items.length > 0 && <NewJob />}
          <Button onClick={pages.reload}>Refresh</Button>
        </>
      }
    >
      <PagedTable pages={pages} what="Jobs" columns={columns} keyOf={({ id }) => id} empty={empty} />
    </Page>
  )
}

export default Jobs
