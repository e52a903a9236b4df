/** Signed deliveries: their required answer, repeats, the log, and when a subscription is disabled. */
import { createHmac } from 'node:crypto'
import { sendOut } from '../../../outgoing.ts'
import type { Reply } from '../../../outgoing.ts'
import { uuidOf } from '../../lusha/find.ts'
import { timeIn } from './state.ts'
import type { AuditLog, Subscription, Webhooks } from './state.ts'

/** `needsReceipt`: whether the answer has to name the payload. */
export type Payload = { id: string; body: object; needsReceipt: boolean }

const timeoutMs = 10_000

const signatureOf = (secret: string, timestamp: string, body: string): string =>
  createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')

const read = (text: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** Why an answer is none; null when it is as required. */
const whyRefused = ({ status, contentType, body }: Reply, { id, needsReceipt }: Payload): string | null => {
  if (status === 0) return 'No response within 10 seconds'
  if (status < 200 || status > 299) return `Request failed with status code ${status}`
  if (!needsReceipt) return null
  const { received, timestamp, webhookId } = read(body)
  const isReceipt = received === true && webhookId === id && !Number.isNaN(Date.parse(String(timestamp)))
  return isReceipt && /^application\/json\b/i.test(contentType) ? null : 'Invalid acknowledgment'
}

export type Attempt = { reply: Reply; error: string | null; durationMs: number }

export const attempt = async (
  { world }: Webhooks,
  secret: string,
  { url }: Subscription,
  payload: Payload,
): Promise<Attempt> => {
  const start = world.now()
  const body = JSON.stringify(payload.body)
  const timestamp = String(Math.floor(start / 1000))
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Lusha-Webhooks/1.0',
    'x-lusha-signature': signatureOf(secret, timestamp, body),
    'x-lusha-timestamp': timestamp,
  }
  const reply = await sendOut({ method: 'POST', url, headers, body, timeoutMs }, world.schedule)
  return { reply, error: whyRefused(reply, payload), durationMs: world.now() - start }
}

type Logged = { statusCode: number; durationMs: number; error: string | null; isLast: boolean }

const log = (webhooks: Webhooks, { id, url }: Subscription, payload: Payload, logged: Logged): void => {
  const { isLast, ...about } = logged
  const failed: AuditLog['status'] = isLast ? 'permanent_failure' : 'failed'
  webhooks.logs.push({
    id: uuidOf('log', String(webhooks.logs.length), payload.id),
    subscriptionId: id,
    payloadId: payload.id,
    status: about.error === null ? 'success' : failed,
    url,
    deliveredAt: timeIn(webhooks),
    ...about,
  })
}

/** A delivery that is not sent, because the account cannot receive or pay for it. */
export const logUnsent = (webhooks: Webhooks, subscription: Subscription, payload: Payload, error: string): void =>
  log(webhooks, subscription, payload, { statusCode: 0, durationMs: 0, error, isLast: true })

const disable = (webhooks: Webhooks, subscription: Subscription): void => {
  const at = timeIn(webhooks)
  Object.assign(subscription, {
    isActive: false,
    blockReason: 'Max retries exceeded',
    blockedAt: at,
    updatedAt: at,
  })
}

const later = (webhooks: Webhooks, ms: number, run: () => void): void => {
  const cancel = webhooks.world.schedule(ms, () => {
    webhooks.timers.delete(cancel)
    run()
  })
  webhooks.timers.add(cancel)
}

/** Sends a payload, and again after each wait until it is answered; then the subscription is disabled. */
export const deliver = async (webhooks: Webhooks, id: string, payload: Payload, failures = 0): Promise<void> => {
  const subscription = webhooks.subscriptions.get(id)
  const { secret, settings } = webhooks
  // A change of the secret or the address counts from the next attempt.
  if (subscription?.isActive !== true || secret === undefined) return
  const { reply, error, durationMs } = await attempt(webhooks, secret, subscription, payload)
  // Deleted, or the sandbox was reset, while the answer was awaited.
  if (webhooks.subscriptions.get(id) !== subscription) return
  const wait = settings.waitsMs[failures]
  const isLast = wait === undefined
  log(webhooks, subscription, payload, { statusCode: reply.status, durationMs, error, isLast })
  if (error === null) return
  if (isLast) disable(webhooks, subscription)
  else later(webhooks, wait, () => void deliver(webhooks, id, payload, failures + 1))
}
