import { hash } from 'node:crypto'
import type { WebhookSource } from '#kit'
import type { Gap } from '../../ports/index.ts'
import type { ActiveSubscription } from '../match-index.ts'
import type { ConnectionRef } from '../provider-session.ts'

type Retries = Pick<WebhookSource, 'retries'>
/** The provider repeats a delivery for so long before it gives up: a shorter downtime loses nothing. */
export const retrySpanMs = ({ retries }: Retries) => retries.reduce((sum, wait) => sum + wait, 0)
/** A delivery arrives by so much later than what it reports. */
export const deliveryLagMs = 60_000
/** After so long a delivery has arrived, or never will. */
export const settlingMs = (source: Retries) => retrySpanMs(source) + deliveryLagMs
/** So many failures in a row, and a delivery may have failed as often as it was tried. */
export const lossyFailures = ({ retries }: Retries) => retries.length + 1

/** Every kind of event. */
export const everyKind = '*'

/** Kinds that subscriptions of a model wait for and that no history lists. `hasHistory` false: it lists none. */
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
 * What happened in this span and cannot be found any more. What begins at the same time is one gap, however often it is
 * noticed; it lasts to the latest end given.
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
