import { once, z } from '#kit'
import type { FieldSpec, Trigger } from '#kit'

/** Events before the subscription that it may ask for. */
export const maxRecent = 100
const maxSettleMs = 24 * 3_600_000
const maxAnswerMs = 15 * 60_000

const startFrom = (description: string) =>
  z
    .string()
    .optional()
    .meta({ title: 'Start from', description: `Also start for earlier events: ${description}` })

/** Options of a subscription, for forms and schemas. */
export const subscriptionOptions = once(() =>
  z.strictObject({
    delivery: z.enum(['webhook', 'poll']).optional().meta({
      title: 'Delivery',
      description: 'How events are delivered: instantly by webhook, or by polling. Absent: by webhook if possible.',
    }),
    startFrom: startFrom(`since a date (RFC 3339), or "recent:25" for the newest 25 (at most ${maxRecent}).`),
    settleMs: z.int().min(1000).max(maxSettleMs).optional().meta({
      title: 'Quiet period',
      description: 'Quiet period in ms: events about the same subject start the agent once, when none has followed for this long.',
    }),
    ownEvents: z
      .boolean()
      .optional()
      .meta({ title: 'Own events', description: 'Whether to start for events caused by our own runs too; at most 3 starts in a chain.' }),
    serial: z
      .boolean()
      .optional()
      .meta({ title: 'One after another', description: 'Whether starts about the same subject run one after another, in the order of their events.' }),
    timeoutMs: z.int().min(1000).max(maxAnswerMs).optional().meta({
      title: 'Response time',
      description: 'How long the agent may take to respond to a start, in ms (1 s to 15 min); after that it is called again later. Absent: 5 minutes.',
    }),
  }),
)

/** How a form shows them. What is only polled has no history to count events in. */
export const subscriptionFields = ({ webhook }: Pick<Trigger, 'webhook'>): Record<string, FieldSpec & { options?: never }> => ({
  delivery: { labels: { webhook: 'Instant, by webhook', poll: 'By polling' } },
  startFrom: { placeholder: webhook ? 'recent:25' : '2026-03-31T17:00:00+11:00' },
  settleMs: { unit: 'ms' },
  timeoutMs: { unit: 'ms' },
})

/** Those of one trigger: with one way of delivery there is no choice, and polled events have no quiet period. */
export const optionsOf = (trigger: Pick<Trigger, 'webhook'>, deliveries: string[]) =>
  subscriptionOptions()
    .omit({ ...(deliveries.length < 2 ? { delivery: true as const } : {}), ...(trigger.webhook ? {} : { settleMs: true as const }) })
    .extend(trigger.webhook ? {} : { startFrom: startFrom('since a date (RFC 3339).') })
