import { useRef } from 'preact/hooks'
import type { Subscription } from '../../../../api/resources/subscription.ts'
import { triggerTitle, useItems } from '../../api/index.ts'
import { agentTitle, nameOfAgent } from '../agents/words.tsx'

/** Attached triggers, to call starts, agents and reasons by their names. */
export const useSubscriptions = (query: { connection?: string | undefined } = {}, isNeeded = true) => {
  const { items, problem, reload } = useItems<Subscription>(isNeeded ? 'subscriptions' : undefined, query)
  const byId = useRef(new Map<string, Subscription>())
  byId.current = new Map(items.map((subscription) => [subscription.id, subscription]))
  const agents = new Map(items.map(({ agent }) => [nameOfAgent(agent), agentTitle(agent)]))
  const triggers = new Map(items.map((subscription) => [subscription.trigger, triggerTitle(subscription)]))
  return {
    items,
    problem,
    reload,
    /** Finds what is loaded by then, also where an earlier page keeps the function. */
    find: (id: string) => byId.current.get(id),
    /** Agents and triggers by what the API calls them, to choose from. */
    agents: [...agents],
    triggers: [...triggers],
  }
}
