import type { Job } from '../../../../api/resources/job.ts'
import { may, pathTo, usePages } from '../../api/index.ts'
import { Button, Empty, List, Page, Time } from '../../ui/index.ts'
import type { Column } from '../../ui/index.ts'
import { JobForm } from './job-form.tsx'
import { progressOf, sentenceOf, spentOf, StateBadge } from './words.tsx'

const columns: Column<Job>[] = [
  {
    title: 'Job',
    cell: (job) => (
      <>
        <a href={pathTo('jobs', job.id)}>{sentenceOf(job)}</a>
        <br />
        <span class="muted">{progressOf(job)}</span>
      </>
    ),
  },
  { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
  { title: 'Credits', cell: spentOf },
  { title: 'Made', cell: ({ createdAt }) => <Time at={createdAt} relative /> },
]

const Jobs = () => {
  const list = usePages<Job>('jobs')
  return (
    <Page title="Jobs" actions={<Button onClick={list.reload}>Refresh</Button>}>
      {may('run') && <JobForm />}
      <List
        list={list}
        what="Jobs"
        columns={columns}
        empty={
          <Empty title="No jobs yet">
            <p>
              A job looks up a person or company for every row of a list. It says what that costs before anything is
              sent.
            </p>
          </Empty>
        }
      />
    </Page>
  )
}

export default Jobs
