/** The state of a run: running, waiting for confirmation, failed, or done with a result. */
import { useEffect, useState } from 'preact/hooks'
import type { StepSample } from '../../../../api/resources/step-sample.ts'
import { call, useAction } from '../../api/index.ts'
import type { Problem, ApiState, StepManifest } from '../../api/index.ts'
import { Button, Confirm, ConfirmButton, formatDuration, Panel, ProblemBox, ProgressBar, Time } from '../../ui/index.ts'
import type { Intent } from './intents.ts'
import { PreviewPanel, priceOf } from './preview.tsx'
import { ResultPanel } from './result.tsx'
import type { RunState, RunVerbs } from './use-run.ts'
import type { StepState } from './use-step.ts'

export const samplePath = ({ integration, step }: Pick<Intent, 'integration' | 'step'>) =>
  `steps/${encodeURIComponent(integration)}/${encodeURIComponent(step)}/sample`

const Elapsed = ({ since }: { since: number }) => {
  const [now, setNow] = useState(since)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return <>{formatDuration(Math.max(0, Math.round((now - since) / 1000) * 1000))}</>
}

const Running = ({
  state: { since, progress, isCancelling },
  cancel,
}: {
  state: RunState
  cancel(): Promise<void>
}) => (
  <Panel title="Running" label="Run">
    <p role="status">
      {isCancelling ? 'Cancelling. A request that was already sent may still take effect.' : 'The step is running.'}
    </p>
    {progress && (
      <p>
        <ProgressBar {...progress} /> {progress.done}
        {progress.total !== null && ` of ${progress.total}`}
      </p>
    )}
    <p class="row">
      <Button onClick={() => void cancel()} busy={isCancelling}>
        Cancel
      </Button>
      {since !== undefined && (
        <span class="muted">
          <Elapsed since={since} />
        </span>
      )}
    </p>
  </Panel>
)

const Asking = ({ step, state, run }: { step: StepManifest; state: RunState; run: RunVerbs }) => {
  const { pendingIntent, preview } = state
  if (!pendingIntent) return null
  const price = (preview && priceOf(preview)) ?? step.price
  return (
    <Confirm
      title={`Run ${step.title}?`}
      confirm="Run"
      danger={price === null}
      onClose={run.decline}
      act={async () => void run.run(pendingIntent)}
    >
      {price === null ? (
        <p>This deletes something at the provider, which may not be undone.</p>
      ) : (
        <p>This may cost credits of the account: {price}.</p>
      )}
      {preview?.requests.map(({ method, url }) => (
        <p key={method + url}>
          <code>
            {method} {url}
          </code>
        </p>
      ))}
    </Confirm>
  )
}

const isLost = ({ code }: Problem) => code === 'server_unreachable'

const Failed = ({
  problem,
  run,
  intent,
  isShownInForm,
}: {
  problem: Problem
  run: RunVerbs
  intent: Intent
  isShownInForm: boolean
}) => (
  <>
    {!isShownInForm && (
      <ProblemBox
        problem={problem}
        connection={intent.connection}
        retry={problem.retryable ? () => void run.run(intent) : undefined}
      />
    )}
    {isLost(problem) && (
      <p class="note">
        The run may have begun. “Try again” sends the same idempotency key, so a run that has begun is not repeated: you
        get its result.
      </p>
    )}
    {problem.mayHaveHappened && (
      <div class="note">
        <p>
          The request was sent, but no answer shows whether it took effect. It was not repeated, so that nothing is
          written or paid for twice. Check at the provider first; run it again only if it did not take effect.
        </p>
        <ConfirmButton
          label="Run again anyway"
          title="Run it again?"
          confirm="Run again"
          act={async () => void run.run(intent, true)}
        >
          <p>If the first request did take effect, this does it a second time.</p>
        </ConfirmButton>
      </div>
    )}
  </>
)

/** Shows that a sample of the step is saved, and offers to use or delete it. */
export const SampleNote = ({
  at,
  sample,
  use,
}: {
  at: string
  sample: ApiState<StepSample>
  use(sample: StepSample): void
}) => {
  const { data, problem, reload } = sample
  // Data read earlier stays visible during a reload.
  if (!data || problem?.status === 404) return null
  return (
    <p class="row note">
      <span>
        A sample of this step was saved <Time at={data.savedAt} relative />.
      </span>
      <Button onClick={() => use(data)}>Use the sample</Button>
      <ConfirmButton label="Delete" kind="quiet" title="Delete the sample?" act={() => call('DELETE', at).then(reload)}>
        <p>The saved input and output are deleted for everybody in this tenant.</p>
      </ConfirmButton>
    </p>
  )
}

type OutcomeProps = { step: StepManifest; state: StepState; sample: ApiState<StepSample> }

export const Outcome = ({ step, state: { run, form, intentOf }, sample }: OutcomeProps) => {
  const { state } = run
  const { phase, preview, result, problem } = state
  const saving = useAction(async ({ intent, output }: NonNullable<RunState['result']>) => {
    await call('PUT', samplePath(intent), { body: { input: intent.input, output: output ?? null } })
    sample.reload()
  })
  const pages = form.layout.fields.some(({ name }) => name === 'cursor')
  return (
    <div class="outcome">
      {phase === 'running' && <Running state={state} cancel={run.cancel} />}
      {phase === 'confirming' && <Asking step={step} state={state} run={run} />}
      {problem && (
        <Failed
          problem={problem}
          run={run}
          intent={state.failed ?? intentOf()}
          isShownInForm={problem.about === 'input' && form.errors.length > 0}
        />
      )}
      {preview && <PreviewPanel preview={preview} />}
      <ProblemBox problem={saving.problem} />
      {result && (
        <ResultPanel
          result={result}
          savedAt={result.savedAt}
          isSaving={saving.busy}
          save={result.savedAt === undefined ? () => void saving.run(result) : undefined}
          readNext={
            pages
              ? (cursor) =>
                  void run.ask({ ...result.intent, input: { ...result.intent.input, cursor }, values: undefined })
              : undefined
          }
        />
      )}
      <p role="status" class="hidden">
        {result && phase === 'idle' ? 'The result is shown.' : ''}
      </p>
    </div>
  )
}
