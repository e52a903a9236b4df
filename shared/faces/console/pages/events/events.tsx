import { useState } from 'preact/hooks'
import type { Event } from '../../../../api/resources/event.ts'
import type { Start } from '../../../../api/resources/start.ts'
import { pathTo } from '../../api/root.ts'
import type { Change } from '../../api/stream.ts'
import { useAddress } from '../../ui/address.ts'
import { Badge, Button } from '../../ui/basics.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Loading, ProblemBox } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { VirtualList } from '../../ui/virtual-list.tsx'
import type { VirtualColumn } from '../../ui/virtual-list.tsx'
import { Filters, chosen, useConnections } from './filters.tsx'
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

const columnsOf = (nameOf: (connection: string) => string): VirtualColumn<Row>[] =>
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
    ] satisfies { id: string; title: string; cell: (event: Event) => unknown }[]
  ).map(({ cell, ...column }) => ({ ...column, cell: (row) => (isOther(row) ? null : cell(row)) }))

const Nothing = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No event matches the filters">
      <p>Remove a filter to see more. New matching events appear here at once.</p>
    </Empty>
  ) : (
    <Empty title="No events yet">
      <p>Events arrive as soon as a trigger watches an account. Attach one, then change something there.</p>
      <p>
        <a class="button primary" href={pathTo('triggers')}>
          Attach a trigger
        </a>
      </p>
    </Empty>
  )

const Events = () => {
  const { query, change } = useAddress()
  const [isPaused, setPaused] = useState(false)
  const { items: connections, nameOf } = useConnections()
  const filter = chosen(query, names)
  const accepts = (event: Event) => names.every((name) => filter[name] === undefined || event[name] === filter[name])
  const list = useLiveList<Event>({ path: 'events', query: filter, keyOf, accepts, rowsOf }, isPaused)
  const hasUndecodable =
    filter.type === undefined &&
    filter.state === undefined &&
    filter.subject === undefined &&
    filter.container === undefined
  const { otherEntries, problem } = useOtherEntries({
    connection: filter.connection,
    hook: filter.hook,
    hasUndecodable,
    isPaused,
  })
  const rows: Row[] = interleave(list.rows, otherEntries, ({ time }) => time, list.hasMore)
  const types = [...new Set(list.rows.slice(0, 500).map(({ type }) => type))].sort()
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
        query={query}
        change={change}
        filters={[
          { name: 'connection', title: 'Connection', any: 'all', options: connections },
          { name: 'type', title: 'Type', suggest: types },
          {
            name: 'state',
            title: 'State',
            any: 'all',
            options: [
              { id: 'matched', title: 'matched' },
              { id: 'pending', title: 'matching' },
            ],
          },
          { name: 'subject', title: 'Subject (id)' },
          { name: 'container', title: 'Container (id)' },
          { name: 'hook', title: 'Hook (id)' },
        ]}
      />
      <LiveBar isPaused={isPaused} setPaused={setPaused} waiting={list.waiting} />
      {list.problem && <ProblemBox problem={list.problem} retry={list.reload} />}
      {problem && !list.problem && <ProblemBox problem={problem} />}
      {rows.length > 0 && (
        <VirtualList
          label="Events"
          things="events"
          columns={columnsOf(nameOf)}
          rows={rows}
          keyOf={(row) => (isOther(row) ? row.id : keyOf(row))}
          wide={(row) => (isOther(row) ? <OtherRow other={row} nameOf={nameOf} /> : undefined)}
          hasMore={list.hasMore}
          onEnd={list.loadMore}
        />
      )}
      {list.loading && <Loading what="events" />}
      {!list.loading && !list.problem && rows.length === 0 && <Nothing isFiltered={Object.keys(filter).length > 0} />}
      {list.isCut && (
        <p>
          Older events are no longer shown. <Button onClick={list.reload}>Refresh</Button>
        </p>
      )}
    </Page>
  )
}

export default Events
