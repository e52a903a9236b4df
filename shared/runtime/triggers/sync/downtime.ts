import type { WebhookSource } from '#kit'
import type { Store } from '../../ports/index.ts'
import { deliveryLagMs, retrySpanMs } from './gaps.ts'

/** Up for so much longer than the provider's longest wait, one of its attempts reached us. */
const marginMs = 30_000
const restMs = ({ retries }: Pick<WebhookSource, 'retries'>) =>
  retries.length === 0 ? 0 : Math.max(...retries) + marginMs

/**
 * Times in which no delivery could be taken. A short one loses nothing where the provider repeats; but each of its
 * attempts may have met another short one, so those that follow each other closely count as one.
 */
export const createDowntime = ({ timestamps }: Pick<Store, 'timestamps'>) => ({
  /**
   * Notes one that has ended, for an integration. Gives in which span deliveries may be lost; undefined: none can be.
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
