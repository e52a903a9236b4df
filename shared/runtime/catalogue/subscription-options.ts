import type { FieldSpec, Trigger } from '#kit'
import { startFrom, subscriptionOptions } from '../../api/resources/subscription-options.ts'

/** How a form shows the options. A polled trigger has no history, so its `startFrom` cannot count events. */
export const subscriptionFields = ({
  webhook,
}: Pick<Trigger, 'webhook'>): Record<string, FieldSpec & { options?: never }> => ({
  delivery: { labels: { webhook: 'Instant, by webhook', poll: 'By polling' } },
  startFrom: { placeholder: webhook ? 'recent:25' : '2026-03-31T17:00:00+11:00' },
  settleMs: { unit: 'ms' },
  timeoutMs: { unit: 'ms' },
})

/** The options that one trigger has: no `delivery` if there is only one way, and no `settleMs` without a webhook. */
export const optionsOf = (trigger: Pick<Trigger, 'webhook'>, deliveries: string[]) =>
  subscriptionOptions()
    .omit({
      ...(deliveries.length < 2 ? { delivery: true as const } : {}),
      ...(trigger.webhook ? {} : { settleMs: true as const }),
    })
    .extend(trigger.webhook ? {} : { startFrom: startFrom('since a date (RFC 3339).') })
