import type { FieldSpec, Trigger } from '#kit'
import { startFrom, subscriptionOptions } from '../../api/resources/subscription-options.ts'

/** How a form shows them. What is only polled has no history to count events in. */
export const subscriptionFields = ({
  webhook,
}: Pick<Trigger, 'webhook'>): Record<string, FieldSpec & { options?: never }> => ({
  delivery: { labels: { webhook: 'Instant, by webhook', poll: 'By polling' } },
  startFrom: { placeholder: webhook ? 'recent:25' : '2026-03-31T17:00:00+11:00' },
  settleMs: { unit: 'ms' },
  timeoutMs: { unit: 'ms' },
})

/** Those of one trigger: with one way of delivery there is no choice, and polled events have no quiet period. */
export const optionsOf = (trigger: Pick<Trigger, 'webhook'>, deliveries: string[]) =>
  subscriptionOptions()
    .omit({
      ...(deliveries.length < 2 ? { delivery: true as const } : {}),
      ...(trigger.webhook ? {} : { settleMs: true as const }),
    })
    .extend(trigger.webhook ? {} : { startFrom: startFrom('since a date (RFC 3339).') })
