import { isFailure } from '#kit'
import type { MissedDelivery } from '#kit'
import type { Store } from '../../ports/index.ts'
import type { TriggerParts } from '../parts.ts'
import type { ConnectionRef, ProviderSessions } from '../provider-session.ts'
import { deliveryLagMs } from './gaps.ts'
import type { HookCache } from './hook-cache.ts'

type MissedDeliveriesDependencies = Pick<TriggerParts, 'registry' | 'log'> & {
  store: Pick<Store, 'events'>
  cache: Pick<HookCache, 'ofConnection'>
  sessions: ProviderSessions
}

/** The missed deliveries of one model: how many there are, and why the last one failed. Times in ms. */
export type MissedSpan = { model: string; from: number; to: number; count: number; reason: string }

const sumOf = (model: string, deliveries: readonly MissedDelivery[]): MissedSpan => {
  const times = deliveries.map(({ at }) => at)
  const { reason } = deliveries.reduce((last, each) => (each.at > last.at ? each : last))
  // The event is older than the last attempt to deliver it.
  return { model, from: Math.min(...times) - deliveryLagMs, to: Math.max(...times), count: deliveries.length, reason }
}

/** Reads in the provider's own log which deliveries it gave up on. */
export const createMissedDeliveries =
  ({ registry, log, store, cache, sessions }: MissedDeliveriesDependencies) =>
  /** Returns undefined when there is no log or it cannot be read, so that anything may be missed. */
  async (ref: ConnectionRef, since: number): Promise<MissedSpan[] | undefined> => {
    const { tenant, connection, integration } = ref
    const missed = registry.integration(integration).integration.webhooks?.missed
    if (!missed) return undefined
    try {
      const { value } = await sessions.use(ref, 'read', (ctx) => missed(ctx, since))
      if (!value) return undefined
      const models = new Map(
        cache.ofConnection(tenant, connection).map(({ providerId, model }) => [providerId ?? '', model]),
      )
      const ours = value.filter(({ providerId }) => models.has(providerId))
      // The answer to a stored delivery may have been lost, so the provider logs it as failed.
      const stored = await Promise.all(ours.map(({ id }) => store.events.get(tenant, connection, id)))
      const lost = ours.filter((_, n) => stored[n] === undefined)
      return [...Map.groupBy(lost, ({ providerId }) => models.get(providerId)!)].map(([model, deliveries]) =>
        sumOf(model, deliveries),
      )
    } catch (thrown) {
      if (!isFailure(thrown)) throw thrown
      log('warn', 'deliveries.log_not_read', { connection, reason: thrown.code })
      return undefined
    }
  }
export type MissedDeliveries = ReturnType<typeof createMissedDeliveries>
