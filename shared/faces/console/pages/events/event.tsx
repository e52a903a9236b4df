import { useState } from 'preact/hooks'
import { useRoute } from 'preact-iso/router'
import type { ComponentChildren } from 'preact'
import type { EventDetail } from '../../../../api/resources/event.ts'
import { integrationTitle, may, pathTo, post, triggerTitle, useApi, useConnections } from '../../api/index.ts'
import {
  Badge,
  ConfirmButton,
  CopiedId,
  Facts,
  JsonView,
  OutsideLink,
  Page,
  Panel,
  Time,
  useAddress,
  WhenLoaded,
} from '../../ui/index.ts'
import { useSubscriptions } from '../triggers/use-subscriptions.ts'
import { Attempts } from './attempts.tsx'
import { factsOf } from './facts.ts'
import { FieldChanges } from './field-changes.tsx'
import { useChanges } from './use-changes.ts'
import { Why } from './why.tsx'
import { causedByUsWord, eventTitle, StartBadge, viaWord } from './words.tsx'

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
            ? 'It started nothing.'
            : `It started ${event.starts.length === 1 ? 'one agent' : `${event.starts.length} agents`}.`}
      </p>
    </Stage>
    {event.starts.map((start) => (
      <Stage key={start.id} title="Started" at={start.createdAt} isOpen={start.state !== 'done'}>
        <p class="row">
          <a href={pathTo('starts', start.id)}>{triggerTitle(start)}</a> <StartBadge state={start.state} />
          {start.test && <Badge tone="info">sample</Badge>}
          {start.late && <Badge tone="warn">late</Badge>}
        </p>
        <Attempts start={start} />
      </Stage>
    ))}
  </ol>
)

const Link = ({ part: { text, ref } }: { part: ReturnType<typeof factsOf>[number]['part'] }) =>
  ref?.url === undefined ? <>{text}</> : <OutsideLink href={ref.url}>{text}</OutsideLink>

/** Who, what and where, as the sentence names them; the names that were learned later where it names nothing. */
const About = ({ event, nameOf }: { event: EventDetail; nameOf(connection: string): string }) => {
  const named = factsOf(event.summary)
  const other: [string, string | null][] =
    named.length > 0
      ? []
      : [
          ['What', event.subjectName],
          ['Where', event.containerName],
        ]
  return (
    <Panel title="What happened">
      <Facts
        facts={[
          ...named.map(({ title, part }): [string, ComponentChildren] => [title, <Link key={title} part={part} />]),
          ...other,
          ['When', <Time key="at" at={event.at} />],
          [
            'Account',
            <a key="connection" href={pathTo('connections', event.connection)}>
              {nameOf(event.connection)}
            </a>,
          ],
          [
            'Caused by',
            event.causedByUs === true &&
              (event.runId === null ? (
                'a run of ours'
              ) : (
                <a key="run" href={pathTo('runs', event.runId)}>
                  a run of ours
                </a>
              )),
          ],
        ]}
      />
    </Panel>
  )
}

/** What the provider sent, and how it came here: for those who look into a problem. */
const Machinery = ({ event }: { event: EventDetail }) => {
  const { before, after, raw } = event
  return (
    <details class="details">
      <summary>Details</summary>
      <Facts
        facts={[
          ['Type', <code key="type">{event.type}</code>],
          ['Id', <CopiedId key="id" id={event.id} />],
          ['Received', viaWord[event.via]],
          ['Hook', event.hook && <CopiedId key="hook" id={event.hook} />],
          ['Subject', event.subject && <CopiedId key="subject" id={event.subject} />],
          ['Container', event.container && <CopiedId key="container" id={event.container} />],
          ['Caused by us', causedByUsWord(event)],
          ['Earlier starts in the chain', event.depth > 0 && event.depth],
        ]}
      />
      <h3>What changed</h3>
      {before !== null && after !== null ? (
        <FieldChanges before={before} after={after} />
      ) : (
        <p class="muted">
          {raw === null
            ? 'The payload was deleted after the retention period.'
            : 'The event does not say. The payload is all that was sent.'}
        </p>
      )}
      <h3>Payload</h3>
      <p class="muted">As the provider sent it. It is untrusted.</p>
      {raw === null ? <p>It was deleted after the retention period.</p> : <JsonView value={raw} name="payload" />}
    </details>
  )
}

const Event = () => {
  const { params } = useRoute()
  const { query } = useAddress()
  const id = params['id']!
  const path = `events/${encodeURIComponent(id)}`
  const loaded = useApi<EventDetail>(path, { connection: query['connection'] })
  const { data, reload } = loaded
  const { nameOf } = useConnections()
  const subscriptions = useSubscriptions({ connection: data?.connection }, data !== undefined)
  const reloadAll = () => {
    reload()
    subscriptions.reload()
  }
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
      title={data ? (data.summary?.text ?? eventTitle(data)) : 'Event'}
      list="events"
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
            <Why event={event} find={subscriptions.find} reload={reloadAll} />
            <div class="columns">
              <Panel title="Time line">
                <Story event={event} />
              </Panel>
              <About event={event} nameOf={nameOf} />
            </div>
            <Machinery event={event} />
          </>
        )}
      </WhenLoaded>
    </Page>
  )
}

export default Event
