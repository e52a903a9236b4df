import { z } from '#kit'
import type { Trigger } from '#kit'

/** Events before the subscription that it may ask for. */
export const maxRecent = 100
const maxSettleMs = 24 * 3_600_000
const maxAnswerMs = 15 * 60_000

/** Options of a subscription, for forms and schemas. */
export const subscriptionOptions = z.strictObject({
  delivery: z.enum(['webhook', 'poll']).optional().meta({
    title: 'Delivery',
    description: 'How events are told: by the provider at once, or found by looking at intervals. Absent: by webhook where that can be.',
  }),
  startFrom: z
    .string()
    .optional()
    .meta({
      title: 'Start from',
      description: `Also start for what happened before: since a date (RFC 3339), or "recent:25" for the newest 25 (at most ${maxRecent}).`,
    }),
  settleMs: z.int().min(1000).max(maxSettleMs).optional().meta({
    title: 'Quiet period',
    description: 'Quiet period in ms: changes of one card start the agent once, when nothing more has happened to it for so long.',
  }),
  ownEvents: z.boolean().optional().meta({ title: 'Own events', description: 'Also start for what our own runs caused; at most 3 starts in a chain.' }),
  serial: z
    .boolean()
    .optional()
    .meta({ title: 'One after another', description: 'Starts about the same card wait for each other, in the order they happened.' }),
  timeoutMs: z.int().min(1000).max(maxAnswerMs).optional().meta({
    title: 'Time to answer',
    description: 'How long the agent may take to answer a start, in ms (1 s to 15 min); then it is asked again later. Absent: 5 minutes.',
  }),
})

/** Those of one trigger: with one way of delivery there is no choice, and polled events have no quiet period. */
export const optionsOf = (trigger: Pick<Trigger, 'webhook'>, deliveries: string[]) =>
  subscriptionOptions.omit({ ...(deliveries.length < 2 ? { delivery: true as const } : {}), ...(trigger.webhook ? {} : { settleMs: true as const }) })
