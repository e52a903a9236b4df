import { useState } from 'preact/hooks'
import { useRoute } from 'preact-iso/router'
import type { ComponentChildren } from 'preact'
import type { EventDetail } from '../../../../api/resources/event.ts'
import { integrationTitle, may, pathTo, post, triggerTitle, useApi, useConnections } from '../../api/index.ts'
import { Badge, ConfirmButton, Facts, JsonView, WhenLoaded, Page, Panel, Time, useAddress } from '../../ui/index.ts'
import { Attempts } from './attempts.tsx'
import { FieldChanges } from './field-changes.tsx'
import { useChanges } from './use-changes.ts'
import { StartBadge, causedByUsWord } from './words.tsx'

const Stage = ({
  title,
  at,
  isOpen = false,
  children,
}: {
  title: string
  at?: string
  isOpen?: boolean
  children: ComponentChildren
}) => (
  <li class={isOpen ? 'open' : ''}>
    <h3>
      {title} {at !== undefined && <Time at={at} />}
    </h3>
    {children}
  </li>
)

const received = {
  webhook: 'The provider delivered it to our webhook.',
  poll: 'It was found by polling.',
  recovery: 'No delivery of it was received. It was found later in the account’s history.',
} satisfies Record<EventDetail['via'], string>

/** The stages of an event, from the provider to the agents. */
const Story = ({ event }: { event: EventDetail }) => (
  <ol class="timeline">
    <Stage title="Happened" at={event.at}>
      <p class="muted">By the clock of {integrationTitle(event.integration)}.</p>
    </Stage>
    <Stage title="Received" at={event.createdAt}>
      <p class="muted">{received[event.via]}</p>
    </Stage>
    <Stage title="Verified">
      <p class="muted">
        {event.via === 'webhook'
          ? 'The signature of the delivery is valid.'
          : 'It was read with the credentials of the connection.'}
      </p>
    </Stage>
    <Stage title={event.state === 'pending' ? 'Being matched' : 'Matched'} isOpen={event.state === 'pending'}>
      <p class="muted">
        {event.state === 'pending'
          ? 'Data that a trigger needs is still being fetched.'
          : event.starts.length === 0
            ? 'It started nothing: no trigger matches, or it happened before the triggers were attached or while they were paused.'
            : `It started ${event.starts.length === 1 ? 'one agent' : `${event.starts.length} agents`}.`}
        {event.causedByUs === true &&
          event.starts.length === 0 &&
          ' Our own changes start nothing unless a subscription sets “ownEvents”.'}
      </p>
    </Stage>
    {event.starts.map((start) => (
      <Stage key={start.id} title="Started" at={start.createdAt} isOpen={start.state !== 'done'}>
        <p class="row">
          <a href={pathTo('starts', start.id)}>{triggerTitle(start)}</a> <StartBadge state={start.state} />
          {start.test && <Badge tone="info">test</Badge>}
          {start.late && <Badge tone="warn">late</Badge>}
        </p>
        <Attempts start={start} />
      </Stage>
    ))}
  </ol>
)

const Details = ({ event, nameOf }: { event: EventDetail; nameOf(connection: string): string }) => (
  <Panel title="Details">
    <Facts
      facts={[
        ['Connection', <a href={pathTo('connections', event.connection)}>{nameOf(event.connection)}</a>],
        ['Subject', event.subject],
        ['Container', event.container],
        ['Hook', event.hook],
        ['Caused by us', causedByUsWord(event)],
        ['Our run', event.runId && <a href={pathTo('runs', event.runId)}>{event.runId}</a>],
        ['Earlier starts in the chain', event.depth > 0 && event.depth],
        ['Id', <code>{event.id}</code>],
      ]}
    />
  </Panel>
)

const Content = ({ event: { before, after, raw } }: { event: EventDetail }) => (
  <>
    <Panel title="What changed">
      {before !== null && after !== null ? (
        <FieldChanges before={before} after={after} />
      ) : (
        <p class="muted">
          {raw === null
            ? 'The payload was deleted after the retention period.'
            : 'The event does not say. The payload is all that was sent.'}
        </p>
      )}
    </Panel>
    <Panel title="Payload">
      <p class="muted">As the provider sent it. It is untrusted.</p>
      {raw === null ? <p>It was deleted after the retention period.</p> : <JsonView value={raw} name="payload" />}
    </Panel>
  </>
)

const Event = () => {
  const { params } = useRoute()
  const { query } = useAddress()
  const id = params['id']!
  const path = `events/${encodeURIComponent(id)}`
  const loaded = useApi<EventDetail>(path, { connection: query['connection'] })
  const { data, reload } = loaded
  const { nameOf } = useConnections()
  const [said, setSaid] = useState('')
  useChanges(({ kind, row }) => (kind === 'start' ? row['event'] === id : row.id === id), reload)
  const replay = async () => {
    const done = await post<{ replayed: number; started: number }>(`${path}/replay`, undefined, {
      query: { connection: data?.connection },
    })
    setSaid(`${done.replayed} replayed, ${done.started} new.`)
    reload()
  }
  return (
    <Page
      title={data?.type ?? 'Event'}
      actions={
        data &&
        may('subscriptions') && (
          <ConfirmButton label="Replay" title="Replay this event" danger={false} act={replay}>
            <p>
              Ended starts of this event are sent again under their own keys. Subscriptions without a start for it,
              including those attached later, are matched again.
            </p>
          </ConfirmButton>
        )
      }
    >
      <p role="status">{said}</p>
      <WhenLoaded of={loaded} what="the event">
        {(event) => (
          <>
            <div class="columns">
              <Panel title="Time line">
                <Story event={event} />
              </Panel>
              <Details event={event} nameOf={nameOf} />
            </div>
            <Content event={event} />
          </>
        )}
      </WhenLoaded>
    </Page>
  )
}

export default Event
