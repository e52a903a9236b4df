import { once, z } from '#kit'
import { about, failureCode, text, time } from './fields.ts'

export const problem = once(() =>
  z.object({
    type: text.describe('Stable identifier of the kind of failure'),
    title: text.describe('Meaning of the code'),
    status: z.int(),
    detail: text.describe('What went wrong and what to do about it'),
    instance: text.exactOptional().describe('Path of the run'),
    code: failureCode,
    retryable: z.boolean().describe('Whether the same request may be sent again unchanged'),
    actor: z.enum(['caller', 'account-owner', 'operator', 'provider', 'us']).describe('Who has to act'),
    about,
    mayHaveHappened: z
      .literal(true)
      .exactOptional()
      .describe('Present where it may have been carried out at the provider'),
    retryAfterMs: z.number().exactOptional(),
    runId: text.exactOptional(),
    requestId: text.exactOptional().describe('Id of the request, which the header X-Request-Id and the log have too'),
    providerStatus: z.int().exactOptional().describe("The provider's own status"),
    providerMessage: text.exactOptional().describe("The provider's own words; untrusted text"),
    connectUrl: text.exactOptional(),
    approval: z
      .object({
        id: text,
        state: z.enum(['open', 'approved', 'sending']).describe('open: waits for a decision; else it was approved'),
        url: text.exactOptional().describe('Where it can be decided, signed in'),
        expiresAt: time,
        by: z.enum(['caller', 'others']).describe('caller: whoever made the call may decide, too'),
      })
      .exactOptional()
      .describe('The held run that waits for a decision'),
    errors: z
      .array(z.object({ pointer: text, message: text }))
      .exactOptional()
      .describe(
        'Invalid fields as JSON pointers into the body (/query/… and /path/… for those parts); for invalid step inputs, into "input"',
      ),
  }),
)

export type Problem = z.infer<ReturnType<typeof problem>>
