/** What held runs and their rules are called. */
import type { Approval } from '../../../../api/resources/approval.ts'
import { integrationTitle, stepTitle } from '../../api/index.ts'
import { badgeOf, number, plural } from '../../ui/index.ts'
import type { StateWords } from '../../ui/index.ts'

const states: Record<Approval['state'] | 'failed' | 'unknown', StateWords> = {
  open: { title: 'Waits for a decision', tone: 'warn' },
  approved: { title: 'Approved', tone: 'info', means: 'It will be sent.' },
  sending: { title: 'Being sent', tone: 'info' },
  done: { title: 'Sent', tone: 'good' },
  failed: { title: 'Failed', tone: 'bad', means: 'It was approved, and then failed.' },
  unknown: { title: 'Outcome unknown', tone: 'warn', means: 'It may have been carried out.' },
  denied: { title: 'Denied', tone: 'bad', means: 'Nothing was sent.' },
  expired: { title: 'Expired', tone: 'neutral', means: 'Nothing was sent.' },
}
const Badge = badgeOf(states)

const endOf = ({ state, code, mayHaveHappened }: Pick<Approval, 'state' | 'code' | 'mayHaveHappened'>) => {
  if (state !== 'done' || code === null) return state
  return mayHaveHappened ? 'unknown' : 'failed'
}

export const StateBadge = ({ approval }: { approval: Pick<Approval, 'state' | 'code' | 'mayHaveHappened'> }) => (
  <Badge state={endOf(approval)} />
)

export const isUnderWay = ({ state }: Pick<Approval, 'state'>) => state === 'approved' || state === 'sending'

/** What is said of a held run whose sentence is not known. */
export const nameOf = ({ integration, step, kind }: Pick<Approval, 'integration' | 'step' | 'kind'>) =>
  kind === 'lookup' ? step : `${stepTitle(integration, step)} (${integrationTitle(integration)})`

/** What it costs, as a sentence. */
export const costOf = ({ price, credits, version }: Pick<Approval, 'price' | 'credits' | 'version'>): string => {
  if (version === 0) return ''
  if (price === 'free') return 'It costs nothing.'
  if (price === 'unknown' || credits === null) return 'Nobody knows what it costs, and nothing limits it.'
  return `It may cost up to ${number(credits)} ${credits === 1 ? 'credit' : 'credits'}.`
}

const units: [noun: string, minutes: number][] = [
  ['day', 1440],
  ['hour', 60],
  ['minute', 1],
]
export const waitOf = (minutes: number) => {
  const [noun, length] = units.find(([, unit]) => minutes % unit === 0)!
  return plural(minutes / length, noun)
}
