import {
  apiRoot,
  integrationTitle,
  may,
  pathTo,
  post,
  problemOfFailure,
  useAction,
  useApi,
  useConnections,
  useReloads,
} from '../../api/index.ts'
import { useRoute } from 'preact-iso/router'
import { useState } from 'preact/hooks'
import type { Job as JobView, JobPreview } from '../../../../api/resources/job.ts'
import {
  Button,
  ConfirmButton,
  CopiedId,
  errorAt,
  Facts,
  formatDuration,
  WhenLoaded,
  number,
  Page,
  Panel,
  percent,
  ProblemBox,
  ProgressBar,
  range,
  SubmitForm,
  Table,
  TextField,
  Time,
} from '../../ui/index.ts'
import { Expectation } from './expectation.tsx'
import { StateBadge, isUnderWay, isWaiting, progressOf, sentenceOf, spentOf } from './words.tsx'

type Props = { job: JobView; reload(): void }
const pathOf = ({ id }: JobView, what: string) => `jobs/${encodeURIComponent(id)}/${what}`

const Progress = ({ job: { rows, done, secondsLeft, rowsPerSecond } }: { job: JobView }) => (
  <p class="row">
    <ProgressBar done={done} total={rows} />
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
      {job.state === 'running' && <Button action={pausing}>Pause</Button>}
      <ConfirmButton label="Cancel the job" title="Cancel this job?" act={() => act('cancel')}>
        <p>No further row is looked up. What was found so far is written to the result, and stays paid.</p>
      </ConfirmButton>
      <ProblemBox problem={pausing.problem} />
    </>
  )
}

/** Goes on reading the file of a job that was paused before it had a price; nothing is sent for that. */
const Planning = ({ job, reload }: Props) => {
  const resuming = useAction(async () => {
    await post(pathOf(job, 'resume'), {})
    reload()
  })
  return (
    <Panel title="Go on with the job">
      <p>The file was not read to its end, so the job has no price yet. It asks before anything is sent.</p>
      <Button action={resuming}>Go on</Button>
      <ProblemBox problem={resuming.problem} />
    </Panel>
  )
}

/** Shows a job's price and asks for consent to spend up to a maximum. */
const Consent = ({ job, reload }: Props) => {
  const { quote, credits, state } = job
  const [most, setMost] = useState(String(credits.max ?? quote?.most ?? ''))
  const start = async () => {
    await post(pathOf(job, 'resume'), { maxCredits: Number(most) })
    reload()
  }
  return (
    <Panel title={state === 'ready' ? 'Start the job' : 'Go on with the job'}>
      {quote && (
        <p>
          The rows that can be looked up cost {range(quote)} credits if each is found
          {quote.expected === null ? '' : `; as the rows so far suggest, ${number(quote.expected)}`}. Nothing more is
          sent until you agree.
        </p>
      )}
      <SubmitForm submit={state === 'ready' ? 'Start' : 'Go on'} act={start}>
        {(problem) => (
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
        )}
      </SubmitForm>
    </Panel>
  )
}

const valuesOf = (input: Record<string, unknown>) =>
  Object.entries(input)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')

const Preview = ({ job }: { job: JobView }) => (
  <Panel title="The first rows">
    <WhenLoaded of={useApi<JobPreview>(pathOf(job, 'preview'))} what="the first rows">
      {({ map, rows, expected, combined }) => (
        <>
          {expected && <Expectation title="Expected" expectation={expected} />}
          {combined && <Expectation title="Expected with lookups at all providers" expectation={combined} />}
          <p class="muted">
            Looked up by:{' '}
            {Object.entries(map)
              .map(([field, column]) => `${field} from the column “${column}”`)
              .join(', ')}
            .
          </p>
          <Table
            caption="The first rows"
            rows={rows}
            keyOf={({ row }) => String(row)}
            columns={[
              { title: 'Row', number: true, cell: ({ row }) => number(row) },
              { title: 'Looked up by', cell: ({ input, problem: why }) => why ?? valuesOf(input) },
              { title: 'Credits', number: true, cell: ({ price }) => (price === null ? '–' : range(price)) },
            ]}
          />
        </>
      )}
    </WhenLoaded>
  </Panel>
)

const Outcome = ({ job }: { job: JobView }) => {
  const { matched, hitRate, skipped, suppressed, errors, connection, endedAt, result } = job
  const connections = useConnections(job.integration)
  return (
    <Panel title="Result">
      {result !== null && (
        <p>
          <a class="button primary" href={`${apiRoot}files/${encodeURIComponent(result)}`} download>
            Download the result
          </a>
        </p>
      )}
      <Facts
        facts={[
          ['State', <StateBadge state={job.state} />],
          [
            'Matches',
            hitRate === null ? number(matched) : `${number(matched)} (${percent(hitRate)} of the rows looked up)`,
          ],
          ['Without a match', number(job.noMatch)],
          ['Skipped', skipped > 0 && `${number(skipped)}, with nothing to look them up by`],
          ['Suppressed', suppressed > 0 && `${number(suppressed)}, who opted out`],
          ['Failed', errors > 0 && number(errors)],
          ['Credits', spentOf(job)],
          ['Integration', integrationTitle(job.integration)],
          ['Connection', <a href={pathTo('connections', connection)}>{connections.nameOf(connection)}</a>],
          ['Made', <Time at={job.createdAt} relative />],
          ['Ended', endedAt && <Time at={endedAt} relative />],
          ['Removed', <Time at={job.expiresAt} relative />],
        ]}
      />
      <details>
        <summary>Details</summary>
        <Facts
          facts={[
            ['Job', <CopiedId id={job.id} />],
            ['Connection', <CopiedId id={connection} />],
          ]}
        />
      </details>
    </Panel>
  )
}

const Job = () => {
  const loaded = useApi<JobView>(`jobs/${encodeURIComponent(useRoute().params['id'] ?? '')}`)
  const { data, reload } = loaded
  useReloads(loaded, isUnderWay)
  return (
    <Page title={data?.name ?? 'Job'} list="jobs" actions={data && <Actions job={data} reload={reload} />}>
      <WhenLoaded of={loaded} what="the job">
        {(job) => (
          <>
            <p>
              {sentenceOf(job)}. {progressOf(job)}
            </p>
            {isUnderWay(job) && <Progress job={job} />}
            {job.reason && <ProblemBox problem={problemOfFailure(job.reason)} connection={job.connection} />}
            {isWaiting(job) &&
              may('run') &&
              (job.quote === null ? (
                <Planning job={job} reload={reload} />
              ) : (
                <Consent key={job.state} job={job} reload={reload} />
              ))}
            <Outcome job={job} />
            {isWaiting(job) && may('run') && <Preview job={job} />}
          </>
        )}
      </WhenLoaded>
    </Page>
  )
}

export default Job
