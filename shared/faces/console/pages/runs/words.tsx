/** Titles of runs and their failures. */
import type { Run, RunDetail } from '../../../../api/resources/run.ts'
import { pathTo, problemOfFailure, stepTitle } from '../../api/index.ts'
import type { Problem } from '../../api/index.ts'
import { Badge, formatDuration } from '../../ui/index.ts'
import type { StateWords } from '../../ui/index.ts'

type State = Run['state']
export const states: Record<State, StateWords> = {
  planned: { title: 'Planned', tone: 'neutral', means: 'It has not begun yet.' },
  running: { title: 'Running', tone: 'info', means: 'It has not ended yet.' },
  sending: { title: 'Running', tone: 'info', means: 'A request is on its way to the provider.' },
  done: { title: 'Done', tone: 'good', means: 'It did what the step is for.' },
  failed: { title: 'Failed', tone: 'bad', means: 'It ended without a result.' },
  unknown: {
    title: 'Outcome unknown',
    tone: 'warn',
    means: 'A request was sent and no answer came: it may have taken effect. It was not sent again.',
  },
  not_sent: { title: 'Not sent', tone: 'neutral', means: 'It ended before anything was sent to the provider.' },
}
export const isUnderWay = ({ state }: Pick<Run, 'state'>) =>
  state === 'planned' || state === 'running' || state === 'sending'

type FailureWords = StateWords & { said: string }
/** Failures that are called otherwise than "Failed". */
const failureWords: Record<string, FailureWords> = {
  approval_pending: {
    title: 'Held',
    tone: 'warn',
    means: 'A rule held it for a decision. Nothing was sent.',
    said: 'was held for a decision',
  },
}
type Ended = Pick<Run, 'state' | 'code'>
const failureWordsOf = ({ state, code }: Ended) => (state === 'failed' && code != null ? failureWords[code] : undefined)

export const stateWordsOf = (run: Ended): StateWords => failureWordsOf(run) ?? states[run.state]

export const StateBadge = ({ run }: { run: Ended }) => {
  const { title, tone, means } = stateWordsOf(run)
  return (
    <Badge tone={tone} title={means}>
      {title}
    </Badge>
  )
}

/** What to say of a run for which the integration has no words. */
export const otherwiseOf = (run: Ended & Pick<Run, 'integration' | 'step'>): string => {
  const { integration, step, state } = run
  const title = stepTitle(integration, step)
  if (state === 'done') return `Ran ${title}`
  if (state === 'failed') return `${title} ${failureWordsOf(run)?.said ?? 'failed'}`
  if (state === 'unknown') return `${title}: nobody knows whether it took effect`
  if (state === 'not_sent') return `${title} was not sent`
  return `${title} is running`
}

export const creditsOf = ({ credits, creditsEstimated }: Pick<Run, 'credits' | 'creditsEstimated'>) =>
  credits === 0 ? undefined : `${credits}${creditsEstimated ? ' (estimated)' : ''}`

const changeInput = 'Change the input, then run it again.'
const report = 'Report it to your operator with the id of this run, which is under “Details”.'
/** The remedy for failures whose message need not include one. */
const remedies: Record<string, string | ((wait: string) => string)> = {
  invalid_input: changeInput,
  rejected: changeInput,
  too_large: changeInput,
  not_found: 'Check that it exists and that the connected account can see it, then run it again.',
  conflict: 'Check what already exists before you run it again.',
  cancelled: 'Run it again if you still need it.',
  not_connected: 'Reconnect the account, then run it again.',
  access_denied: 'Ask the owner of the account for access at the provider, or choose another connection.',
  credits_exhausted: 'Buy credits at the provider, or choose another connection.',
  approval_pending: 'Wait for the decision, then run it again with the same input to learn the outcome.',
  approval_denied: 'Ask whoever denied it before you run it again.',
  approval_expired: 'Run it again to ask for a new decision.',
  budget_exceeded: 'Ask your operator for a larger budget.',
  wire_unset: 'Ask your operator to set the missing value in the wire override.',
  bad_reply: report,
  internal: report,
  unavailable: 'Run it again in a moment.',
  rate_limited: (wait) => `Run it again${wait}.`,
}

const waitOf = (ms: unknown) => (typeof ms === 'number' && ms > 0 ? ` in ${formatDuration(ms)}` : '')

export const remedyOf = ({ code, retryAfterMs }: NonNullable<RunDetail['failure']>): string | undefined => {
  const remedy = remedies[code]
  return typeof remedy === 'function' ? remedy(waitOf(retryAfterMs)) : remedy
}

/** A stored failure in the form in which the API would have answered it. */
export const problemOfRun = ({ failure }: Pick<RunDetail, 'failure'>): Problem | undefined => {
  if (!failure) return undefined
  const problem = problemOfFailure(failure)
  // An error with the same text as the failure would be shown twice.
  return { ...problem, errors: problem.errors?.filter(({ message }) => message !== failure.message) ?? [] }
}

/** Opens the run's step with the input of the run. */
export const repeatAddress = ({ id, integration, step }: Pick<Run, 'id' | 'integration' | 'step'>) =>
  `${pathTo('steps', integration, step)}?run=${encodeURIComponent(id)}`
