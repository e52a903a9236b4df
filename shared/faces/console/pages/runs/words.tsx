/** Titles of runs and their failures. */
import type { Run, RunDetail } from '../../../../api/resources/run.ts'
import { problemOfFailure } from '../../api/index.ts'
import type { Problem } from '../../api/index.ts'
import { badgeOf, formatDuration } from '../../ui/index.ts'
import type { StateWords } from '../../ui/index.ts'

type State = Run['state']
export const states: Record<State, StateWords> = {
  planned: { title: 'Planned', tone: 'neutral' },
  running: { title: 'Running', tone: 'info' },
  sending: { title: 'Running', tone: 'info' },
  done: { title: 'Done', tone: 'good' },
  failed: { title: 'Failed', tone: 'bad' },
  unknown: { title: 'Outcome unknown', tone: 'warn' },
  not_sent: { title: 'Not sent', tone: 'neutral' },
}
export const isUnderWay = ({ state }: Pick<Run, 'state'>) =>
  state === 'planned' || state === 'running' || state === 'sending'

export const StateBadge = badgeOf(states)

export const creditsOf = ({ credits, creditsEstimated }: Pick<Run, 'credits' | 'creditsEstimated'>) =>
  credits === 0 ? undefined : `${credits}${creditsEstimated ? ' (estimated)' : ''}`

const changeInput = 'Change the input, then run it again.'
const report = 'Report it to your operator with the id of this run.'
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
