import type { WebhookSource } from '#kit'
import type { Store } from '../../ports/index.ts'
import { deliveryLagMs, retrySpanMs } from './gaps.ts'

/**
 * Added to the provider's longest wait: after being up for that long, we have received at least one of its attempts.
 */
const marginMs = 30_000
const restMs = ({ retries }: Pick<WebhookSource, 'retries'>) =>
  retries.length === 0 ? 0 : Math.max(...retries) + marginMs

/**
 * Periods in which no delivery could be received. A short one loses nothing where the provider retries; but each of its
 * attempts may have met another short one, so periods close to each other count as one.
 */
export const createDowntime = ({ timestamps }: Pick<Store, 'timestamps'>) => ({
  /**
   * Notes a period that has ended, for one integration. Returns the span whose deliveries may be lost, in ms; undefined
   * when none can be.
   */
  async note(
    integration: string,
    source: Pick<WebhookSource, 'retries'>,
    from: number,
    until: number,
  ): Promise<{ from: number; to: number } | undefined> {
    const names = { from: `absent from ${integration}`, until: `absent until ${integration}` }
    const before = (await timestamps.get(names.from)) ?? (await timestamps.get('absent from'))
    const ended = (await timestamps.get(names.until)) ?? (await timestamps.get('absent until'))
    const since =
      before !== undefined && ended !== undefined && from - ended < restMs(source) ? Math.min(before, from) : from
    await timestamps.put(names.from, since)
    await timestamps.put(names.until, until)
    return until - since > retrySpanMs(source) ? { from: since - deliveryLagMs, to: until } : undefined
  },
})
