import { useRoute } from 'preact-iso/router'
import type { RunDetail } from '../../../../api/resources/run.ts'
import { may, post, stepOf, useApi, useReloads } from '../../api/index.ts'
import { ConfirmButton, WhenLoaded, Page, Panel, ProblemBox, ProgressBar } from '../../ui/index.ts'
import { About, Details } from './about.tsx'
import { Contents } from './contents.tsx'
import { TimeLine } from './time-line.tsx'
import { StateBadge, isUnderWay, otherwiseOf, problemOfRun, remedyOf, repeatAddress, stateWordsOf } from './words.tsx'

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
        <a class="button plain" href={repeatAddress(run)}>
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

const Run = () => {
  const loaded = useApi<RunDetail>(`runs/${encodeURIComponent(useRoute().params['id'] ?? '')}`)
  const { data, reload } = loaded
  useReloads(loaded, isUnderWay)
  return (
    <Page
      title={data ? (data.summary?.text ?? otherwiseOf(data)) : 'Run'}
      list="runs"
      actions={data && <Actions run={data} reload={reload} />}
    >
      <WhenLoaded of={loaded} what="the run">
        {(run) => (
          <>
            <p class="row">
              <StateBadge run={run} />
              <span>{stateWordsOf(run).means}</span>
            </p>
            <Progress run={run} />
            <Failed run={run} />
            <Panel>
              <About run={run} />
            </Panel>
            <Panel title="Requests">
              {isUnderWay(run) ? <p class="muted">They are shown when the run has ended.</p> : <TimeLine run={run} />}
            </Panel>
            {!isUnderWay(run) && <Contents run={run} />}
            <Details run={run} />
          </>
        )}
      </WhenLoaded>
    </Page>
  )
}

export default Run
