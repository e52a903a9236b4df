/** What the states of held runs are called. */
import type { Approval } from '../../../../api/resources/approval.ts'
import type { RuleConditions, RuleDeciders } from '../../../../api/resources/approval-rule.ts'
import { integrationTitle, stepTitle } from '../../api/index.ts'
import { badgeOf } from '../../ui/index.ts'
import type { StateWords } from '../../ui/index.ts'

const states: Record<Approval['state'], StateWords> = {
  open: { title: 'Waits for a decision', tone: 'warn' },
  approved: { title: 'Approved', tone: 'info', means: 'It will be sent.' },
  sending: { title: 'Being sent', tone: 'info' },
  done: { title: 'Sent', tone: 'good' },
  denied: { title: 'Denied', tone: 'bad', means: 'Nothing was sent.' },
  expired: { title: 'Expired', tone: 'neutral', means: 'Nothing was sent.' },
}
export const StateBadge = badgeOf(states)

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

export const conditionsOf = (when: RuleConditions) => {
  const conditions = Object.entries(when).map(([name, value]) => `${name}: ${[value].flat().join(', ')}`)
  return conditions.length === 0 ? 'everything that changes or costs something' : conditions.join('; ')
}
