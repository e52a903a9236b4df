/** One agent: how it does, what starts it, what it answered. */
import { useState } from 'preact/hooks'
import type { ListedAgent } from '../../../../api/resources/listed-agent.ts'
import type { Subscription } from '../../../../api/resources/subscription.ts'
import { may, pathTo, post, triggerTitle, useApi } from '../../api/index.ts'
import {
  Badge,
  ConfirmButton,
  Empty,
  formatDuration,
  Page,
  Panel,
  Sentence,
  Table,
  Time,
  WhenLoaded,
} from '../../ui/index.ts'
import type { Column } from '../../ui/index.ts'
import { useChanges } from '../events/use-changes.ts'
import { AgentSecret } from '../triggers/agent-secret.tsx'
import { Resume } from '../triggers/resume.tsx'
import { reasonOf, StateBadge } from '../triggers/words.tsx'
import { Recipe } from './recipe.tsx'
import { SendSample } from './send-sample.tsx'
import { AgentBadge, AgentHealth, agentTitle } from './words.tsx'

const RotateSecret = ({ subscription: { id } }: { subscription: Subscription }) => {
  const [secret, setSecret] = useState<string>()
  const rotate = async () =>
    setSecret((await post<Subscription>(`subscriptions/${encodeURIComponent(id)}/rotate-secret`, {})).agent.secret)
  return (
    <>
      <ConfirmButton label="Rotate the secret" danger={false} act={rotate}>
        <p>The agent gets a new signing secret. For one day, starts are also signed with the previous one.</p>
      </ConfirmButton>
      {secret !== undefined && <AgentSecret secret={secret} />}
    </>
  )
}

const TriggerOfAgent = ({ subscription, reload }: { subscription: Subscription; reload(): void }) => (
  <li>
    <p class="row">
      <a href={pathTo('subscriptions', subscription.id)}>
        <Sentence of={subscription.summary} otherwise={triggerTitle(subscription)} />
      </a>
      <StateBadge state={subscription.state} />
    </p>
    {subscription.stateReason !== null && <p class="muted">{reasonOf(subscription)}</p>}
    {may('subscriptions') && (
      <>
        <Resume subscription={subscription} onResumed={reload} />
        <SendSample subscription={subscription.id} onSent={reload} />
        {subscription.agent.url !== null && <RotateSecret subscription={subscription} />}
      </>
    )}
  </li>
)

type Answer = ListedAgent['answers'][number]
const answerColumns = (triggers: ReadonlyMap<string, string>): Column<Answer>[] => [
  {
    title: 'When',
    cell: ({ at, start }) => (
      <a href={pathTo('starts', start)}>
        <Time at={at} />
      </a>
    ),
  },
  {
    title: 'Answer',
    cell: ({ ok, status, test }) => (
      <>
        <Badge tone={ok ? 'good' : 'bad'}>{status ?? 'none'}</Badge> {test && <Badge tone="info">sample</Badge>}
      </>
    ),
  },
  { title: 'Trigger', cell: ({ subscription }) => triggers.get(subscription) ?? '–' },
  { title: 'Took', number: true, cell: ({ durationMs }) => formatDuration(durationMs) },
  { title: 'What it said', cell: ({ message }) => message ?? '–' },
]

const countWords = { done: 'taken', dead: 'given up', pending: 'waiting', leased: 'under way', paused: 'held back' }

/** The starts of a day, in words. */
const Day = ({ starts }: { starts: ListedAgent['starts'] }) => {
  const counts = Object.entries(countWords).flatMap(([state, word]) => {
    const count = starts[state as keyof typeof countWords]
    return count ? [`${count} ${word}`] : []
  })
  return (
    <p>
      {counts.length === 0 ? 'No starts in the last 24 hours.' : `Starts of the last 24 hours: ${counts.join(', ')}.`}
    </p>
  )
}

const About = ({ agent, reload }: { agent: ListedAgent; reload(): void }) => {
  const triggers = new Map(agent.subscriptions.map((subscription) => [subscription.id, triggerTitle(subscription)]))
  return (
    <>
      <Panel label="Health">
        <p>
          <AgentBadge state={agent.state} /> <AgentHealth agent={agent} />
        </p>
        <Day starts={agent.starts} />
        {agent.id !== null && agent.url !== null && <p class="muted">It is called at {agent.url}</p>}
      </Panel>
      <Panel title="What starts it">
        <ul class="agent-triggers">
          {agent.subscriptions.map((subscription) => (
            <TriggerOfAgent key={subscription.id} subscription={subscription} reload={reload} />
          ))}
        </ul>
        {agent.moreSubscriptions > 0 && (
          <p>
            <a href={pathTo('triggers')}>{agent.moreSubscriptions} more triggers</a>
          </p>
        )}
      </Panel>
      <Panel title="Last answers">
        {agent.answers.length === 0 ? (
          <p class="muted">It has not answered yet. Send it a sample.</p>
        ) : (
          <Table
            caption="Last answers"
            columns={answerColumns(triggers)}
            rows={agent.answers}
            keyOf={({ start, at }) => `${start} ${at}`}
          />
        )}
      </Panel>
    </>
  )
}

export const Agent = ({ name }: { name: string }) => {
  const loaded = useApi<{ items: ListedAgent[] }>('agents', { agent: name, limit: 1 })
  const { data, reload } = loaded
  const agent = data?.items[0]
  useChanges(
    ({ kind, row }) => kind === 'start' && agent?.subscriptions.some(({ id }) => id === row['subscription']) === true,
    reload,
  )
  return (
    <Page
      title={agent ? agentTitle(agent) : 'Agent'}
      list="agents"
      actions={<a href={`${pathTo('starts')}?agent=${encodeURIComponent(name)}`}>Its starts</a>}
    >
      <WhenLoaded of={loaded} what="the agent">
        {() =>
          agent ? (
            <About agent={agent} reload={reload} />
          ) : (
            <Empty title="Nothing starts this agent">
              <p>No trigger is attached to it any more.</p>
            </Empty>
          )
        }
      </WhenLoaded>
      {agent ? (
        <details class="details">
          <summary>A worked agent</summary>
          <Recipe attach={false} />
        </details>
      ) : (
        <Recipe />
      )}
    </Page>
  )
}
