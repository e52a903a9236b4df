import type { ListedAgent } from '../../../../api/resources/listed-agent.ts'
import { pathTo, triggerTitle, usePages } from '../../api/index.ts'
import { ButtonLink, chosen, Empty, List, Page, Sentence, Time, useAddress } from '../../ui/index.ts'
import type { Column } from '../../ui/index.ts'
import { Agent } from './agent.tsx'
import { Recipe } from './recipe.tsx'
import { AgentBadge, AgentHealth, AgentLink } from './words.tsx'

const maxTriggers = 3

const Triggers = ({ agent: { subscriptions, moreSubscriptions } }: { agent: ListedAgent }) => {
  const more = Math.max(0, subscriptions.length - maxTriggers) + moreSubscriptions
  return (
    <ul class="listed-triggers">
      {subscriptions.slice(0, maxTriggers).map((subscription) => (
        <li key={subscription.id}>
          <a href={pathTo('subscriptions', subscription.id)}>
            <Sentence of={subscription.summary} otherwise={triggerTitle(subscription)} />
          </a>
        </li>
      ))}
      {more > 0 && <li class="muted">and {more} more</li>}
    </ul>
  )
}

const columns: Column<ListedAgent>[] = [
  { title: 'Agent', cell: (agent) => <AgentLink agent={agent} /> },
  { title: 'State', cell: ({ state }) => <AgentBadge state={state} /> },
  { title: 'How it does', cell: (agent) => <AgentHealth agent={agent} /> },
  { title: 'Triggers', cell: (agent) => <Triggers agent={agent} /> },
  { title: 'Last start', cell: ({ lastStartAt }) => <Time at={lastStartAt} relative /> },
]

const AllAgents = () => {
  const list = usePages<ListedAgent>('agents')
  return (
    <Page title="Agents" actions={<ButtonLink to={['triggers']}>Attach a trigger</ButtonLink>}>
      <List
        list={list}
        what="Agents"
        stacks
        columns={columns}
        keyOf={({ name }) => name}
        empty={
          <Empty title="No agent is started yet">
            <p>An agent is whatever takes your starts: a program of yours, a workflow, a host of a model.</p>
            <p>Attach a trigger to one, or begin with the worked agent below.</p>
          </Empty>
        }
      />
      <Recipe />
    </Page>
  )
}

/** All agents, or the one that the address names. */
const Agents = () => {
  const { agent } = chosen(useAddress().query, ['agent'])
  return agent === undefined ? <AllAgents /> : <Agent key={agent} name={agent} />
}

export default Agents
