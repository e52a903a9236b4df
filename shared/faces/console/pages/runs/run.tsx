import { useRoute } from 'preact-iso/router'
import type { Connection } from '../../../../api/resources/connection.ts'
import type { RunDetail } from '../../../../api/resources/run.ts'
import { integrationTitle, may, pathTo, post, stepOf, stepTitle, useApi, useReloads } from '../../api/index.ts'
import {
  ConfirmButton,
  CopiedId,
  Facts,
  formatDuration,
  JsonView,
  WhenLoaded,
  Page,
  Panel,
  plural,
  ProblemBox,
  ProgressBar,
  Time,
} from '../../ui/index.ts'
import { TimeLine } from './time-line.tsx'
import { StateBadge, creditsOf, isUnderWay, problemOfRun, remedyOf } from './words.tsx'

const effects = { read: 'Reads', create: 'Writes something new', update: 'Changes', delete: 'Deletes' }

const Progress = ({ run }: { run: RunDetail }) => {
  if (!run.progress) return null
  const { done, total } = run.progress
  return (
    <p class="row">
      <ProgressBar done={done} total={total} />
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
        <ConfirmButton label="Cancel the run" title="Cancel this run?" act={cancel}>
          <p>Requests that were already sent may still take effect.</p>
        </ConfirmButton>
      )}
    </>
  )
}

const About = ({ run }: { run: RunDetail }) => {
  const { connection, startId, waitedMs, refused } = run
  const { data } = useApi<Connection>(connection === null ? undefined : `connections/${encodeURIComponent(connection)}`)
  return (
    <Facts
      facts={[
        ['Outcome', <StateBadge state={run.state} />],
        ['Integration', integrationTitle(run.integration)],
        ['Effect', effects[run.effect]],
        ['Began', <Time at={run.createdAt} />],
        [isUnderWay(run) ? 'Running for' : 'Took', formatDuration(run.durationMs)],
        ['Waited', waitedMs > 0 && formatDuration(waitedMs)],
        ['Refused by the rate limit', refused > 0 && plural(refused, 'time')],
        ['Credits', creditsOf(run)],
        ['Connection', connection && <a href={pathTo('connections', connection)}>{data?.name ?? connection}</a>],
        [
          'Start',
          startId && (
            <>
              <a href={pathTo('starts', startId)}>View the start</a>,{' '}
              <a href={`${pathTo('runs')}?startId=${encodeURIComponent(startId)}`}>runs of this start</a>
            </>
          ),
        ],
        ['Person', run.person],
        ['Token', run.token],
        ['Run id', <CopiedId id={run.id} />],
      ]}
    />
  )
}

const Run = () => {
  const loaded = useApi<RunDetail>(`runs/${encodeURIComponent(useRoute().params['id'] ?? '')}`)
  const { data, reload } = loaded
  useReloads(loaded, isUnderWay)
  return (
    <Page
      title={data ? `Run of ${stepTitle(data.integration, data.step)}` : 'Run'}
      list="runs"
      actions={data && <Actions run={data} reload={reload} />}
    >
      <WhenLoaded of={loaded} what="the run">
        {(run) => (
          <>
            <Progress run={run} />
            <Failed run={run} />
            <Panel>
              <About run={run} />
            </Panel>
            <Panel title="Attempts and waits">
              {isUnderWay(run) ? <p class="muted">They are shown when the run has ended.</p> : <TimeLine run={run} />}
            </Panel>
            {run.output !== undefined && (
              <Panel title="Output">
                <JsonView name="output" value={run.output} />
              </Panel>
            )}
          </>
        )}
      </WhenLoaded>
    </Page>
  )
}

export default Run
