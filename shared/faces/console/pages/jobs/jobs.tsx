import type { Job } from '../../../../api/resources/job.ts'
import { integrationTitle, may, pathTo, usePages } from '../../api/index.ts'
import { Button, ButtonLink, Empty, List, number, Page, percent, Time } from '../../ui/index.ts'
import type { Column } from '../../ui/index.ts'
import { StateBadge, spentOf } from './words.tsx'

const columns: Column<Job>[] = [
  {
    title: 'File',
    cell: ({ id, name, integration }) => (
      <>
        <a href={pathTo('jobs', id)}>{name}</a>
        <br />
        <span class="muted">{integrationTitle(integration)}</span>
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

const Jobs = () => {
  const list = usePages<Job>('jobs')
  const newJob = may('run') && <ButtonLink to={['jobs', 'new']}>Look up a file</ButtonLink>
  return (
    <Page
      title="Jobs"
      actions={
        <>
          {list.items.length > 0 && newJob}
          <Button onClick={list.reload}>Refresh</Button>
        </>
      }
    >
      <List
        list={list}
        what="Jobs"
        columns={columns}
        empty={
          <Empty title="No jobs yet">
            <p>
              A job looks up a person or company for every row of a CSV or JSONL file. It says what that costs before
              anything is sent.
            </p>
            <p>{newJob}</p>
          </Empty>
        }
      />
    </Page>
  )
}

export default Jobs
