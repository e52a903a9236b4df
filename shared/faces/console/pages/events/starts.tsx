import { useState } from 'preact/hooks'
import type { Start } from '../../../../api/resources/start.ts'
import type { Subscription } from '../../../../api/resources/subscription.ts'
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
  personFilter,
  Sentence,
  Time,
  useAddress,
} from '../../ui/index.ts'
import type { Column } from '../../ui/index.ts'
import { AgentLink, nameOfAgent } from '../agents/words.tsx'
import { useSubscriptions } from '../triggers/use-subscriptions.ts'
import { LiveBar } from './live-bar.tsx'
import { ReplayDialog } from './replay.tsx'
import { useLiveList } from './use-live-list.ts'
import { StartBadge, isOver, stateChoices } from './words.tsx'

/** `event` has no field: links lead to lists with it. */
const names = ['state', 'agent', 'trigger', 'subscription', 'connection', 'person', 'event'] as const
const rowsOf = (changes: Change[]) =>
  changes.flatMap(({ kind, row }) => (kind === 'start' ? [row as unknown as Start] : []))

const answered = ({ answer, attempts }: Start) =>
  answer === null
    ? '–'
    : `${answer.status ?? 'no answer'}${attempts > 1 ? `, attempt ${attempts}` : ''}${answer.message ? `: ${answer.message}` : ''}`

type Picking = { picked: ReadonlySet<string>; pick(id: string, isPicked: boolean): void }
type Find = (id: string) => Subscription | undefined

const titleOf = (start: Start) => start.summary?.text ?? triggerTitle(start)

const columnsOf = ({ picked, pick }: Picking, find: Find): Column<Start>[] => [
  {
    id: 'pick',
    title: 'Select',
    silent: true,
    cell: (start) => (
      <input
        type="checkbox"
        aria-label={`Select the start “${titleOf(start)}” at ${start.createdAt}`}
        checked={picked.has(start.id)}
        disabled={!isOver(start)}
        onChange={(event) => pick(start.id, event.currentTarget.checked)}
      />
    ),
  },
  { id: 'time', title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    id: 'main',
    title: 'What happened',
    cell: (start) => (
      <a href={pathTo('starts', start.id)}>
        <Sentence of={start.summary} otherwise={triggerTitle(start)} />
      </a>
    ),
  },
  {
    id: 'agent',
    title: 'Agent',
    cell: ({ subscription }) => {
      const attached = find(subscription)
      return attached ? <AgentLink agent={attached.agent} /> : '–'
    },
  },
  { id: 'state', title: 'State', cell: ({ state }) => <StartBadge state={state} /> },
  { id: 'answer', title: 'Agent’s answer', cell: (start) => <span title={answered(start)}>{answered(start)}</span> },
]

/** Whether a start is one of those asked for, by what is known of its subscription. */
const createAccepts =
  ({ agent, person, ...same }: { [name in (typeof names)[number]]?: string }, find: Find) =>
  (start: Start) => {
    if (Object.entries(same).some(([name, value]) => start[name as keyof Start] !== value)) return false
    const attached = find(start.subscription)
    return (
      (agent === undefined || (attached !== undefined && nameOfAgent(attached.agent) === agent)) &&
      (person === undefined || attached?.person === person)
    )
  }

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
    <Empty picture="done" title="No dead letters">
      <p>Every start was accepted by its agent, or is still being tried.</p>
    </Empty>
  ) : Object.keys(filter).length > 0 ? (
    <Empty picture="search" title="No start matches the filters">
      <p>Remove a filter to see more.</p>
    </Empty>
  ) : (
    <Empty picture="flow" title="No starts yet">
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
  const { choices } = useConnections()
  const { agents, triggers, find } = useSubscriptions()
  const filter = chosen(query, names)
  const accepts = createAccepts(filter, find)
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
          { name: 'agent', label: 'Agent', any: 'all', options: agents },
          { name: 'trigger', label: 'Trigger', any: 'all', options: triggers },
          { name: 'connection', label: 'Connection', any: 'all', options: choices },
          personFilter,
        ]}
        also={['subscription', 'event']}
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
        </p>
      )}
      <p role="status">{said}</p>
      <List endless list={list} what="Starts" columns={columnsOf(selection, find)} empty={emptyOf(filter)} />
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
