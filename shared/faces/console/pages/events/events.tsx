import { useState } from 'preact/hooks'
import type { Event } from '../../../../api/resources/event.ts'
import type { Start } from '../../../../api/resources/start.ts'
import { pathTo, useConnections } from '../../api/index.ts'
import type { Change } from '../../api/index.ts'
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
  Time,
  useAddress,
  valuesOf,
} from '../../ui/index.ts'
import type { Column } from '../../ui/index.ts'
import { LiveBar } from './live-bar.tsx'
import { interleave } from './live-rows.ts'
import { OtherRow, useOtherEntries } from './other-entries.tsx'
import type { Other } from './other-entries.tsx'
import { useLiveList } from './use-live-list.ts'
import { Started, eventPath, viaWord } from './words.tsx'

const names = ['connection', 'type', 'state', 'subject', 'container', 'hook'] as const
type Row = Event | Other
const isOther = (row: Row): row is Other => 'time' in row && !('type' in row)

/** Two connections may receive the same event, so its id alone is not a key. */
const keyOf = ({ id, connection }: Pick<Event, 'id' | 'connection'>) => `${connection} ${id}`

/** The events after the stream's changes; a changed start also changes its event. */
const rowsOf = (changes: Change[], findRow: (key: string) => Event | undefined): Event[] => {
  const rows = new Map<string, Event>()
  const of = (key: string) => rows.get(key) ?? findRow(key)
  for (const { kind, row } of changes) {
    if (kind === 'event') {
      const event = row as unknown as Event
      const key = keyOf(event)
      rows.set(key, { ...event, starts: of(key)?.starts ?? [] })
    } else if (kind === 'start') {
      const { id, subscription, state, event, connection } = row as unknown as Start
      const key = keyOf({ id: event, connection })
      const changed = of(key)
      if (changed)
        rows.set(key, {
          ...changed,
          starts: [...(changed.starts ?? []).filter((start) => start.id !== id), { id, subscription, state }],
        })
    }
  }
  return [...rows.values()]
}

const columnsOf = (nameOf: (connection: string) => string): Column<Row>[] =>
  (
    [
      { id: 'time', title: 'Received', cell: ({ createdAt }) => <Time at={createdAt} /> },
      { id: 'main', title: 'Event', cell: (event) => <a href={eventPath(event)}>{event.type}</a> },
      { id: 'subject', title: 'Subject', cell: ({ subject }) => <code title={subject ?? ''}>{subject ?? '–'}</code> },
      { id: 'connection', title: 'Connection', cell: ({ connection }) => nameOf(connection) },
      {
        id: 'via',
        title: 'Via',
        cell: ({ via, causedByUs }) => (
          <>
            {viaWord[via]} {causedByUs === true && <Badge title="A run of ours caused it">ours</Badge>}
          </>
        ),
      },
      { id: 'started', title: 'Started', cell: (event) => <Started event={event} /> },
    ] satisfies Column<Event>[]
  ).map(({ cell, ...column }) => ({ ...column, cell: (row) => (isOther(row) ? null : cell(row)) }))

const Events = () => {
  const { query } = useAddress()
  const [isPaused, setPaused] = useState(false)
  const { choices, nameOf } = useConnections()
  const filter = chosen(query, names)
  const accepts = (event: Event) => names.every((name) => filter[name] === undefined || event[name] === filter[name])
  const list = useLiveList<Event>({ path: 'events', query: filter, keyOf, accepts, rowsOf }, isPaused)
  const { connection, hook, ...otherFilters } = filter
  const { otherEntries, problem } = useOtherEntries({
    connection,
    hook,
    hasUndecodable: Object.keys(otherFilters).length === 0,
    isPaused,
  })
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
      <Filters
        filters={[
          { name: 'connection', label: 'Connection', any: 'all', options: choices },
          { name: 'type', label: 'Type', suggest: valuesOf(list.items, 'type').sort() },
          {
            name: 'state',
            label: 'State',
            any: 'all',
            options: [
              ['matched', 'matched'],
              ['pending', 'matching'],
            ],
          },
          { name: 'subject', label: 'Subject (id)' },
          { name: 'container', label: 'Container (id)' },
          { name: 'hook', label: 'Hook (id)' },
        ]}
      />
      <LiveBar isPaused={isPaused} setPaused={setPaused} waiting={list.waiting} />
      {problem && !list.problem && <ProblemBox problem={problem} />}
      <List
        endless
        list={{ ...list, items }}
        what="Events"
        columns={columnsOf(nameOf)}
        keyOf={(row) => (isOther(row) ? row.id : keyOf(row))}
        wide={(row) => (isOther(row) ? <OtherRow other={row} nameOf={nameOf} /> : undefined)}
        empty={
          Object.keys(filter).length > 0 ? (
            <Empty title="No event matches the filters">
              <p>Remove a filter to see more. New matching events appear here at once.</p>
            </Empty>
          ) : (
            <Empty title="No events yet">
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
