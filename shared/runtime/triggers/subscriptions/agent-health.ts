import type { EndedAlongside, Subscription } from '../../ports/index.ts'
import type { TriggerParts } from '../parts.ts'
import { isAccepted } from '../starts/retry-schedule.ts'
import type { AgentReply } from '../starts/signed-post.ts'
import type { Changes } from './changes.ts'

/** An agent that accepted nothing for so long is not called any more. */
export const agentOffAfterMs = 3 * 24 * 3_600_000

type Parts = Pick<TriggerParts, 'store'> & { now(): number; changes: Pick<Changes, 'switchOff'> }

const mayEnd = (row: Subscription | undefined): row is Subscription =>
  row !== undefined && (row.state === 'active' || row.state === 'paused_auth' || row.state === 'paused_model')

/** Follows whether an agent accepts its starts, and switches it off when it has failed for days. */
export const createAgentHealth =
  ({ store, now, changes }: Parts) =>
  async ({ tenant, id, agent, failingSince }: Subscription, reply: AgentReply): Promise<EndedAlongside['failingSince']> => {
    if (agent.url === null) return undefined
    if (isAccepted(reply)) return failingSince === null ? undefined : { subscription: id, at: null }
    if (failingSince === null) return { subscription: id, at: now() }
    if (now() - failingSince < agentOffAfterMs) return undefined
    // As it is now: it was read before the agent was called, which may have taken minutes.
    const row = await store.subscriptions.get(tenant, id)
    if (mayEnd(row) && row.failingSince === failingSince) await changes.switchOff(row, reply.status)
    return undefined
  }
