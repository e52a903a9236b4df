import { useState } from 'preact/hooks'
import type { Start } from '../../../../api/resources/start.ts'
import { may, pathTo, post, triggerTitle, useConnections } from '../../api/index.ts'
import type { Change } from '../../api/index.ts'
import {
  Button,
  ButtonLink,
  chosen,
  ConfirmButton,
  Empty,
  Filters,
  idOf,
  List,
  Page,
  Time,
  useAddress,
  valuesOf,
} from '../../ui/index.ts'
import type { Column } from '../../ui/index.ts'
import { LiveBar } from './live-bar.tsx'
import { ReplayDialog } from './replay.tsx'
import { useLiveList } from './use-live-list.ts'
import { StartBadge, isOver, stateChoices } from './words.tsx'

const names = ['state', 'subscription', 'connection', 'event'] as const
const rowsOf = (changes: Change[]) =>
  changes.flatMap(({ kind, row }) => (kind === 'start' ? [row as unknown as Start] : []))

const answered = ({ answer, attempts }: Start) =>
  answer === null
    ? '–'
    : `${answer.status ?? 'no answer'}${attempts > 1 ? `, attempt ${attempts}` : ''}${answer.message ? `: ${answer.message}` : ''}`

type Picking = { picked: ReadonlySet<string>; pick(id: string, isPicked: boolean): void }
const columnsOf = ({ picked, pick }: Picking, nameOf: (connection: string) => string): Column<Start>[] => [
  {
    id: 'pick',
    title: 'Select',
    silent: true,
    cell: (start) => (
      <input
        type="checkbox"
        aria-label={`Select the start of ${triggerTitle(start)} at ${start.createdAt}`}
        checked={picked.has(start.id)}
        disabled={!isOver(start)}
        onChange={(event) => pick(start.id, event.currentTarget.checked)}
      />
    ),
  },
  { id: 'time', title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { id: 'main', title: 'Trigger', cell: (start) => <a href={pathTo('starts', start.id)}>{triggerTitle(start)}</a> },
  { id: 'state', title: 'State', cell: ({ state }) => <StartBadge state={state} /> },
  { id: 'connection', title: 'Connection', cell: ({ connection }) => nameOf(connection) },
  { id: 'answer', title: 'Agent’s answer', cell: (start) => <span title={answered(start)}>{answered(start)}</span> },
]

/** Replays all dead or missed starts of one subscription. */
const ReplayAll = ({
  subscription,
  state,
  onSent,
}: {
  subscription: string
  state: 'dead' | 'missed'
  onSent(said: string): void
}) => {
  const act = async () => {
    const { replayed } = await post<{ replayed: number }>('starts/replay', { subscription, state })
    onSent(`${replayed} replayed.`)
  }
  return (
    <ConfirmButton
      label={`Replay all ${state === 'dead' ? 'dead letters' : 'missed starts'} of the subscription`}
      title="Replay all?"
      confirm="Replay all"
      danger={false}
      act={act}
    >
      <p>All of them, including those not shown here, are sent again under their own keys.</p>
    </ConfirmButton>
  )
}

const useSelection = () => {
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const pick = (id: string, isPicked: boolean) =>
    setPicked((before) => {
      const after = new Set(before)
      if (isPicked) after.add(id)
      else after.delete(id)
      return after
    })
  return { picked, pick, setPicked }
}

const emptyOf = (filter: { state?: string }) =>
  filter.state === 'dead' ? (
    <Empty title="No dead letters">
      <p>Every start was accepted by its agent, or is still being tried.</p>
    </Empty>
  ) : Object.keys(filter).length > 0 ? (
    <Empty title="No start matches the filters">
      <p>Remove a filter to see more.</p>
    </Empty>
  ) : (
    <Empty title="No starts yet">
      <p>An agent is started when an event matches one of your triggers.</p>
      <p>
        <ButtonLink to={['triggers']}>Attach a trigger</ButtonLink>
      </p>
    </Empty>
  )

const Starts = () => {
  const { query, change } = useAddress()
  const [isPaused, setPaused] = useState(false)
  const [replaying, setReplaying] = useState<string[]>()
  const [said, setSaid] = useState('')
  const selection = useSelection()
  const { choices, nameOf } = useConnections()
  const filter = chosen(query, names)
  const accepts = (start: Start) => names.every((name) => filter[name] === undefined || start[name] === filter[name])
  const list = useLiveList<Start>({ path: 'starts', query: filter, keyOf: idOf, accepts, rowsOf }, isPaused)
  // A start that was replayed meanwhile, by whomever, can no longer be selected.
  const picked = list.items.filter((start) => selection.picked.has(start.id) && isOver(start)).map(idOf)
  const { state, subscription } = filter
  return (
    <Page
      title="Starts"
      actions={
        <Button
          aria-pressed={state === 'dead'}
          onClick={() => change({ state: state === 'dead' ? undefined : 'dead' })}
        >
          Dead letters
        </Button>
      }
    >
      <Filters
        filters={[
          { name: 'state', label: 'State', any: 'all', options: stateChoices },
          { name: 'connection', label: 'Connection', any: 'all', options: choices },
          { name: 'subscription', label: 'Subscription (id)', suggest: valuesOf(list.items, 'subscription') },
          { name: 'event', label: 'Event (id)' },
        ]}
      />
      <LiveBar isPaused={isPaused} setPaused={setPaused} waiting={list.waiting} />
      {may('subscriptions') && list.items.length > 0 && (
        <p class="row">
          <Button
            onClick={() => selection.setPicked(new Set(picked.length > 0 ? [] : list.items.filter(isOver).map(idOf)))}
          >
            {picked.length > 0 ? 'Select none' : 'Select all that have ended'}
          </Button>
          {picked.length > 0 && (
            <Button kind="primary" onClick={() => setReplaying(picked)}>
              Replay {picked.length}
            </Button>
          )}
          {subscription !== undefined && (state === 'dead' || state === 'missed') && (
            <ReplayAll subscription={subscription} state={state} onSent={setSaid} />
          )}
          <span role="status">{said}</span>
        </p>
      )}
      <List endless list={list} what="Starts" columns={columnsOf(selection, nameOf)} empty={emptyOf(filter)} />
      {replaying && (
        <ReplayDialog
          ids={replaying}
          onClose={() => setReplaying(undefined)}
          onSent={(count) => {
            setSaid(`${count} replayed.`)
            selection.setPicked(new Set())
          }}
        />
      )}
    </Page>
  )
}

export default Starts
