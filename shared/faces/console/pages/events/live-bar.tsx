/** Shows whether the list is current, and pauses it. */
import { streamState } from '../../api/index.ts'
import { Badge, Button } from '../../ui/index.ts'
import type { Tone } from '../../ui/index.ts'

const states: Record<typeof streamState.value, { word: string; tone: Tone }> = {
  idle: { word: 'Not live', tone: 'neutral' },
  connecting: { word: 'Connecting…', tone: 'info' },
  live: { word: 'Live', tone: 'good' },
  lost: { word: 'Not live: reconnecting…', tone: 'bad' },
}

export const LiveBar = ({
  isPaused,
  setPaused,
  waiting,
}: {
  isPaused: boolean
  setPaused(paused: boolean): void
  waiting: number
}) => {
  const { word, tone } = states[streamState.value]
  return (
    <p class="row live-bar">
      <span role="status">
        <Badge tone={isPaused ? 'warn' : tone}>{isPaused ? 'Paused' : word}</Badge>
      </span>
      <Button aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
        {isPaused ? 'Resume' : 'Pause'}
      </Button>
      {isPaused && waiting > 0 && <span class="muted">Waiting changes: {waiting}</span>}
    </p>
  )
}
