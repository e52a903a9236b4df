/**
 * Webhooks of v3, as its documents describe them: subscriptions of one contact or company each, the secret of the
 * account, signed deliveries, and their log.
 *
 * Chosen here, where the documents leave it open:
 * - A request with wrong types, unknown fields or more than 25 items is refused as a whole; an item without entity type
 *   or with unknown signal types fails alone. Types of the other kind of entity may be named beside fitting ones.
 * - One subscription for each contact or company, whatever its signal types. Ids are not checked: an unknown one never
 *   has a signal.
 * - HTTP addresses are refused, except those of this machine, to which alone the sandbox delivers.
 * - `X-Lusha-Timestamp` is in seconds. The key of the signature is the whole text of the secret, "whsec_" included.
 * - An answer that is not the required JSON counts as failed, as one without 2xx does. A payload about an opt-out has no
 *   id, so its answer needs a status alone.
 * - The waits before the three repeats are 1, 2 and 4 minutes. A repeat has the same id, a new time and a new signature.
 * - A signal costs 1 credit, charged when it is detected. Without credits or without a secret it is logged as failed and
 *   not delivered; a disabled subscription detects nothing.
 * - Management requests also count in the other windows.
 */
import type { Handler } from '../../../lookups/server.ts'
import type { Window, World } from '../../../lookups/world.ts'
import { secretRoutes } from './account-secret.ts'
import { auditRoutes } from './audit-logs.ts'
import { webhookVerbs } from './happen.ts'
import { optOutRoutes } from './opt-out.ts'
import { cancelTimers, createWebhooks, resetWebhooks } from './state.ts'
import { subscriptionRoutes } from './subscriptions.ts'
import { testRoutes } from './test-delivery.ts'

export const webhookWindow: Window = { name: 'webhooks', max: 100, windowMs: 60_000, below: '/api/' }

/** Routes without a body. */
export const bodyless = ['POST /api/subscriptions/{id}/test', 'POST /api/account/secret/regenerate']

export const webhooksOf = (world: World) => {
  const webhooks = createWebhooks(world)
  const routes: Record<string, Handler> = {
    ...optOutRoutes(webhooks),
    ...subscriptionRoutes(webhooks),
    ...testRoutes(webhooks),
    ...secretRoutes(webhooks),
    ...auditRoutes(webhooks),
  }
  return {
    routes,
    verbs: webhookVerbs(webhooks),
    reset: () => resetWebhooks(webhooks),
    stop: () => cancelTimers(webhooks),
  }
}
