/** The secret that signs the deliveries of all subscriptions of the account. */
import { createHash } from 'node:crypto'
import type { Handler } from '../../../lookups/server.ts'
import { answered, refused } from './requests.ts'
import type { Webhooks } from './state.ts'

/** Makes a new secret; nothing is signed with the former one any more. */
export const renewSecret = (webhooks: Webhooks): string => {
  webhooks.made += 1
  const digest = createHash('sha256').update(`secret ${webhooks.made}`).digest('hex')
  webhooks.secret = `whsec_${digest.slice(0, 51)}`
  return webhooks.secret
}

export const secretRoutes = (webhooks: Webhooks): Record<string, Handler> => ({
  'GET /api/account/secret': () =>
    webhooks.secret === undefined
      ? refused(404, 'Account secret not found. Please generate one first.')
      : answered(200, { secret: webhooks.secret }),
  'POST /api/account/secret/regenerate': () => answered(200, { secret: renewSecret(webhooks) }),
})
