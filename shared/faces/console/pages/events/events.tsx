import { useRef, useState } from 'preact/hooks'
import type { Event } from '../../../../api/resources/event.ts'
import type { Subscription } from '../../../../api/resources/subscription.ts'
import { findNames, pathTo, useConnections } from '../../api/index.ts'
import {
  Badge,
  Button,
  ButtonLink,
  chosen,
  Empty,
  Filters,
  List,
  Page,
  ProblemBox,
  Sentence,
  Time,
  useAddress,
} from '../../ui/index.ts'
import type { Column, Named } from '../../ui/index.ts'
import { agentTitle, nameOfAgent } from '../agents/words.tsx'
import { useSubscriptions } from '../triggers/use-subscriptions.ts'
import { createRecent, keyOf, rowsOf } from './event-rows.ts'
import { LiveBar } from './live-bar.tsx'
import { interleave } from './live-rows.ts'
import { OtherRow, useOtherEntries } from './other-entries.tsx'
import type { Other } from './other-entries.tsx'
import { useLiveList } from './use-live-list.ts'
import { Started, eventPath, eventTitle } from './words.tsx'

/** `type`, `subject`, `container` and `hook` have no field: links lead to lists with them. */
const shown = ['connection', 'about', 'trigger', 'agent', 'state'] as const
const linked = ['type', 'subject', 'container', 'hook'] as const
const names = [...shown, ...linked]
type Row = Event | Other
const isOther = (row: Row): row is Other => 'time' in row && !('type' in row)

const columnsOf = (nameOf: (connection: string) => string, titleOf: (subscription: string) => string): Column<Row>[] =>
  (
    [
      { id: 'time', title: 'Received', cell: ({ createdAt }) => <Time at={createdAt} /> },
      {
        id: 'main',
        title: 'Event',
        cell: (event) => (
          <a href={eventPath(event)}>
            <Sentence of={event.summary} otherwise={eventTitle(event)} />
          </a>
        ),
      },
      { id: 'connection', title: 'Connection', cell: ({ connection }) => nameOf(connection) },
      {
        id: 'started',
        title: 'Started',
        cell: (event) => (
          <>
            <Started event={event} titleOf={titleOf} />{' '}
            {event.causedByUs === true && <Badge title="A run of ours caused it">ours</Badge>}
          </>
        ),
      },
    ] satisfies Column<Event>[]
  ).map(({ cell, ...column }) => ({ ...column, cell: (row) => (isOther(row) ? null : cell(row)) }))

type Filter = { [name in (typeof names)[number]]?: string }

/** Whether an event is one of those asked for; what it started is in its row, by subscription. */
const createAccepts =
  ({ about, trigger, agent, ...same }: Filter, find: (id: string) => Subscription | undefined) =>
  (event: Event) => {
    if (about !== undefined && event.subject !== about && event.container !== about) return false
    if (Object.entries(same).some(([name, value]) => event[name] !== value)) return false
    if (trigger === undefined && agent === undefined) return true
    return (event.starts ?? []).some((start) => {
      const subscription = find(start.subscription)
      return (
        subscription !== undefined &&
        (trigger === undefined || subscription.trigger === trigger) &&
        (agent === undefined || nameOfAgent(subscription.agent) === agent)
      )
    })
  }

const EventFilters = ({
  filter,
  events,
  connections: { choices, items },
  subscriptions,
}: {
  filter: Filter
  events: Event[]
  connections: Pick<ReturnType<typeof useConnections>, 'choices' | 'items'>
  subscriptions: ReturnType<typeof useSubscriptions>
}) => {
  const about = events.find(({ subject, container }) => subject === filter.about || container === filter.about)
  const find = async (text: string) =>
    (await findNames(text, filter.connection, items)).map(({ id, name }): Named => [id, name])
  return (
    <Filters
      also={[...linked]}
      filters={[
        { name: 'connection', label: 'Connection', any: 'all', options: choices },
        {
          name: 'about',
          label: 'About',
          find,
          title: (about?.subject === filter.about ? about?.subjectName : about?.containerName) ?? filter.about ?? '',
        },
        { name: 'trigger', label: 'Started by trigger', any: 'all', options: subscriptions.triggers },
        { name: 'agent', label: 'Started agent', any: 'all', options: subscriptions.agents },
        {
          name: 'state',
          label: 'State',
          any: 'all',
          options: [
            ['matched', 'matched'],
            ['pending', 'matching'],
          ],
        },
      ]}
    />
  )
}

const Events = () => {
  const { query } = useAddress()
  const [isPaused, setPaused] = useState(false)
  const connections = useConnections()
  const { nameOf } = connections
  const subscriptions = useSubscriptions()
  const filter = chosen(query, names)
  const accepts = createAccepts(filter, subscriptions.find)
  const recent = useRef(createRecent())
  const list = useLiveList<Event>(
    {
      path: 'events',
      query: filter,
      keyOf,
      accepts,
      rowsOf: (changes, findRow) => rowsOf(changes, findRow, recent.current),
    },
    isPaused,
  )
  const { connection, hook, ...otherFilters } = filter
  const { otherEntries, problem } = useOtherEntries({
    connection,
    hook,
    hasUndecodable: Object.keys(otherFilters).length === 0,
    isPaused,
  })
  const titleOf = (id: string) => {
    const subscription = subscriptions.find(id)
    return subscription ? agentTitle(subscription.agent) : 'an agent'
  }
  const items: Row[] = interleave(list.items, otherEntries, ({ time }) => time, list.hasMore)
  return (
    <Page
      title="Events"
      actions={
        <a class="button plain" href={pathTo('events', 'paste')}>
          Paste a delivery
        </a>
      }
    >
      <EventFilters filter={filter} events={list.items} connections={connections} subscriptions={subscriptions} />
      <LiveBar isPaused={isPaused} setPaused={setPaused} waiting={list.waiting} />
      {problem && !list.problem && <ProblemBox problem={problem} />}
      <List
        endless
        list={{ ...list, items }}
        what="Events"
        columns={columnsOf(nameOf, titleOf)}
        keyOf={(row) => (isOther(row) ? row.id : keyOf(row))}
        wide={(row) => (isOther(row) ? <OtherRow other={row} nameOf={nameOf} /> : undefined)}
        empty={
          Object.keys(filter).length > 0 ? (
            <Empty picture="search" title="No event matches the filters">
              <p>Remove a filter to see more. New matching events appear here at once.</p>
            </Empty>
          ) : (
            <Empty picture="flow" title="No events yet">
              <p>Events arrive as soon as a trigger watches an account. Attach one, then change something there.</p>
              <p>
                <ButtonLink to={['triggers']}>Attach a trigger</ButtonLink>
              </p>
            </Empty>
          )
        }
      />
      {list.isCut && (
        <p>
          Older events are no longer shown. <Button onClick={list.reload}>Refresh</Button>
        </p>
      )}
    </Page>
  )
}

export default Events
