/** Titles of starts and events on these pages. */
import type { Event } from '../../../../api/resources/event.ts'
import type { Start } from '../../../../api/resources/start.ts'
import { pathTo } from '../../api/index.ts'
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

/** The number of starts of an event, by state. */
export const Started = ({ event }: { event: Pick<Event, 'state' | 'starts'> }) => {
  const counts = new Map<StartState, number>()
  for (const { state } of event.starts ?? []) counts.set(state, (counts.get(state) ?? 0) + 1)
  if (event.state === 'pending') return <Badge tone="info">matching</Badge>
  if (counts.size === 0) return <span class="muted">nothing</span>
  return (
    <>
      {[...counts].map(([state, count]) => (
        <Badge key={state} tone={words[state].tone} title={words[state].means}>
          {count > 1 && `${count} `}
          {words[state].title}
        </Badge>
      ))}
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
