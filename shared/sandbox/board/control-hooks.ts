/** Control over the provider's side of webhooks, to disturb deliveries on purpose. */
import {
  disturb,
  forgetDeliveries,
  launch,
  revokeToken,
  settleHooks,
  sweepHooks,
  type Delivery,
  type Disturbance,
  type Hooks,
  type HookSettings,
} from './hooks.ts'
import { isoDate } from './ids.ts'
import type { Webhook } from './records.ts'

const hookOf = (hooks: Hooks, id: string): Webhook => {
  const hook = hooks.world.state.webhooks.get(id)
  if (!hook) throw new Error(`no webhook has the id ${id}`)
  return hook
}
const orders = {
  oldest: (a: Delivery, b: Delivery) => a.n - b.n,
  newest: (a: Delivery, b: Delivery) => b.n - a.n,
}

export const createHookControl = (hooks: Hooks) => ({
  /** The next `times` matching deliveries are dropped, duplicated, delayed, held back or given a wrong signature. */
  disturb: (disturbance: Disturbance): void => disturb(hooks, disturbance),
  clearDisturbances: (): void => void hooks.disturbances.splice(0),
  deliveries: (query: { idWebhook?: string } = {}): Delivery[] =>
    hooks.deliveries.filter((delivery) => !query.idWebhook || delivery.idWebhook === query.idWebhook),
  forgetDeliveries: (): void => forgetDeliveries(hooks),
  /** Sends the held deliveries one by one, each after the previous one was answered. */
  releaseHeld: async (input: { order?: 'oldest' | 'newest' } = {}): Promise<number> => {
    const held = hooks.deliveries.filter((delivery) => delivery.state === 'held').sort(orders[input.order ?? 'oldest'])
    for (const delivery of held) {
      launch(hooks, delivery)
      await settleHooks(hooks)
    }
    return held.length
  },
  /** Sends an earlier delivery again, like a late retry. */
  redeliver: async (input: { n: number }): Promise<void> => {
    const delivery = hooks.deliveries.find((candidate) => candidate.n === input.n)
    if (!delivery) throw new Error(`no delivery has the number ${input.n}`)
    const copy: Delivery = { ...delivery, n: hooks.next, statuses: [], state: 'sending' }
    hooks.next += 1
    hooks.deliveries.push(copy)
    launch(hooks, copy)
    await settleHooks(hooks)
  },
  /** Resolves when no delivery is in flight; scheduled retries are not awaited. */
  settle: (): Promise<void> => settleHooks(hooks),
  webhooks: (): Webhook[] => {
    sweepHooks(hooks)
    return [...hooks.world.state.webhooks.values()].map((webhook) => ({ ...webhook, token: '***' }))
  },
  /** Makes the provider lose a hook, without notifying anybody. */
  deleteWebhook: (input: { idWebhook: string }): void =>
    void hooks.world.state.webhooks.delete(hookOf(hooks, input.idWebhook).id),
  disableWebhook: (input: { idWebhook: string }): void => void (hookOf(hooks, input.idWebhook).active = false),
  /** Brings a hook close to being disabled without waiting a month. */
  failWebhook: (input: { idWebhook: string; failures: number; forMs?: number }): void => {
    const since = input.failures === 0 ? null : isoDate(hooks.world.now() - (input.forMs ?? 0))
    Object.assign(hookOf(hooks, input.idWebhook), {
      consecutiveFailures: input.failures,
      firstConsecutiveFailDate: since,
    })
  },
  /** Revokes a token as a person would; its hooks are deleted with it. */
  revokeToken: (input: { token: string }): void => {
    const token = hooks.world.state.tokens.get(input.token)
    if (!token) throw new Error('no such token')
    revokeToken(hooks, token)
  },
  hookSettings: (changes: Partial<HookSettings>): HookSettings => Object.assign(hooks.settings, changes),
})
export type HookControl = ReturnType<typeof createHookControl>
