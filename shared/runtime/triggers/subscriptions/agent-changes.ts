import type { Subscription } from '../../ports/index.ts'
import type { TriggerParts } from '../parts.ts'
import { rotateSecret } from '../starts/rotate-secret.ts'
import type { Rotation } from '../starts/rotate-secret.ts'
import type { SubscriptionHealth } from './health.ts'
import { readSecret } from './input.ts'
import type { NewSubscription } from './input.ts'
import type { SubscriptionRegistry } from './registry.ts'

type AgentChangesDependencies = Pick<TriggerParts, 'store' | 'vault'> & {
  now(): number
  subscriptions: SubscriptionRegistry
  health: Pick<SubscriptionHealth, 'follow'>
  /** @throws Failure when the address may not be called */
  checkAgent(url: string | null): void
  onResumed(): void
}

/** The state of an agent that has not been called yet. */
export const agentUnknown = { failingSince: null, failingReason: null }

/** Changes to the agent of a subscription. */
export const createAgentChanges = ({
  store,
  vault,
  now,
  subscriptions,
  health,
  checkAgent,
  onResumed,
}: AgentChangesDependencies) => ({
  /** Resets the agent's state, since earlier answers say nothing about another address or secret. */
  async change(row: Subscription, { id, url, secret }: NonNullable<NewSubscription['agent']>): Promise<Subscription> {
    const next = url === undefined ? row.agent.url : url
    checkAgent(next)
    const agentId = id ?? row.agent.id
    const owner = { tenant: row.tenant, owner: row.id }
    const sealed =
      secret === undefined
        ? {}
        : { previousUntil: null, secrets: vault.seal(owner, { secret: readSecret(secret).secret }) }
    const agent = { url: next, ...(agentId === undefined ? {} : { id: agentId }) }
    const { subscription } = await subscriptions.change(row, { agent, ...agentUnknown, ...sealed })
    if (row.state !== 'failing') return subscription
    await health.follow(row)
    return (await subscriptions.row(row)) ?? subscription
  },

  /** Stops calling the agent. New starts wait as paused. */
  async switchOff(row: Subscription, status: number | null): Promise<void> {
    const since = new Date(row.failingSince ?? now()).toISOString()
    const last = status === null ? 'it did not answer' : `the last answer was ${status}`
    const reason = `The agent has accepted no start since ${since}; ${last}. Repair it, then resume the subscription.`
    await subscriptions.setState(row, 'paused_agent', reason, true)
    await store.starts.pause(row.tenant, row.id)
  },

  /** Resumes the starts that waited, and replays those that died since the agent began to fail. */
  async switchOn(row: Subscription): Promise<Subscription> {
    const at = now()
    await store.starts.replay(row.tenant, { subscription: row.id, state: 'dead', since: row.failingSince ?? at }, at)
    const { subscription } = await subscriptions.change(row, {
      state: 'active',
      stateReason: null,
      stateAt: at,
      ...agentUnknown,
    })
    await store.starts.resume(row.tenant, row.id, at)
    onResumed()
    return subscription
  },

  async rotate(row: Subscription, rotation: Rotation): Promise<{ row: Subscription; shown: string | undefined }> {
    const { changes, shown } = rotateSecret(vault, { tenant: row.tenant, owner: row.id }, row.secrets, rotation, now())
    return { row: (await subscriptions.change(row, changes)).subscription, shown }
  },
})
export type AgentChanges = ReturnType<typeof createAgentChanges>
