import { once, z } from '#kit'
import { rowId, text } from './fields.ts'

export const newAgent = once(() =>
  z.strictObject({
    id: z.string().min(1).max(256).optional().describe('Your own id for the agent; included in every start'),
    url: z
      .string()
      .min(1)
      .max(2048)
      .optional()
      .describe('Starts are sent here by POST. A private address must be one of the origins the operator allows'),
    secret: z
      .string()
      .max(256)
      .optional()
      .describe('"whsec_" and 24 to 64 bytes in base64; absent: one is created and returned only in this response'),
  }),
)

export const newAgentTest = once(() =>
  z.strictObject({
    url: newAgent().shape.url.describe('The address to test, as for attaching; absent: that of `subscription`'),
    secret: z
      .string()
      .max(256)
      .optional()
      .describe('Signs the call to `url`; absent: a secret that the agent does not know is made for the test'),
    subscription: rowId.optional().describe('Tests the address of this subscription, with its secret'),
  }),
)

export type NewAgentTest = z.infer<ReturnType<typeof newAgentTest>>

export const agentTested = once(() =>
  z.object({
    id: text.describe('`webhook-id` of the call'),
    ok: z.boolean().describe('Whether the agent would take a start: it answered 2xx or 409'),
    status: z.int().nullable().describe('null: there was no answer'),
    message: text.nullable().describe('What a start would store of the answer, or why there was none'),
    remedy: text.nullable().describe('What to do; null if it is `ok`'),
    signedWith: z
      .enum(['subscription', 'given', 'made'])
      .describe('Whose secret signed the call: of the subscription, the given one, or one made for this test'),
    durationMs: z.number(),
  }),
)

export type AgentTested = z.infer<ReturnType<typeof agentTested>>
