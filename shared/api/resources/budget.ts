import { once, z } from '#kit'
import { text, time } from './fields.ts'

export const credits = z.number().min(0).max(1_000_000_000_000)

const warnAt = z
  .number()
  .gt(0)
  .max(1)
  .nullable()
  .describe('Share of the credits from which the notification budget.warned is sent; null: never')

const budgetScope = z.enum(['tenant', 'connection', 'token', 'person'])

export const budgetPeriod = z.enum(['day', 'week', 'month', 'total'])

export const newBudget = once(() =>
  z.strictObject({
    scope: budgetScope.describe('Whose runs it counts: all of the tenant, or those of one connection, token or person'),
    subject: text.min(1).max(256).optional().describe('Id of the connection, token or person'),
    integration: text.min(1).max(64).optional().describe('Only its runs; absent: those of every integration'),
    credits: credits.describe('No run is sent that might make the period cost more'),
    period: budgetPeriod.describe('It is full again with each; weeks begin on Monday. total: never'),
    timeZone: text
      .max(64)
      .optional()
      .describe(
        'IANA name of the time zone in which days, weeks and months begin, such as Australia/Sydney; UTC when absent',
      ),
    warnAt: warnAt
      .optional()
      .describe('Share of the credits from which the notification budget.warned is sent; 0.8 when absent; null: never'),
  }),
)

export type NewBudget = z.infer<ReturnType<typeof newBudget>>

export const budgetChanges = once(() => z.strictObject({ credits: credits.optional(), warnAt: warnAt.optional() }))

export type BudgetChanges = z.infer<ReturnType<typeof budgetChanges>>

export const budget = once(() =>
  z.object({
    id: text,
    scope: budgetScope,
    subject: text.nullable(),
    subjectName: text
      .nullable()
      .describe('Name of the connection or token, or id of the person; null: a budget of the tenant, or it is gone'),
    integration: text.nullable(),
    credits: z.number(),
    period: budgetPeriod,
    timeZone: text,
    warnAt,
    spent: z.number().describe('In this period'),
    reserved: z
      .number()
      .describe('By runs that are being sent, and by those of unknown outcome that nobody has resolved'),
    remaining: z.number(),
    periodStart: time,
    periodEnd: time.nullable().describe('null: it does not end'),
    projectedRunOutAt: time
      .nullable()
      .describe('When nothing remains, at the pace of this period so far; null: not in this period'),
    createdAt: time,
    updatedAt: time,
  }),
)

export type Budget = z.infer<ReturnType<typeof budget>>
