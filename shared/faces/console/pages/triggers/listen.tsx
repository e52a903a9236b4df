/** Waits for the next start of a subscription and shows it. */
import { useEffect, useState } from 'preact/hooks'
import type { Start, StartDetail } from '../../../../api/resources/start.ts'
import type { Subscription } from '../../../../api/resources/subscription.ts'
import { listen, pathTo, server, streamState, triggerOf, useApi } from '../../api/index.ts'
import { Badge, Button, JsonView, OutsideLink, Panel, ProblemBox, Time } from '../../ui/index.ts'
import { StartBadge } from '../events/words.tsx'

const Received = ({ start }: { start: Start }) => {
  // Read again when the start's state changes, to include the agent's answers.
  const { data, problem, reload } = useApi<StartDetail>(`starts/${encodeURIComponent(start.id)}`, {})
  useEffect(reload, [start.state])
  return (
    <div class="tr-received">
      <p class="row">
        <a href={pathTo('starts', start.id)}>Start</a> <StartBadge state={start.state} />{' '}
        {start.test && <Badge tone="info">sample</Badge>}
        <Time at={start.createdAt} />
        {start.answer?.status != null && <span class="muted">The agent answered {start.answer.status}.</span>}
      </p>
      <ProblemBox problem={problem} retry={reload} />
      {data && <JsonView value={data.data} name="event" />}
    </div>
  )
}

/** `onStart`: called when something started, so that other parts of the page reload. */
export const Listen = ({
  subscription: { id, integration, trigger },
  onStart,
}: {
  subscription: Subscription
  onStart(): void
}) => {
  const [isOn, setOn] = useState(false)
  const [start, setStart] = useState<Start>()
  useEffect(() => {
    if (!isOn) return undefined
    return listen({
      changed(changes) {
        for (const { kind, row } of changes) {
          if (kind !== 'start' || row['subscription'] !== id) continue
          setStart(row as unknown as Start)
          onStart()
        }
      },
    })
  }, [isOn, id])
  const begin = () => {
    setStart(undefined)
    setOn(true)
  }
  const place = server.value?.sandbox?.places.find((candidate) => candidate.integration === integration)
  return (
    <Panel title="Test event" label="Test event">
      <p class="row">
        {isOn ? (
          <Button onClick={() => setOn(false)}>Stop listening</Button>
        ) : (
          <Button onClick={begin}>Listen for a test event</Button>
        )}
        <span role="status">
          {isOn && !start && (streamState.value === 'live' ? 'Listening. Waiting for the next start…' : 'Connecting…')}
        </span>
      </p>
      {isOn && !start && (
        <p>
          Now cause an event in another window. {triggerOf(integration, trigger)?.purpose}{' '}
          {place?.page !== undefined && (
            <>
              Open <OutsideLink href={place.page}>{place.title}</OutsideLink>.
            </>
          )}
        </p>
      )}
      {start && <Received key={start.id} start={start} />}
    </Panel>
  )
}
