import { once, z } from '#kit'
import { id, ownedBy, text, time } from './fields.ts'
import { page } from './page.ts'

export const hook = once(() =>
  z.object({
    id: text,
    integration: text,
    connection: text,
    model: text.describe('What it watches, as <kind>:<id>'),
    callbackUrl: text.describe('As registered; the signature may cover it'),
    providerId: text.nullable().describe("The provider's id for it"),
    state: z
      .enum(['wanted', 'active', 'failing', 'broken', 'deleting', 'deleted'])
      .describe('failing: registered and active, but deliveries fail'),
    stateReason: text.nullable(),
    stateAt: time,
    failures: z
      .int()
      .describe('Consecutive failures: as last reported by the provider, or the number of deliveries refused here'),
    refused: z.int().describe('Consecutive deliveries refused here since the last accepted one'),
    lastRefusedAt: time.nullable(),
    lastDeliveryAt: time.nullable(),
    createdAt: time,
    updatedAt: time,
  }),
)

export type Hook = z.infer<ReturnType<typeof hook>>

export const pruned = once(() =>
  z.object({
    subscriptions: z.int().describe('Subscriptions paused'),
    hooks: z.int().describe('Hooks removed from the provider'),
  }),
)

export const hookFilter = once(() =>
  z.strictObject({
    ...page().shape,
    connection: id.optional(),
    integration: id.optional(),
    ...ownedBy('the connection'),
  }),
)
