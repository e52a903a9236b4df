import type { EndedAlongside, Start, Subscription } from '../../ports/index.ts'
import type { MatchIndex } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import { refusalOf } from '../starts/agent-remedy.ts'
import type { AgentReply } from '../starts/signed-post.ts'
import type { Changes } from './changes.ts'

/** An agent that accepted no start for this long is no longer called. */
export const agentOffAfterMs = 3 * 24 * 3_600_000

type AgentHealthDependencies = Pick<TriggerParts, 'store'> & {
  now(): number
  index: Pick<MatchIndex, 'get'>
  changes: Pick<Changes, 'switchOff'>
}

const mayEnd = (row: Subscription | undefined): row is Subscription =>
  row !== undefined && row.state !== 'pending' && row.state !== 'paused' && row.state !== 'paused_agent'

/**
 * Records whether an agent accepts its starts, and switches it off when it has failed for days. Returns what changed.
 */
export const createAgentHealth =
  ({ store, now, index, changes }: AgentHealthDependencies) =>
  async (
    { tenant, id, agent, failingSince, failingReason }: Subscription,
    start: Pick<Start, 'test'>,
    reply: AgentReply,
  ): Promise<EndedAlongside['agent']> => {
    // The failure was on our side, so it says nothing about the agent.
    if (reply.isOurs) return undefined
    const refusal = refusalOf(reply, agent.url)
    if (!refusal) {
      // Another start may have been refused since the row was read.
      const isFailing = failingSince !== null || index.get(tenant, id)?.subscription.state === 'failing'
      return isFailing ? { subscription: id, failingSince: null, failingReason: null } : undefined
    }
    const reason = `${refusal.answer} ${refusal.remedy}`
    if (!start.test && agent.url !== null && failingSince !== null && now() - failingSince >= agentOffAfterMs) {
      // Read again: `subscription` was read before the agent was called, which may have taken minutes.
      const row = await store.subscriptions.get(tenant, id)
      if (mayEnd(row) && row.failingSince === failingSince) await changes.switchOff(row, reply.status)
      return undefined
    }
    return reason === failingReason
      ? undefined
      : { subscription: id, failingSince: failingSince ?? now(), failingReason: reason }
  }
