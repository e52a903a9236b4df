/** Tests a subscription by a delivery that is signed as others are, and costs nothing. */
import type { Handler } from '../../../lookups/server.ts'
import { uuidOf } from '../../lusha/find.ts'
import { attempt } from './deliveries.ts'
import { notFound, refused } from './requests.ts'
import { happens, signalData } from './signals.ts'
import { timeIn } from './state.ts'
import type { Subscription, Webhooks } from './state.ts'

const modes = ['direct', 'kafka', 'full']

const run = async (webhooks: Webhooks, secret: string, subscription: Subscription, mode: string) => {
  const { id, name, url, entityType, entityId, signalTypes } = subscription
  webhooks.made += 1
  const payloadId = uuidOf('test', String(webhooks.made), id)
  const signalType = signalTypes.find((type) => happens(entityType, type)) ?? 'promotion'
  const data = signalData(webhooks.world, subscription, signalType, webhooks.made)
  const timestamp = timeIn(webhooks)
  const body = {
    id: payloadId,
    type: signalType,
    entityType,
    entityId,
    subscriptionId: id,
    data,
    timestamp,
    billing: { creditsCharged: 0 },
  }
  const { reply, error, durationMs } = await attempt(webhooks, secret, subscription, {
    id: payloadId,
    body,
    needsReceipt: true,
  })
  const isSuccess = error === null
  return {
    subscriptionId: id,
    ...(name === undefined ? {} : { subscriptionName: name }),
    url,
    mode,
    flowCheck: { success: isSuccess, statusCode: reply.status, durationMs },
    testPayload: { entityType, signalType, data },
    isSuccess,
    timestamp,
  }
}

export const testRoutes = (webhooks: Webhooks): Record<string, Handler> => ({
  'POST /api/subscriptions/{id}/test': ({ params: { id = '' }, query }) => {
    const subscription = webhooks.subscriptions.get(id)
    const mode = query.get('mode') ?? 'full'
    if (!modes.includes(mode)) return refused(400, `mode must be one of: ${modes.join(', ')}`)
    if (subscription === undefined) return notFound(id)
    const { secret } = webhooks
    if (secret === undefined) return refused(400, 'Account secret not found. Please generate one first.')
    return {
      ok: true,
      answer: { status: 200, body: undefined, complete: () => run(webhooks, secret, subscription, mode) },
      credits: 0,
    }
  },
})
