import { once, z } from '#kit'

import { jsonObject, rowId, text, time } from './fields.ts'
import { sentence } from './sentence.ts'
import { cause } from './start.ts'

const ref = once(() => z.object({ kind: text, id: text, name: text.exactOptional(), url: text.exactOptional() }))

/** Kinds of reasons why an event starts nothing. */
export const whyNot = [
  'polled',
  'type',
  'model',
  'paused',
  'before_start',
  'own_event',
  'config',
  'started',
  'facts',
  'defect',
] as const

/** One subscription, and why an event does not start it. */
export const verdictShape = once(() => ({
  subscription: text,
  trigger: text,
  agent: text.nullable().describe('Your own id for the agent'),
  reason: text.nullable().describe('The same as a sentence'),
  fields: z.array(text).describe('Fields of its config that the event does not match'),
}))

export const deliveryPreviewBody = once(() =>
  z.strictObject({
    integration: rowId,
    connection: rowId
      .optional()
      .describe('Id or name of the connection; absent: the default connection of the integration'),
    body: z
      .union([z.string().min(1), jsonObject()])
      .describe('The body of the delivery: its JSON as text, or as an object'),
    headers: z
      .record(z.string().max(256), z.string().max(8192))
      .optional()
      .describe('Headers of the delivery, where the integration reads them'),
    model: z
      .string()
      .max(600)
      .optional()
      .describe('What the hook watches, as <kind>:<id>, where the delivery itself does not say'),
  }),
)

export const deliveryPreview = once(() =>
  z.object({
    connection: text.describe('Id of the connection'),
    events: z.array(
      z.object({
        id: text,
        type: text,
        at: time.describe("The provider's time"),
        causedByUs: cause(),
        summary: sentence().nullable().describe('What happened; null where the integration has no words for it'),
        known: z.boolean().describe('Already stored: delivering it again would be a repeat'),
        subject: ref().nullable().describe('What it is about. Untrusted'),
        container: ref().nullable().describe('What contains the subject. Untrusted'),
        before: jsonObject().nullable().describe('Previous values of the changed properties. Untrusted'),
        after: jsonObject().nullable().describe('New values of the same properties. Untrusted'),
        subscriptions: z
          .array(
            z.object({
              ...verdictShape(),
              starts: z.union([z.boolean(), z.literal('unknown')]).describe('Whether the event would start it'),
              why: z.enum(whyNot).nullable().describe('Why not: the kind of reason'),
              start: text.nullable().describe('Key of the start that it would have, or has'),
            }),
          )
          .describe('Every subscription of the connection'),
      }),
    ),
    ignored: text.nullable().describe('Why it is a delivery without an event, such as a ping'),
    undecodable: text.nullable().describe('Why a part of it cannot be read'),
    more: z.boolean().describe('There are more than the 20 events or 200 subscriptions that a preview shows'),
  }),
)

export type DeliveryPreview = z.infer<ReturnType<typeof deliveryPreview>>
