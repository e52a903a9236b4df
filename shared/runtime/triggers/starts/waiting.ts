import { nextTurn } from '#kit'
import type { QueuePosition, Start, StartQueue, Store } from '../../ports/index.ts'

/** Queues read by one statement: each statement blocks the event loop. */
const pageSize = 100
const addedAtATime = 500
/** Maximum age in ms of the queues read, so that a queue that became due does not wait behind other backlogs. */
const maxAgeMs = 1000
/** Maximum share of the time that reading a whole backlog may take. */
const maxShare = 1 / 20

export type Caller = { tenant: string; /** The agent's origin; all its agents share one limit. */ agent: string }
/** The queues that wait for one agent, used in turn; `at` is the next one. */
export type WaitingQueues = { who: Caller; queues: StartQueue[]; at: number }
export type WaitingStarts = ReturnType<typeof createWaiting>

const nameOf = ({ tenant, subscription }: Pick<StartQueue, 'tenant' | 'subscription'>) => `${tenant}\n${subscription}`

/** Queues by tenant and agent, in the order they are added. */
export const createWaiting = (agentOf: (tenant: string, subscription: string) => string) => {
  const byTenant = new Map<string, Map<string, WaitingQueues>>()
  /** Queues from which fewer starts than planned could be claimed: they are empty. */
  const spent = new Set<string>()

  const add = (queue: StartQueue) => {
    const who = { tenant: queue.tenant, agent: agentOf(queue.tenant, queue.subscription) }
    let agents = byTenant.get(who.tenant)
    if (!agents) byTenant.set(who.tenant, (agents = new Map()))
    const agentQueues = agents.get(who.agent)
    if (agentQueues) agentQueues.queues.push(queue)
    else agents.set(who.agent, { who, queues: [queue], at: 0 })
  }

  const drop = ({ tenant, agent }: Caller) => {
    const agents = byTenant.get(tenant)
    agents?.delete(agent)
    if (agents?.size === 0) byTenant.delete(tenant)
  }

  return {
    add,
    isEmpty: () => byTenant.size === 0,
    tenants: () => byTenant.keys(),
    agents: (tenant: string): Iterable<WaitingQueues> => byTenant.get(tenant)?.values() ?? [],
    /** The next queue of an agent, in turn; undefined when none is left. */
    take(of: WaitingQueues): StartQueue | undefined {
      for (;;) {
        const queue = of.queues[of.at]
        of.at += 1
        if (queue && !spent.has(nameOf(queue))) return queue
        if (queue) continue
        of.queues = of.queues.filter((startQueue) => !spent.has(nameOf(startQueue)))
        of.at = 0
        if (of.queues.length > 0) continue
        drop(of.who)
        return undefined
      }
    },
    claimed(planned: readonly (StartQueue & { limit: number })[], starts: readonly Start[]) {
      const counts = new Map<string, number>()
      for (const start of starts) counts.set(nameOf(start), (counts.get(nameOf(start)) ?? 0) + 1)
      for (const queue of planned) if ((counts.get(nameOf(queue)) ?? 0) < queue.limit) spent.add(nameOf(queue))
    },
  }
}

type WaitingQueuesDependencies = {
  store: Pick<Store, 'starts'>
  now(): number
  agentOf(tenant: string, subscription: string): string
}

/**
 * Reads which queues have due starts. Read anew in each tick; a long backlog is reused for longer, so that reading it
 * takes only a small share of the time.
 */
export const createWaitingQueues = ({ store, now, agentOf }: WaitingQueuesDependencies) => {
  let last: { starts: WaitingStarts; until: number } | undefined

  return {
    async read(at: number): Promise<{ starts: WaitingStarts; isNew: boolean }> {
      if (last && at < last.until) return { starts: last.starts, isNew: false }
      const startQueues: StartQueue[] = []
      let after: QueuePosition | undefined
      let pages = 0
      do {
        if (after) await nextTurn()
        const { items, next } = await store.starts.queues(at, pageSize, after)
        startQueues.push(...items)
        pages += 1
        after = next
      } while (after)
      startQueues.sort((a, b) => a.dueAt - b.dueAt)
      const starts = createWaiting(agentOf)
      for (const [n, queue] of startQueues.entries()) {
        if (n % addedAtATime === addedAtATime - 1) await nextTurn()
        starts.add(queue)
      }
      const readAt = now()
      last = { starts, until: pages === 1 ? at : Math.min(at + maxAgeMs, readAt + (readAt - at) / maxShare) }
      return { starts, isNew: true }
    },
    forget() {
      last = undefined
    },
  }
}
