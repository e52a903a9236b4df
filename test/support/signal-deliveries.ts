/** Deliveries of signals as their provider signs and accepts them, written from its document alone. */
import { createHmac } from 'node:crypto'

/** The headers of a delivery that is signed `at` (ms since 1970). */
export const signedHeaders = (secret: string, body: string, at: number): Record<string, string> => {
  const timestamp = String(Math.floor(at / 1000))
  return {
    'content-type': 'application/json',
    'x-lusha-signature': createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex'),
    'x-lusha-timestamp': timestamp,
  }
}

export type DeliveryReply = { status: number; contentType: string; body: string }

/** Whether the answer to the delivery with this id is the one that the provider requires. */
export const isReceipt = ({ status, contentType, body }: DeliveryReply, id: string): boolean => {
  if (status !== 200 || !/^application\/json\b/.test(contentType)) return false
  const { received, timestamp, webhookId } = JSON.parse(body) as Record<string, unknown>
  return received === true && webhookId === id && !Number.isNaN(Date.parse(String(timestamp)))
}
