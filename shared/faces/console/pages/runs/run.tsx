import { useRoute } from 'preact-iso/router'
import { useEffect } from 'preact/hooks'
import type { Connection } from '../../../../api/resources/connection.ts'
import type { RunDetail } from '../../../../api/resources/run.ts'
import { post } from '../../api/client.ts'
import { pathTo } from '../../api/root.ts'
import { stepOf } from '../../api/server.ts'
import { may } from '../../api/session.ts'
import { useApi } from '../../api/use-api.ts'
import { CopyButton, Facts } from '../../ui/basics.tsx'
import { ConfirmButton } from '../../ui/dialog.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Page } from '../../ui/page.tsx'
import { Loading, ProblemBox } from '../../ui/states.tsx'
import { Time, formatDuration } from '../../ui/time.tsx'
import { TimeLine } from './time-line.tsx'
import { StateBadge, creditsOf, isUnderWay, problemOfRun, remedyOf, titleOfIntegration, titleOfStep } from './words.tsx'

const everyMs = 1_000
const effects = { read: 'Reads', create: 'Writes something new', update: 'Changes', delete: 'Deletes' }

const Progress = ({ run }: { run: RunDetail }) => {
  if (!run.progress) return null
  const { done, total } = run.progress
  return (
    <p class="row">
      {total === null ? (
        <progress aria-label="Progress" />
      ) : (
        <progress aria-label="Progress" value={done} max={total} />
      )}
      <span role="status">{total === null ? `${done} done` : `${done} of ${total} done`}</span>
    </p>
  )
}

const Failed = ({ run }: { run: RunDetail }) => {
  const problem = problemOfRun(run)
  if (!problem) return null
  const remedy = run.failure && remedyOf(run.failure)
  const said = run.failure?.['providerMessage']
  return (
    <section>
      <ProblemBox problem={problem} connection={run.connection ?? undefined} />
      {remedy && <p>{remedy}</p>}
      {typeof said === 'string' && said !== '' && (
        <p>
          The provider said: <q>{said}</q>
        </p>
      )}
    </section>
  )
}

const Actions = ({ run, reload }: { run: RunDetail; reload(): void }) => {
  const cancel = async () => {
    await post(`runs/${encodeURIComponent(run.id)}/cancel`)
    reload()
  }
  return (
    <>
      {stepOf(run.integration, run.step) && may('run') && (
        <a
          class="button plain"
          href={`${pathTo('steps', run.integration, run.step)}?run=${encodeURIComponent(run.id)}`}
        >
          Edit and run again
        </a>
      )}
      {run.state === 'running' && may('run') && (
        <ConfirmButton label="Cancel the run" title="Cancel this run?" confirm="Cancel the run" act={cancel}>
          <p>Requests that were already sent may still take effect.</p>
        </ConfirmButton>
      )}
    </>
  )
}

const About = ({ run }: { run: RunDetail }) => {
  const { connection, startId } = run
  const { data } = useApi<Connection>(connection === null ? undefined : `connections/${encodeURIComponent(connection)}`)
  return (
    <Facts
      facts={[
        ['Outcome', <StateBadge state={run.state} />],
        ['Integration', titleOfIntegration(run.integration)],
        ['Effect', effects[run.effect]],
        ['Began', <Time at={run.createdAt} />],
        [isUnderWay(run) ? 'Running for' : 'Took', formatDuration(run.durationMs)],
        ['Waited', run.waitedMs > 0 ? formatDuration(run.waitedMs) : undefined],
        [
          'Refused by the rate limit',
          run.refused > 0 ? `${run.refused} ${run.refused === 1 ? 'time' : 'times'}` : undefined,
        ],
        ['Credits', creditsOf(run)],
        [
          'Connection',
          connection === null ? undefined : <a href={pathTo('connections', connection)}>{data?.name ?? connection}</a>,
        ],
        [
          'Start',
          startId === null ? undefined : (
            <>
              <a href={pathTo('starts', startId)}>View the start</a>,{' '}
              <a href={`${pathTo('runs')}?startId=${encodeURIComponent(startId)}`}>runs of this start</a>
            </>
          ),
        ],
        ['Token', run.token],
        [
          'Run id',
          <>
            <code>{run.id}</code> <CopyButton text={run.id} />
          </>,
        ],
      ]}
    />
  )
}

const Run = () => {
  const id = useRoute().params['id'] ?? ''
  const { data: run, problem, reload } = useApi<RunDetail>(`runs/${encodeURIComponent(id)}`)
  useEffect(() => {
    if (!run || !isUnderWay(run)) return undefined
    const timer = setTimeout(reload, everyMs)
    return () => clearTimeout(timer)
  }, [run])
  return (
    <Page
      title={run ? `Run of ${titleOfStep(run.integration, run.step)}` : 'Run'}
      actions={run && <Actions run={run} reload={reload} />}
    >
      <p>
        <a href={pathTo('runs')}>All runs</a>
      </p>
      {problem && <ProblemBox problem={problem} retry={reload} />}
      {!run && !problem && <Loading what="the run" />}
      {run && (
        <>
          <Progress run={run} />
          <Failed run={run} />
          <section class="panel">
            <About run={run} />
          </section>
          <section class="panel">
            <h2>Attempts and waits</h2>
            {isUnderWay(run) ? <p class="muted">They are shown when the run has ended.</p> : <TimeLine run={run} />}
          </section>
          {run.output !== undefined && (
            <section class="panel">
              <h2>Output</h2>
              <JsonView name="output" value={run.output} />
            </section>
          )}
        </>
      )}
    </Page>
  )
}

export default Run
