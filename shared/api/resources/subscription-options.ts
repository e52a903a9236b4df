import { once, z } from '#kit'

/** The most past events that a new subscription may ask for (`recent:<n>`). */
export const maxRecent = 100

const maxSettleMs = 24 * 3_600_000

const maxAnswerMs = 15 * 60_000

/** The field `startFrom`; `description` says which values it takes. */
export const startFrom = (description: string) =>
  z
    .string()
    .optional()
    .meta({ title: 'Start from', description: `Also start for earlier events: ${description}` })

/** Options of a subscription, for forms and schemas alike. */
export const subscriptionOptions = once(() =>
  z.strictObject({
    delivery: z.enum(['webhook', 'poll']).optional().meta({
      title: 'Delivery',
      description: 'How events are delivered: instantly by webhook, or by polling. Absent: by webhook if possible.',
    }),
    startFrom: startFrom(`since a date (RFC 3339), or "recent:25" for the newest 25 (at most ${maxRecent}).`),
    settleMs: z.int().min(1000).max(maxSettleMs).optional().meta({
      title: 'Quiet period',
      description:
        'Quiet period in ms: events about the same subject start the agent once, when none has followed for this long.',
    }),
    ownEvents: z.boolean().optional().meta({
      title: 'Own events',
      description: 'Whether to start for events caused by our own runs too; at most 3 starts in a chain.',
    }),
    serial: z.boolean().optional().meta({
      title: 'One after another',
      description: 'Whether starts about the same subject run one after another, in the order of their events.',
    }),
    timeoutMs: z.int().min(1000).max(maxAnswerMs).optional().meta({
      title: 'Response time',
      description:
        'How long the agent may take to respond to a start, in ms (1 s to 15 min); after that it is called again later. Absent: 5 minutes.',
    }),
  }),
)

export type SubscriptionOptions = z.infer<ReturnType<typeof subscriptionOptions>>
