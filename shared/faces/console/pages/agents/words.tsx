/** What agents are called on these pages, and how they do. */
import type { ListedAgent } from '../../../../api/resources/listed-agent.ts'
import type { Subscription } from '../../../../api/resources/subscription.ts'
import { pathTo } from '../../api/index.ts'
import { badgeOf, Time } from '../../ui/index.ts'

type Agent = Pick<Subscription['agent'], 'id' | 'url'>

/** The name that the API has for an agent: its id, otherwise its address. */
export const nameOfAgent = ({ id, url }: Agent) => id ?? url ?? 'onStart'

/** The same for people: of an address, the part that tells it apart. */
export const agentTitle = ({ id, url }: Agent) => id ?? url?.replace(/^https?:\/\//, '') ?? 'the platform'

export const agentPath = (agent: Agent) => `${pathTo('agents')}?agent=${encodeURIComponent(nameOfAgent(agent))}`

export const AgentLink = ({ agent }: { agent: Agent }) => <a href={agentPath(agent)}>{agentTitle(agent)}</a>

export const AgentBadge = badgeOf<ListedAgent['state']>({
  well: { title: 'well', tone: 'good', means: 'It took the last start.' },
  failing: { title: 'refuses starts', tone: 'bad', means: 'It did not take the last start of a trigger.' },
  off: { title: 'switched off', tone: 'bad', means: 'It failed for days. Starts wait until the trigger is resumed.' },
  paused: { title: 'paused', tone: 'warn', means: 'None of its triggers waits for events.' },
  untried: { title: 'not started yet', tone: 'info', means: 'It was never called.' },
})

/** How an agent does, in a sentence. */
export const AgentHealth = ({ agent: { state, since, reason, lastAnswer } }: { agent: ListedAgent }) => {
  switch (state) {
    case 'well':
      return (
        <>
          Well: it took its last start <Time at={lastAnswer?.at} relative />.
        </>
      )
    case 'failing':
      return (
        <>
          It refuses starts since <Time at={since} />. {reason}
        </>
      )
    case 'off':
      return (
        <>
          It is switched off, and its starts wait: it took none since <Time at={since} />. {reason}
        </>
      )
    case 'paused':
      return (
        <>
          Nothing starts it since <Time at={since} />. {reason}
        </>
      )
    case 'untried':
      return <>Nothing has started it yet. Send it a sample to see whether it takes starts.</>
  }
}
