import type { StartQueue } from '../../ports/index.ts'
import { LRUCache } from 'lru-cache'
import type { Caller, WaitingQueues, WaitingStarts } from './waiting.ts'

/** Maximum concurrent agent calls of this process. */
export const maxConcurrentCalls = 128
/** Calls guaranteed to every tenant, however many calls the others have. */
const minTenantCalls = 2
/** Maximum calls of an agent whose last call got no answer, until it answers again. */
const maxSilentCalls = 2
const maxRemembered = 10_000

const nameOf = ({ tenant, agent }: Caller) => `${tenant}\n${agent}`

/** Calls in progress: all of them, by tenant, and by agent. */
type Counts = { all: number; tenants: Map<string, number>; agents: Map<string, number> }

const addTo = (counts: Map<string, number>, name: string, by: number) => {
  const left = (counts.get(name) ?? 0) + by
  if (left > 0) counts.set(name, left)
  else counts.delete(name)
}
const addCall = (counts: Counts, who: Caller, by: 1 | -1) => {
  counts.all += by
  addTo(counts.tenants, who.tenant, by)
  addTo(counts.agents, nameOf(who), by)
}

/**
 * Decides which agent calls may begin. Nobody takes more than half of the free capacity, so that a newcomer always gets
 * some: a tenant has at most half of all calls, an agent at most half of its tenant's.
 */
export const createAgentConcurrency = () => {
  const held: Counts = { all: 0, tenants: new Map(), agents: new Map() }
  const silent = new LRUCache<string, true>({ maxSize: maxRemembered, sizeCalculation: () => 1 })

  const mayTenant = (counts: Counts, tenant: string) => {
    const mine = counts.tenants.get(tenant) ?? 0
    return mine < minTenantCalls || mine < maxConcurrentCalls - counts.all
  }
  const mayAgent = (counts: Counts, who: Caller) => {
    const mine = counts.agents.get(nameOf(who)) ?? 0
    if (silent.get(nameOf(who)) && mine >= maxSilentCalls) return false
    return mine === 0 || mine < maxConcurrentCalls / 2 - (counts.tenants.get(who.tenant) ?? 0)
  }

  /**
   * The item with the fewest calls, and among equals the one that waited longest. Rarely iterates over all of them,
   * since an item without a call is usually among the first.
   */
  const leastOf = <T>(all: Iterable<T>, heldBy: (item: T) => number): T | undefined => {
    let least: T | undefined
    let fewest = Infinity
    for (const item of all) {
      const calls = heldBy(item)
      if (calls < fewest) [least, fewest] = [item, calls]
      if (fewest === 0) break
    }
    return least
  }

  return {
    held: () => held.all,
    begin: (who: Caller) => addCall(held, who, 1),
    end: (who: Caller) => addCall(held, who, -1),
    /** Notes whether the agent answered a call at all. */
    answered(who: Caller, didAnswer: boolean) {
      if (didAnswer) silent.delete(nameOf(who))
      else silent.set(nameOf(who), true)
    },
    /** How many starts may begin now, per queue; at most `max` in total. */
    plan(waiting: WaitingStarts, max: number): (StartQueue & { limit: number })[] {
      const counts: Counts = { all: held.all, tenants: new Map(held.tenants), agents: new Map(held.agents) }
      const full = new Set<unknown>()
      const heldByTenant = (name: string) => (full.has(name) ? Infinity : (counts.tenants.get(name) ?? 0))
      const heldByAgent = (agentQueues: WaitingQueues) =>
        full.has(agentQueues) ? Infinity : (counts.agents.get(nameOf(agentQueues.who)) ?? 0)
      const plan = new Map<StartQueue, StartQueue & { limit: number }>()
      for (let planned = 0; planned < max;) {
        const tenant = leastOf(waiting.tenants(), heldByTenant)
        if (tenant === undefined) break
        const next = leastOf(waiting.agents(tenant), heldByAgent)
        // A tenant or agent without capacity now gets none later in this plan, since counts only grow.
        if (!next || !mayTenant(counts, tenant)) {
          full.add(tenant)
        } else if (!mayAgent(counts, next.who)) {
          full.add(next)
        } else {
          const queue = waiting.take(next)
          if (!queue) continue
          const plannedQueue = plan.get(queue)
          if (plannedQueue) plannedQueue.limit += 1
          else plan.set(queue, { ...queue, limit: 1 })
          addCall(counts, next.who, 1)
          planned += 1
        }
      }
      return [...plan.values()]
    },
  }
}
