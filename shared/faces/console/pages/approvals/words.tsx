/** What the states of held runs are called. */
import type { Approval } from '../../../../api/resources/approval.ts'
import type { RuleConditions, RuleDeciders } from '../../../../api/resources/approval-rule.ts'
import { integrationTitle, stepTitle } from '../../api/index.ts'
import { badgeOf, plural } from '../../ui/index.ts'
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

export const nameOf = ({ integration, step, kind }: Pick<Approval, 'integration' | 'step' | 'kind'>) =>
  kind === 'lookup' ? step : `${stepTitle(integration, step)} (${integrationTitle(integration)})`

export const creditsOf = ({ credits }: Pick<Approval, 'credits'>) => (credits === null ? undefined : `up to ${credits}`)

export const decidersOf = (by: RuleDeciders) =>
  by === 'approvers'
    ? 'everybody with the scope approvals'
    : by === 'caller'
      ? 'whoever made the call, and everybody with the scope approvals'
      : [...(by.people ?? []).map((id) => `person ${id}`), ...(by.tokens ?? []).map((id) => `token ${id}`)].join(', ')

type Effect = NonNullable<RuleConditions['effects']>[number]
export const effects: { value: Effect; label: string }[] = [
  { value: 'create', label: 'writes something new' },
  { value: 'update', label: 'changes something' },
  { value: 'delete', label: 'deletes something' },
  { value: 'read', label: 'looks something up for credits' },
]

const list = new Intl.ListFormat('en', { type: 'disjunction' })
const or = (names: string[]) => list.format(names)
const stepName = (name: string) => {
  const [integration = '', step = ''] = name.split('/')
  return `${stepTitle(integration, step)} (${integrationTitle(integration)})`
}

/** Each condition as it is said of a run. */
const saidOf: { [name in keyof RuleConditions]-?: (value: NonNullable<RuleConditions[name]>) => string } = {
  integrations: (ids) => `is of ${or(ids.map(integrationTitle))}`,
  steps: (names) => `is ${or(names.map(stepName))}`,
  toolSets: (ids) => `is in the tool set ${or(ids)}`,
  effects: (values) => or(values.map((value) => effects.find((effect) => effect.value === value)?.label ?? value)),
  creditsOver: (credits) => (credits === 0 ? 'costs credits' : `may cost more than ${plural(credits, 'credit')}`),
  objects: (ids) => `touches ${or(ids)}`,
  connections: (ids) => `uses the connection ${or(ids)}`,
  tokens: (ids) => `was called with the token ${or(ids)}`,
  people: (ids) => `is for the person ${or(ids)}`,
}

export const conditionsOf = (when: RuleConditions) => {
  const conditions = Object.entries(when).map(([name, value]) =>
    (saidOf[name as keyof RuleConditions] as (value: unknown) => string)(value),
  )
  return conditions.length === 0
    ? 'Everything that changes something or costs credits'
    : `What ${conditions.join(', and ')}`
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
