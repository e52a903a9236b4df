import { failField, watchedList } from '#kit'
import type { Trigger } from '#kit'
import type { OpenConnection } from '../../connections/open-connection.ts'
import type { Subscription } from '../../ports/index.ts'
import type { LoadedIntegration } from '../../catalogue/registry.ts'
import type { TriggerParts } from '../parts.ts'
import { hasSecret, isOfHook, signingSecretOf } from '../inbound/signing-secrets.ts'
import type { StartFrom } from './input.ts'

/** Refuses options that do not apply to this trigger. */
export const checkOptions = (
  trigger: Trigger,
  { settleMs, startFrom }: Subscription['options'],
  start: StartFrom | undefined,
) => {
  if (settleMs !== undefined && !trigger.webhook)
    throw failField(
      '/options/settleMs',
      `"${trigger.title}" is polled, so there is nothing to wait for. Leave settleMs out.`,
    )
  if (start && 'newest' in start && !trigger.webhook)
    throw failField(
      '/options/startFrom',
      `"${startFrom}" needs a history of events, which "${trigger.title}" does not have. Give a date, or leave it out.`,
    )
}

/** Decides how events reach a subscription: by webhook where that can work, or by polling; otherwise throws. */
export const createDelivery = ({ apps, publicUrl }: Pick<TriggerParts, 'apps' | 'publicUrl'>) => {
  const whyNoWebhook = async (
    { connection, account }: OpenConnection,
    { integration, wire: profile }: LoadedIntegration,
  ): Promise<string | undefined> => {
    if (!integration.webhooks || !profile.signature) return `${integration.title} has no webhooks here.`
    if (publicUrl() === undefined)
      return 'this server has no public URL that the provider could deliver to. The operator sets it.'
    if (isOfHook(profile.signature) || !hasSecret(profile.signature)) return undefined
    const put = `PUT /v1/apps/${integration.id}`
    const app = await apps.open(connection.tenant, integration.id)
    const signer = app?.[signingSecretOf(profile.signature, account.type)]
    if (!signer || signer.secrets.length === 0) {
      const field =
        signingSecretOf(profile.signature, account.type) === 'client'
          ? 'clientSecret, the secret of the OAuth 2.0 client'
          : 'secret, shown beside the API key'
      return `deliveries could not be verified: no app secret is known. Store the ${field}, with ${put}.`
    }
    const field = integration.connections.find(({ id }) => id === connection.type)?.appKey
    const key = field === undefined ? undefined : account.secrets[field]
    if (key === undefined || key === signer.key) return undefined
    return `deliveries could not be verified: connection "${connection.name}" uses the key of another app than the one whose secret is stored. Store key and secret of its app with ${put}, or reconnect it with the stored app.`
  }

  /** Suggests polling, and names the event types it would miss. */
  const offerPolling = ({ poll, webhook, recoverable, webhookOnly }: Trigger) => {
    if (!poll && (!webhook || recoverable === 'none')) return ' It cannot be polled either: it is webhook only.'
    const missed = webhookOnly?.length ? ` (${webhookOnly.join(', ')} would be missed)` : ''
    return ` Or set options.delivery to "poll"${missed}.`
  }

  /** @throws Failure `invalid_input` with the reason, and with what would work instead */
  const choose = async (
    opened: OpenConnection,
    loaded: LoadedIntegration,
    trigger: Trigger,
    config: Record<string, unknown>,
    requestedDelivery: 'webhook' | 'poll' | undefined,
  ): Promise<'webhook' | 'poll'> => {
    const isOfList = watchedList(trigger.within, config) !== undefined
    const canWatch = trigger.webhook !== undefined && (isOfList || trigger.webhook.watch(config).length > 0)
    const canPoll = trigger.poll !== undefined || (canWatch && trigger.recoverable !== 'none')
    if (requestedDelivery === 'poll' || (requestedDelivery === undefined && !canWatch)) {
      if (canPoll) return 'poll'
      throw failField(
        '/options/delivery',
        `"${trigger.title}" cannot be polled: it is webhook only. Leave options.delivery out, or give "webhook".`,
      )
    }
    if (!canWatch)
      throw failField(
        '/options/delivery',
        `"${trigger.title}" with this config is polled only: the provider sends no webhooks for it. Leave options.delivery out, or give "poll".`,
      )
    const why = await whyNoWebhook(opened, loaded)
    if (why === undefined) return 'webhook'
    throw failField(
      '/options/delivery',
      `"${trigger.title}" cannot be delivered by webhook: ${why}${offerPolling(trigger)}`,
    )
  }

  return { choose }
}
