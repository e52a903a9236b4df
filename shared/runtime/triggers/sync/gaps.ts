import { hash } from 'node:crypto'
import type { WebhookSource } from '#kit'
import type { Gap } from '../../ports/index.ts'
import type { ActiveSubscription } from '../match-index.ts'
import type { ConnectionRef } from '../provider-session.ts'

/** The provider repeats a delivery for so long (30 + 60 + 120 s) before it gives up: a shorter absence loses nothing. */
export const providerRetryMs = 210_000
/** A delivery comes by so much later than what it tells of. */
export const deliveryLagMs = 60_000
/** After so long a delivery has come, or never will. */
export const settlingMs = providerRetryMs + deliveryLagMs
/** The longest of its waits. */
export const maxRetryMs = 120_000

/** Every kind of event. */
export const everyKind = '*'

/** Kinds that subscriptions of a model wait for and that no history tells. `hasHistory` false: none is told. */
export const unlistedKinds = (source: Pick<WebhookSource, 'webhookOnly'>, watchers: readonly ActiveSubscription[], hasHistory: boolean): string[] => {
  const byHook = watchers.filter(({ subscription }) => subscription.delivery === 'webhook')
  if (!hasHistory) return byHook.length > 0 ? [everyKind] : []
  const wanted = new Set(byHook.flatMap(({ types }) => types))
  return wanted.has('*') ? [...source.webhookOnly] : source.webhookOnly.filter((type) => wanted.has(type))
}

/** What happened in this span and cannot be found any more. What begins at the same time is one gap, however often it is noticed; it lasts to the latest end told. */
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
