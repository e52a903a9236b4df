/** Titles of subscriptions and hooks on these pages. */
import type { Hook } from '../../../../api/resources/hook.ts'
import type { Subscription } from '../../../../api/resources/subscription.ts'
import type { TriggerManifest } from '../../api/server.ts'
import { Badge } from '../../ui/basics.tsx'
import type { Tone } from '../../ui/basics.tsx'
import type { PickBadge } from '../picker/picker.tsx'

type State = Subscription['state']
const words: Record<State, { word: string; tone: Tone; means: string }> = {
  pending: { word: 'being set up', tone: 'info', means: 'The provider has not confirmed it yet.' },
  active: { word: 'active', tone: 'good', means: 'Matching events start the agent.' },
  failing: {
    word: 'agent failing',
    tone: 'bad',
    means: 'The agent did not take the last start. The next one it takes makes this active again.',
  },
  paused: { word: 'paused', tone: 'warn', means: 'Events start nothing until it is resumed.' },
  paused_auth: {
    word: 'needs reconnect',
    tone: 'bad',
    means: 'Reconnect the account. Missed events are then recovered as far as the provider lists them.',
  },
  paused_model: {
    word: 'nothing to watch',
    tone: 'bad',
    means: 'What it watches was closed or deleted, or the account can no longer see it.',
  },
  paused_agent: {
    word: 'agent switched off',
    tone: 'bad',
    means: 'The agent failed for days. Starts wait until the subscription is resumed.',
  },
}
export const states = Object.keys(words) as State[]
export const wordOf = (state: State) => words[state].word
export const meaningOf = (state: State) => words[state].means
export const StateBadge = ({ state }: { state: State }) => (
  <Badge tone={words[state].tone} title={words[state].means}>
    {words[state].word}
  </Badge>
)

const hookTones: Record<Hook['state'], Tone> = {
  wanted: 'info',
  active: 'good',
  failing: 'bad',
  broken: 'bad',
  deleting: 'neutral',
  deleted: 'neutral',
}
const hookWords: Record<Hook['state'], string> = {
  wanted: 'being registered',
  active: 'registered',
  failing: 'deliveries fail',
  broken: 'not registered',
  deleting: 'being removed',
  deleted: 'removed',
}
export const HookBadge = ({ state }: { state: Hook['state'] }) => (
  <Badge tone={hookTones[state]}>{hookWords[state]}</Badge>
)

/** Badges of a trigger in a list, from its manifest. */
export const badgesOf = ({ instant, badges, deprecated, recoverable }: TriggerManifest): PickBadge[] => [
  instant ? { text: 'Instant', tone: 'good' } : { text: 'Polling', title: 'Polled at intervals' },
  ...(recoverable === 'none'
    ? [{ text: 'Not recovered', tone: 'warn' as const, title: 'Events while the server is down are lost' }]
    : []),
  ...(deprecated ? [{ text: 'Deprecated', tone: 'warn' as const, title: `Use ${deprecated.use} instead` }] : []),
  ...(badges.includes('beta')
    ? [{ text: 'Beta', title: 'Parts of it are assumptions, not yet confirmed with the provider' }]
    : []),
]
