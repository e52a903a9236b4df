import { once, z } from '#kit'
import type { FailureJson } from '#kit'
import { idempotencyKey, jsonObject, text } from './fields.ts'

export const checkHeaders = once(() =>
  z.looseObject({
    'idempotency-key': idempotencyKey
      .optional()
      .describe(
        '1 to 255 visible ASCII characters that identify this request: repeating it with the same key returns the stored result and sends nothing again',
      ),
  }),
)

export const wireCheck = once(() =>
  z.object({
    integration: text,
    profile: text,
    connection: z.object({ id: text, name: text }),
    endpoints: z.array(
      z.object({
        endpoint: text,
        method: text,
        path: text.nullable(),
        state: z
          .enum(['ok', 'wrong', 'untried'])
          .describe('untried: nothing was sent, or the answer says nothing about the endpoint'),
        says: text.describe('What was found, or why nothing was sent; of a wrong one it names the setting'),
        credits: z.number().exactOptional().describe('What a try may cost'),
        failure: (jsonObject() as z.ZodType as z.ZodType<FailureJson>).exactOptional(),
      }),
    ),
  }),
)

export type WireCheck = z.infer<ReturnType<typeof wireCheck>>
