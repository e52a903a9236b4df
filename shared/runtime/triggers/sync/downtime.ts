import type { Store } from '../../ports/index.ts'
import { deliveryLagMs, maxRetryMs, providerRetryMs } from './gaps.ts'

/** In so long a time in which we are there, one of the provider's attempts falls. */
const restMs = maxRetryMs + 30_000
const names = { from: 'absent from', until: 'absent until' }

/**
 * Times in which no delivery could be taken. A short one loses nothing, because the provider repeats; but each of its attempts may have met
 * another short one, so those that follow each other closely count as one.
 */
export const createDowntime = (store: Pick<Store, 'timestamps'>) => ({
  /** Notes one that has ended. Gives in which span deliveries may be lost; undefined: none can be. */
  async note(from: number, until: number): Promise<{ from: number; to: number } | undefined> {
    const [before, ended] = [await store.timestamps.get(names.from), await store.timestamps.get(names.until)]
    const since = before !== undefined && ended !== undefined && from - ended < restMs ? Math.min(before, from) : from
    await store.timestamps.put(names.from, since)
    await store.timestamps.put(names.until, until)
    return until - since > providerRetryMs ? { from: since - deliveryLagMs, to: until } : undefined
  },
})
