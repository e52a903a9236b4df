/** Titles of starts and events on these pages. */
import type { Event } from '../../../../api/resources/event.ts'
import type { Start } from '../../../../api/resources/start.ts'
import { pathTo } from '../../api/root.ts'
import { triggerOf } from '../../api/server.ts'
import { Badge } from '../../ui/basics.tsx'
import type { Tone } from '../../ui/basics.tsx'

type StartState = Start['state']
const words: Record<StartState, { word: string; tone: Tone; means: string }> = {
  pending: { word: 'waiting', tone: 'info', means: 'The agent is called when it is due.' },
  leased: { word: 'calling', tone: 'info', means: 'The agent is being called.' },
  done: { word: 'done', tone: 'good', means: 'The agent has accepted it.' },
  dead: {
    word: 'dead letter',
    tone: 'bad',
    means: 'Given up after the last attempt. Replay it when the agent works again.',
  },
  merged: { word: 'merged', tone: 'neutral', means: 'Part of an earlier start of the same quiet period.' },
  paused: { word: 'paused', tone: 'warn', means: 'It waits until its subscription is resumed.' },
  missed: { word: 'missed', tone: 'warn', means: 'It was found too late to be sent. Replay it to send it now.' },
  cancelled: { word: 'cancelled', tone: 'neutral', means: 'Its subscription was deleted first.' },
}
export const startStates = Object.keys(words) as StartState[]
export const wordOf = (state: StartState) => words[state].word
export const meaningOf = (state: StartState) => words[state].means
/** Whether a start has ended and can be replayed. */
export const isOver = ({ state }: Pick<Start, 'state'>) =>
  state === 'done' || state === 'dead' || state === 'missed' || state === 'cancelled'

export const StartBadge = ({ state, count }: { state: StartState; count?: number }) => (
  <Badge tone={words[state].tone} title={words[state].means}>
    {count === undefined || count === 1 ? words[state].word : `${count} ${words[state].word}`}
  </Badge>
)

/** The number of starts of an event, by state. */
export const Started = ({ event }: { event: Pick<Event, 'state' | 'starts'> }) => {
  const counts = new Map<StartState, number>()
  for (const { state } of event.starts ?? []) counts.set(state, (counts.get(state) ?? 0) + 1)
  if (event.state === 'pending') return <Badge tone="info">matching</Badge>
  if (counts.size === 0) return <span class="muted">nothing</span>
  return (
    <>
      {[...counts].map(([state, count]) => (
        <StartBadge key={state} state={state} count={count} />
      ))}
    </>
  )
}

/** Two connections may receive the same event, so the path names the connection too. */
export const eventPath = ({ id, connection }: { id: string; connection: string }) =>
  `${pathTo('events', id)}?connection=${encodeURIComponent(connection)}`

export const viaWord = { webhook: 'webhook', poll: 'polled', recovery: 'recovered' } satisfies Record<
  Event['via'],
  string
>
export const triggerTitle = ({ integration, trigger }: Pick<Start, 'integration' | 'trigger'>) =>
  triggerOf(integration, trigger)?.title ?? trigger
