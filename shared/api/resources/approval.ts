import { once, z } from '#kit'
import { ruleDeciders } from './approval-rule.ts'
import { failureCode, json, ownPerson, personFilter, text, time } from './fields.ts'
import { page } from './page.ts'
import { sentence } from './sentence.ts'

export const approvalState = z.enum(['open', 'approved', 'sending', 'done', 'denied', 'expired'])

export const approval = once(() =>
  z.object({
    id: text,
    state: approvalState.describe(
      'open: waits for a decision; approved: will be sent; sending: is being sent; done: was sent, see `code` for a failure; denied: nothing was sent; expired: nothing was sent, because nobody decided in time or it may not be sent any more',
    ),
    summary: sentence()
      .nullable()
      .describe('Who wants to do what; null: its content was removed, or is too long to be read for a list'),
    kind: z
      .enum(['step', 'lookup', 'job'])
      .describe('What waits: a run of a step, a lookup at several providers, or a job'),
    integration: text,
    step: text,
    connection: text.nullable(),
    effect: z.enum(['read', 'create', 'update', 'delete']),
    credits: z
      .number()
      .nullable()
      .describe('The most that it may cost, in credits; null: it costs nothing, or nobody knows (see `price`)'),
    token: text.nullable().describe('The token or grant that made the call'),
    names: z
      .record(z.string(), text)
      .describe(
        'Names by id, of the tokens, the connection and the rule that it mentions; those that are gone are absent',
      ),
    person: ownPerson,
    startId: text.nullable().describe('The agent start that the call belongs to'),
    rule: text.describe('Id of the rule that holds it'),
    by: ruleDeciders().describe('Who decides'),
    mayDecide: z.boolean().describe('Whether this token may decide about it now'),
    price: z
      .enum(['free', 'credits', 'unknown'])
      .describe('credits: up to `credits`; unknown: nobody knows what it costs, and nothing limits it'),
    version: z
      .int()
      .describe(
        '1 when it is first held, and one more each time that what would be sent has changed; 0: its content was removed, or is too long to be read for a list',
      ),
    runId: text.nullable().describe('The run that sent it'),
    code: failureCode.nullable().describe('The failure that it ended with'),
    mayHaveHappened: z.boolean().describe('Whether it ended so that nobody knows if it was carried out'),
    decidedBy: text.nullable(),
    decidedAt: time.nullable(),
    createdAt: time,
    expiresAt: time.describe('Until when it can be decided; once it is approved, until when it can be sent'),
    endedAt: time.nullable(),
  }),
)

export type Approval = z.infer<ReturnType<typeof approval>>

export const approvalDetail = once(() =>
  approval().extend({
    title: text.nullable().describe('What would be run, and with which account'),
    input: json.describe('The input of the call'),
    requests: z.array(json).describe('The requests that would be sent, as a dry run shows them: secrets are masked'),
    complete: z.boolean().describe('false: later requests depend on the answers to these'),
    maxCredits: z.number().nullable().describe('The smaller limit that whoever approved it has set, in credits'),
    reason: text.nullable().describe('Why it was denied, was not sent, or is held again'),
    erased: z.boolean().describe('Whether its content was removed, by an erasure or because of its age'),
  }),
)

export type ApprovalDetail = z.infer<ReturnType<typeof approvalDetail>>

export const approvalFilter = once(() =>
  z.strictObject({
    ...page().shape,
    state: approvalState.optional().describe('Only those in this state'),
    person: personFilter,
  }),
)

export const approveBody = once(() =>
  z.strictObject({
    version: z
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .describe(
        'The version that was looked at, by default 1: if what would be sent has changed since, this is refused with `conflict`',
      ),
    maxCredits: z
      .number()
      .min(0)
      .max(1_000_000_000_000)
      .optional()
      .describe('A smaller limit than the most that it may cost, in credits'),
  }),
)

export const denyBody = once(() =>
  z.strictObject({
    reason: text.min(1).max(500).optional().describe('Told to whoever made the call'),
  }),
)

export type ApproveBody = z.infer<ReturnType<typeof approveBody>>
export type DenyBody = z.infer<ReturnType<typeof denyBody>>
