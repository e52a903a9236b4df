import type { Pack } from '../pack-types.ts'
import type { RawDelivery } from './delivery-case.ts'

type Received = RawDelivery & { integration: string }

const maxDeliveries = 50

const flat = (headers: { readonly [name: string]: string | string[] | undefined }): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  )

/** The deliveries that a pack accepted last, kept in memory for an author who makes examples of them. */
export const createRecentDeliveries = () => {
  const received: Received[] = []
  return {
    watch<P extends Pick<Pack, 'receive'>>(pack: P): P {
      return {
        ...pack,
        async receive(delivery) {
          const receipt = await pack.receive(delivery)
          if (receipt.status === 200 && delivery.method === 'POST') {
            const { integration, headers, body } = delivery
            received.unshift({ integration, headers: flat(headers), body: Buffer.from(body).toString('utf8') })
            received.length = Math.min(received.length, maxDeliveries)
          }
          return receipt
        },
      }
    },
    /** Newest first. */
    of: (integration: string): RawDelivery[] => received.filter((delivery) => delivery.integration === integration),
  }
}
