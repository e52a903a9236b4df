/** Deliveries that the provider does not send: forged, stale and unknown ones, and copies of those that it sent. */
import { randomUUID } from 'node:crypto'
import { isReceipt, signedHeaders } from '../support/signal-deliveries.ts'
import type { DeliveryReply } from '../support/signal-deliveries.ts'
import type { Delivery } from './signals-road.ts'

export const noises = ['forged', 'stale', 'unknown', 'repeated'] as const
export type Noise = (typeof noises)[number]
/** A delivery, and whether an answer to it is right. */
type Made = { delivery: Delivery; isRight(reply: DeliveryReply): boolean }

const tooOldMs = 10 * 60_000
const forgedCredits = 1000

const status = (wanted: number) => (reply: DeliveryReply) => reply.status === wanted

/** `genuine`: a delivery that the provider has sent. `nth`: which of the variants. */
export const makeNoise = (noise: Noise, genuine: Delivery, secret: string, nth: number): Made => {
  const id = randomUUID()
  const body = (changes: object) => JSON.stringify({ ...JSON.parse(genuine.body), id, ...changes })
  const signed = (text: string, agoMs = 0, key = secret, path = genuine.path): Delivery => ({
    path,
    headers: signedHeaders(key, text, Date.now() - agoMs),
    body: text,
  })
  const forgedBody = body({ billing: { creditsCharged: forgedCredits } })
  const right = signed(forgedBody)
  const { 'x-lusha-signature': _, ...unsigned } = right.headers
  const variants: Record<Noise, () => Made[]> = {
    forged: () =>
      [
        signed(forgedBody, 0, 'whsec_somebody-else'),
        { ...genuine, body: forgedBody },
        { ...right, headers: unsigned },
        // Signed at another time than it says.
        { ...right, headers: { ...right.headers, 'x-lusha-timestamp': String(Math.floor(Date.now() / 1000) - 60) } },
      ].map((delivery) => ({ delivery, isRight: status(401) })),
    stale: () =>
      [signed(body({}), tooOldMs), signed(body({}), -tooOldMs), signed(genuine.body, tooOldMs)].map((delivery) => ({
        delivery,
        isRight: status(401),
      })),
    unknown: () => [
      ...[
        body({ type: 'somethingNew', billing: { creditsCharged: 0 } }),
        body({ entityId: '1', billing: { creditsCharged: 0 } }),
        JSON.stringify({ id, about: 'nothing that we know' }),
      ].map((text) => ({ delivery: signed(text), isRight: (reply: DeliveryReply) => isReceipt(reply, id) })),
      // The answer does not reveal whether an address is known.
      { delivery: signed(body({}), 0, secret, `${genuine.path}x`), isRight: status(401) },
    ],
    repeated: () => [
      { delivery: genuine, isRight: (reply) => isReceipt(reply, (JSON.parse(genuine.body) as { id: string }).id) },
    ],
  }
  const all = variants[noise]()
  return all[nth % all.length]!
}
