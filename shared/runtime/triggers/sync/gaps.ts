import { hash } from 'node:crypto'
import type { WebhookSource } from '#kit'
import type { Gap } from '../../ports/index.ts'
import type { ActiveSubscription } from '../match-index.ts'
import type { ConnectionRef } from '../provider-session.ts'

type Retries = Pick<WebhookSource, 'retries'>
/** How long the provider retries a delivery before it gives up, in ms: a shorter downtime loses nothing. */
export const retrySpanMs = ({ retries }: Retries) => retries.reduce((sum, wait) => sum + wait, 0)
/** How much later than the event its delivery may arrive. */
export const deliveryLagMs = 60_000
/** After this time in ms, a delivery has arrived or never will. */
export const settlingMs = (source: Retries) => retrySpanMs(source) + deliveryLagMs
/** With this many failures in a row, a delivery may have failed in all of its attempts. */
export const lossyFailures = ({ retries }: Retries) => retries.length + 1

/** Stands for every kind of event. */
export const everyKind = '*'

/**
 * Kinds that subscriptions to a model wait for and that no history lists. `hasHistory` false: the model has no history.
 */
export const unlistedKinds = (
  source: Pick<WebhookSource, 'webhookOnly'>,
  watching: readonly ActiveSubscription[],
  hasHistory: boolean,
): string[] => {
  const byHook = watching.filter(({ subscription }) => subscription.delivery === 'webhook')
  if (!hasHistory) return byHook.length > 0 ? [everyKind] : []
  const wantedTypes = new Set(byHook.flatMap(({ types }) => types))
  return wantedTypes.has('*') ? [...source.webhookOnly] : source.webhookOnly.filter((type) => wantedTypes.has(type))
}

/**
 * A span whose events cannot be recovered. Gaps that begin at the same time have the same id, so they are one gap
 * however often it is noticed; it extends to the latest end.
 */
export const newGap = (
  { tenant, connection }: ConnectionRef,
  model: string,
  span: { from: number; to: number },
  kind: string,
  reason: string,
  now: number,
): Gap => ({
  tenant,
  id: `gap_${hash('sha256', JSON.stringify([tenant, connection, model, kind, span.from])).slice(0, 32)}`,
  connection,
  model,
  fromAt: span.from,
  toAt: span.to,
  kind,
  reason,
  createdAt: now,
})
