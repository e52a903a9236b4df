/** Titles of starts and events on these pages. */
import type { Event } from '../../../../api/resources/event.ts'
import type { Start } from '../../../../api/resources/start.ts'
import { pathTo, triggerOf } from '../../api/index.ts'
import { Badge, badgeOf } from '../../ui/index.ts'
import type { StateWords } from '../../ui/index.ts'

type StartState = Start['state']
const words: Record<StartState, StateWords & { means: string }> = {
  pending: { title: 'waiting', tone: 'info', means: 'The agent is called when it is due.' },
  leased: { title: 'calling', tone: 'info', means: 'The agent is being called.' },
  done: { title: 'done', tone: 'good', means: 'The agent has accepted it.' },
  dead: {
    title: 'dead letter',
    tone: 'bad',
    means: 'Given up after the last attempt. Replay it when the agent works again.',
  },
  merged: { title: 'merged', tone: 'neutral', means: 'Part of an earlier start of the same quiet period.' },
  paused: { title: 'paused', tone: 'warn', means: 'It waits until its subscription is resumed.' },
  missed: { title: 'missed', tone: 'warn', means: 'It was found too late to be sent. Replay it to send it now.' },
  cancelled: { title: 'cancelled', tone: 'neutral', means: 'Its subscription was deleted first.' },
}
/** The states as the options of a select. */
export const stateChoices = Object.entries(words).map(([state, { title }]): [string, string] => [state, title])
export const meaningOf = (state: StartState) => words[state].means
/** Whether a start has ended and can be replayed. */
export const isOver = ({ state }: Pick<Start, 'state'>) =>
  state === 'done' || state === 'dead' || state === 'missed' || state === 'cancelled'

export const StartBadge = badgeOf(words)

/** What happened, where nobody has a sentence for it: of a poll the trigger's title, else the provider's name of it. */
export const eventTitle = ({ integration, type }: Pick<Event, 'integration' | 'type'>) => {
  const trigger = triggerOf(integration, type)
  if (trigger) return trigger.title
  const words = type
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[-_.]+/g, ' ')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const maxStarted = 2

/** What an event started: the agents, and how each start does unless it was taken. `titleOf`: of a subscription's agent. */
export const Started = ({
  event: { state, starts = [] },
  titleOf,
}: {
  event: Pick<Event, 'state' | 'starts'>
  titleOf(subscription: string): string
}) => {
  if (state === 'pending') return <Badge tone="info">matching</Badge>
  if (starts.length === 0) return <span class="muted">nothing</span>
  return (
    <>
      {starts.slice(0, maxStarted).map((start) => (
        <span key={start.id} class="started">
          <a href={pathTo('starts', start.id)}>{titleOf(start.subscription)}</a>{' '}
          {start.state !== 'done' && <StartBadge state={start.state} />}
        </span>
      ))}
      {starts.length > maxStarted && <span class="muted">and {starts.length - maxStarted} more</span>}
    </>
  )
}

/** Two connections may receive the same event, so the path names the connection too. */
export const eventPath = ({ id, connection }: { id: string; connection: string }) =>
  `${pathTo('events', id)}?connection=${encodeURIComponent(connection)}`

/** Whether a run of ours caused an event, in a word. */
export const causedByUsWord = ({ causedByUs }: Pick<Event, 'causedByUs'>) =>
  causedByUs === 'unknown' ? 'not known' : causedByUs ? 'yes' : 'no'

export const viaWord = { webhook: 'webhook', poll: 'polled', recovery: 'recovered' } satisfies Record<
  Event['via'],
  string
>
