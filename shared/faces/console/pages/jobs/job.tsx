import { problemOfFailure } from '../../api/failure.ts'
import { useRoute } from 'preact-iso/router'
import { useEffect, useState } from 'preact/hooks'
import type { Job as JobView, JobPreview } from '../../../../api/resources/job.ts'
import { post } from '../../api/client.ts'
import { apiRoot, pathTo } from '../../api/root.ts'
import { manifestOf } from '../../api/server.ts'
import { may } from '../../api/session.ts'
import { useAction, useApi } from '../../api/use-api.ts'
import { Button, CopyButton, Facts } from '../../ui/basics.tsx'
import { ConfirmButton } from '../../ui/dialog.tsx'
import { TextField, errorAt } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { Loading, ProblemBox } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { Time, formatDuration } from '../../ui/time.tsx'
import { StateBadge, isUnderWay, isWaiting, number, percent, range, spentOf } from './words.tsx'

const everyMs = 1_000
type Props = { job: JobView; reload(): void }
const pathOf = ({ id }: JobView, what: string) => `jobs/${encodeURIComponent(id)}/${what}`

const Progress = ({ job: { rows, done, secondsLeft, rowsPerSecond } }: { job: JobView }) => (
  <p class="row">
    {rows === null ? <progress aria-label="Progress" /> : <progress aria-label="Progress" value={done} max={rows} />}
    <span role="status">{rows === null ? 'Reading the file' : `${number(done)} of ${number(rows)} rows`}</span>
    {rowsPerSecond !== null && secondsLeft !== null && (
      <span class="muted">
        {number(rowsPerSecond)} rows a second, {formatDuration(secondsLeft * 1000)} left
      </span>
    )}
  </p>
)

const Actions = ({ job, reload }: Props) => {
  const act = async (what: string) => {
    await post(pathOf(job, what))
    reload()
  }
  const pausing = useAction(() => act('pause'))
  if (!may('run') || !(isUnderWay(job) || isWaiting(job))) return null
  return (
    <>
      {job.state === 'running' && (
        <Button busy={pausing.busy} onClick={() => void pausing.run()}>
          Pause
        </Button>
      )}
      <ConfirmButton label="Cancel the job" title="Cancel this job?" confirm="Cancel the job" act={() => act('cancel')}>
        <p>No further row is looked up. What was found so far is written to the result, and stays paid.</p>
      </ConfirmButton>
      {pausing.problem && <ProblemBox problem={pausing.problem} />}
    </>
  )
}

/** Shows a job's price and asks for consent to spend up to a maximum. */
const Consent = ({ job, reload }: Props) => {
  const { quote, credits, state } = job
  const [most, setMost] = useState(String(credits.max ?? quote?.most ?? ''))
  const { run, busy, problem } = useAction(async () => {
    await post(pathOf(job, 'resume'), { maxCredits: Number(most) })
    reload()
  })
  return (
    <section class="panel">
      <h2>{state === 'ready' ? 'Start the job' : 'Go on with the job'}</h2>
      {quote && (
        <p>
          The rows that can be looked up cost {range(quote)} credits if each is found
          {quote.expected === null ? '' : `; as the rows so far suggest, ${number(quote.expected)}`}. Nothing more is
          sent until you agree.
        </p>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!busy) void run()
        }}
      >
        <TextField
          label="Budget in credits"
          type="number"
          min={0}
          required
          value={most}
          change={setMost}
          hint="The most that the job may spend in all. It pauses before it would spend more."
          error={errorAt(problem, 'maxCredits')}
        />
        {problem && <ProblemBox problem={problem} />}
        <p class="row">
          <Button type="submit" kind="primary" busy={busy}>
            {state === 'ready' ? 'Start' : 'Go on'}
          </Button>
        </p>
      </form>
    </section>
  )
}

const valuesOf = (input: Record<string, unknown>) =>
  Object.entries(input)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')

const Preview = ({ job }: { job: JobView }) => {
  const { data, problem, reload } = useApi<JobPreview>(pathOf(job, 'preview'))
  return (
    <section class="panel">
      <h2>The first rows</h2>
      {problem && <ProblemBox problem={problem} retry={reload} />}
      {!data && !problem && <Loading what="the first rows" />}
      {data && (
        <>
          <p class="muted">
            Looked up by:{' '}
            {Object.entries(data.map)
              .map(([field, column]) => `${field} from the column “${column}”`)
              .join(', ')}
            .
          </p>
          <Table
            caption="The first rows"
            rows={data.rows}
            keyOf={({ row }) => String(row)}
            columns={[
              { title: 'Row', number: true, cell: ({ row }) => number(row) },
              { title: 'Looked up by', cell: ({ input, problem: why }) => why ?? valuesOf(input) },
              { title: 'Credits', number: true, cell: ({ price }) => (price === null ? '–' : range(price)) },
            ]}
          />
        </>
      )}
    </section>
  )
}

const Outcome = ({ job }: { job: JobView }) => (
  <section class="panel">
    <h2>Result</h2>
    <Facts
      facts={[
        ['State', <StateBadge state={job.state} />],
        [
          'Matches',
          job.hitRate === null
            ? number(job.matched)
            : `${number(job.matched)} (${percent(job.hitRate)} of the rows looked up)`,
        ],
        ['Without a match', number(job.noMatch)],
        ['Skipped', job.skipped > 0 ? `${number(job.skipped)}, with nothing to look them up by` : undefined],
        ['Suppressed', job.suppressed > 0 ? `${number(job.suppressed)}, who opted out` : undefined],
        ['Failed', job.errors > 0 ? number(job.errors) : undefined],
        ['Credits', spentOf(job)],
        ['Integration', manifestOf(job.integration)?.title ?? job.integration],
        ['Connection', <a href={pathTo('connections', job.connection)}>{job.connection}</a>],
        ['Made', <Time at={job.createdAt} />],
        ['Ended', job.endedAt === null ? undefined : <Time at={job.endedAt} />],
        ['Removed', <Time at={job.expiresAt} />],
        [
          'Job id',
          <>
            <code>{job.id}</code> <CopyButton text={job.id} />
          </>,
        ],
      ]}
    />
    {job.result !== null && (
      <p>
        <a class="button primary" href={`${apiRoot}files/${encodeURIComponent(job.result)}`} download>
          Download the result
        </a>
      </p>
    )}
  </section>
)

const Job = () => {
  const id = useRoute().params['id'] ?? ''
  const { data: job, problem, reload } = useApi<JobView>(`jobs/${encodeURIComponent(id)}`)
  useEffect(() => {
    if (!job || !isUnderWay(job)) return undefined
    const timer = setTimeout(reload, everyMs)
    return () => clearTimeout(timer)
  }, [job])
  return (
    <Page title={job ? job.name : 'Job'} actions={job && <Actions job={job} reload={reload} />}>
      <p>
        <a href={pathTo('jobs')}>All jobs</a>
      </p>
      {problem && <ProblemBox problem={problem} retry={reload} />}
      {!job && !problem && <Loading what="the job" />}
      {job && (
        <>
          {isUnderWay(job) && <Progress job={job} />}
          {job.reason && <ProblemBox problem={problemOfFailure(job.reason)} connection={job.connection} />}
          {isWaiting(job) && may('run') && <Consent key={job.state} job={job} reload={reload} />}
          <Outcome job={job} />
          {isWaiting(job) && may('run') && <Preview job={job} />}
        </>
      )}
    </Page>
  )
}

export default Job
