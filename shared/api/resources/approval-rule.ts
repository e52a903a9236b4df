import { once, z } from '#kit'
import { id, person, rowId, text, time } from './fields.ts'

const names = z.array(id.min(1)).min(1).max(200)

export const ruleConditions = once(() =>
  z.strictObject({
    integrations: names.optional().describe('Ids of integrations'),
    steps: names.optional().describe('Steps, as integration/step'),
    toolSets: names.optional().describe('Ids of tool sets'),
    effects: z
      .array(z.enum(['read', 'create', 'update', 'delete']))
      .min(1)
      .max(4)
      .optional()
      .describe('What the run does at the provider; read: lookups that cost credits'),
    creditsOver: z
      .number()
      .min(0)
      .max(1_000_000_000_000)
      .optional()
      .describe('Runs that may cost more credits than this; 0: all that cost anything'),
    objects: names
      .optional()
      .describe("The provider's ids of containers, such as projects: runs that touch one of them, or something in it"),
    connections: names.optional().describe('Ids of connections'),
    tokens: names.optional().describe('Ids of the tokens or grants that make the call'),
    people: z.array(person).min(1).max(200).optional().describe('End users whom the call acts for'),
  }),
)

export type RuleConditions = z.infer<ReturnType<typeof ruleConditions>>

export const ruleDeciders = once(() =>
  z.union([
    z.enum(['caller', 'approvers']),
    z
      .strictObject({
        people: z.array(person).min(1).max(200).optional(),
        tokens: z.array(rowId).min(1).max(200).optional(),
      })
      .refine(({ people, tokens }) => people !== undefined || tokens !== undefined, {
        message: 'Name people or tokens who decide.',
      }),
  ]),
)

export type RuleDeciders = z.infer<ReturnType<typeof ruleDeciders>>

const fields = () => ({
  name: text.min(1).max(128).nullable().describe('A name to recognise it by'),
  when: ruleConditions().describe(
    'Which runs are held: those that meet every condition. Without conditions: every run that changes or costs something',
  ),
  by: ruleDeciders().describe(
    'Who decides. approvers: every token with the scope `approvals` or `admin`, except whoever made the call; caller: these, and whoever made the call; people, tokens: only those named, who need the scope too',
  ),
  expiresMinutes: z.number().int().min(1).max(10_080).describe('How long a run waits for a decision, in minutes'),
})

export const newApprovalRule = once(() => {
  const { name, when, by, expiresMinutes } = fields()
  return z.strictObject({
    name: name.optional(),
    when: when.default({}),
    by: by.default('approvers'),
    expiresMinutes: expiresMinutes.default(1440),
  })
})

export type NewApprovalRule = z.infer<ReturnType<typeof newApprovalRule>>

export const approvalRuleChanges = once(() => z.strictObject(fields()).partial())

export type ApprovalRuleChanges = z.infer<ReturnType<typeof approvalRuleChanges>>

export const approvalRule = once(() =>
  z.object({
    id: text,
    ...fields(),
    source: z
      .enum(['workspace', 'operator'])
      .describe('operator: set for every workspace (TOOLYARD_APPROVAL_RULES); it cannot be changed here'),
    createdAt: time.nullable().describe('null: set by the operator'),
    updatedAt: time.nullable(),
  }),
)

export type ApprovalRule = z.infer<ReturnType<typeof approvalRule>>

/** A rule of the operator, as the setting has it. */
export const operatorRules = once(() => z.array(newApprovalRule()).max(100))
