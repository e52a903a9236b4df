import type { Subscription } from '../../ports/index.ts'
import type { TriggerParts } from '../parts.ts'
import { rotateSecret } from '../starts/rotate-secret.ts'
import type { Rotation } from '../starts/rotate-secret.ts'
import type { SubscriptionRegistry } from './registry.ts'

type Parts = Pick<TriggerParts, 'store' | 'vault'> & { now(): number; subscriptions: SubscriptionRegistry; onResumed(): void }

/** What changes about calling the agent of a subscription. */
export const createAgentChanges = ({ store, vault, now, subscriptions, onResumed }: Parts) => ({
  /** Its agent is not called any more. What happens meanwhile waits as paused starts. */
  async switchOff(row: Subscription, status: number | null): Promise<void> {
    const since = new Date(row.failingSince ?? now()).toISOString()
    const last = status === null ? 'it did not answer' : `the last answer was ${status}`
    const reason = `The agent has accepted no start since ${since}; ${last}. Repair it, then resume the subscription.`
    await subscriptions.setState(row, 'paused_agent', reason, true)
    await store.starts.pause(row.tenant, row.id)
  },

  /** Everything that waited is sent, and what was given up since the agent failed. */
  async switchOn(row: Subscription): Promise<Subscription> {
    const at = now()
    await store.starts.replay(row.tenant, { subscription: row.id, state: 'dead', since: row.failingSince ?? at }, at)
    const { subscription } = await subscriptions.change(row, { state: 'active', stateReason: null, stateAt: at, failingSince: null })
    await store.starts.resume(row.tenant, row.id, at)
    onResumed()
    return subscription
  },

  async rotate(row: Subscription, asked: Rotation): Promise<{ row: Subscription; shown: string | undefined }> {
    const { changes, shown } = rotateSecret(vault, { tenant: row.tenant, owner: row.id }, row.secrets, asked, now())
    return { row: (await subscriptions.change(row, changes)).subscription, shown }
  },
})
export type AgentChanges = ReturnType<typeof createAgentChanges>
