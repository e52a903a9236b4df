import type { Integration, Trigger } from '#kit'

/** Why types of a trigger arrive by webhook only, where the integration says so. */
export const whyWebhookOnly = (
  { webhookOnly = [] }: Trigger,
  { webhooks }: Integration,
): { whyWebhookOnly?: Record<string, string> } => {
  const reasons = Object.entries(webhooks?.whyWebhookOnly ?? {}).filter(([type]) => webhookOnly.includes(type))
  return reasons.length > 0 ? { whyWebhookOnly: Object.fromEntries(reasons) } : {}
}
