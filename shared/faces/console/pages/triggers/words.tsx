/** Titles of subscriptions and hooks on these pages. */
import type { Hook } from '../../../../api/resources/hook.ts'
import type { Subscription } from '../../../../api/resources/subscription.ts'
import type { TriggerManifest } from '../../api/index.ts'
import { badgeOf } from '../../ui/index.ts'
import type { BadgeWords, StateWords } from '../../ui/index.ts'

type State = Subscription['state']
const words: Record<State, StateWords & { means: string }> = {
  pending: { title: 'being set up', tone: 'info', means: 'The provider has not confirmed it yet.' },
  active: { title: 'active', tone: 'good', means: 'Matching events start the agent.' },
  failing: {
    title: 'agent failing',
    tone: 'bad',
    means: 'The agent did not take the last start. The next one it takes makes this active again.',
  },
  paused: { title: 'paused', tone: 'warn', means: 'Events start nothing until it is resumed.' },
  paused_auth: {
    title: 'needs reconnect',
    tone: 'bad',
    means: 'Reconnect the account. Missed events are then recovered as far as the provider lists them.',
  },
  paused_model: {
    title: 'nothing to watch',
    tone: 'bad',
    means: 'What it watches was closed or deleted, or the account can no longer see it.',
  },
  paused_agent: {
    title: 'agent switched off',
    tone: 'bad',
    means: 'The agent failed for days. Starts wait until the subscription is resumed.',
  },
}
/** The states as the options of a select. */
export const stateChoices = Object.entries(words).map(([state, { title }]): [string, string] => [state, title])
export const meaningOf = (state: State) => words[state].means
/** Why a subscription is as it is, in words. The API's reason begins with what is watched, as `kind:id`. */
export const reasonOf = ({ state, stateReason }: Pick<Subscription, 'state' | 'stateReason'>) =>
  stateReason?.replace(/^[\w-]+:\S+: /, '') ?? meaningOf(state)
export const StateBadge = badgeOf(words)

export const HookBadge = badgeOf<Hook['state']>({
  wanted: { title: 'being registered', tone: 'info' },
  active: { title: 'registered', tone: 'good' },
  failing: { title: 'deliveries fail', tone: 'bad' },
  broken: { title: 'not registered', tone: 'bad' },
  deleting: { title: 'being removed', tone: 'neutral' },
  deleted: { title: 'removed', tone: 'neutral' },
})

/** What to know before attaching a trigger; an instant one that loses nothing has none. */
export const badgesOf = ({ instant, deprecated, recoverable, ...trigger }: TriggerManifest): BadgeWords[] => [
  ...(trigger.ready
    ? []
    : [{ text: 'Needs settings', tone: 'warn' as const, title: trigger.notReady ?? trigger.needs.join(', ') }]),
  ...(instant ? [] : [{ text: 'Polling', title: 'Polled at intervals' }]),
  ...(recoverable === 'none'
    ? [{ text: 'Not recovered', tone: 'warn' as const, title: 'Events while the server is down are lost' }]
    : []),
  ...(deprecated ? [{ text: 'Deprecated', tone: 'warn' as const, title: `Use ${deprecated.use} instead` }] : []),
]
