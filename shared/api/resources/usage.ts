import { once, z } from '#kit'
import { budget } from './budget.ts'
import { personFilter, text } from './fields.ts'
import { money } from './money.ts'

const usageRow = once(() =>
  z.object({
    day: text.describe('In UTC, such as 2026-03-01'),
    integration: text,
    step: text,
    connection: text.nullable(),
    runs: z.int(),
    failed: z.int(),
    calls: z.int(),
    credits: z.number(),
    estimatedCredits: z.number().describe('How many of the credits are estimated'),
    waitedMs: z.int().describe('Time spent waiting for rate limits and between attempts'),
    refused: z.int().describe('How often the provider answered that its rate limit is used up (429)'),
    money: money().exactOptional(),
  }),
)

export type UsageRow = z.infer<ReturnType<typeof usageRow>>

/** What totals of usage are told apart by. */
export const usageGroup = z.enum(['step', 'person', 'connection'])

export type UsageGroup = z.infer<typeof usageGroup>

const usageTotal = once(() =>
  z.object({
    integration: text,
    step: text.nullable().describe('null unless the totals are by step'),
    person: text.nullable().describe('null unless the totals are by person, and for the runs that acted for nobody'),
    connection: text
      .nullable()
      .describe('null unless the totals are by connection, and for the runs that had no connection'),
    name: text
      .nullable()
      .describe('Title of the step, id of the person or name of the connection; null: nobody, none, or removed'),
    runs: z.int(),
    failed: z.int(),
    calls: z.int(),
    credits: z.number(),
    estimatedCredits: z.number().describe('How many of the credits are estimated'),
    money: money().exactOptional(),
  }),
)

export type UsageTotal = z.infer<ReturnType<typeof usageTotal>>

export const usage = once(() =>
  z.object({
    since: text.describe('The first day, in UTC'),
    until: text.nullable().describe('The last day; null: until now'),
    totals: z
      .array(usageTotal())
      .exactOptional()
      .describe('With `by`: one row for each integration and step, person or connection; the most credits first'),
    items: z.array(usageRow()),
    spent: z.array(spentRow()).describe('Credits of the ledger, by the day on which they were reserved'),
    budgets: z.array(budget()).describe('With what each has left in its present period'),
  }),
)

export type Usage = z.infer<ReturnType<typeof usage>>

export const spentRow = once(() =>
  z.object({
    day: text.describe('In UTC, such as 2026-03-01'),
    integration: text,
    step: text,
    connection: text.nullable(),
    token: text.nullable(),
    spent: z.number(),
    estimated: z.number().describe('How many of the spent credits are estimated'),
    reserved: z.number(),
    money: money().exactOptional(),
  }),
)

export type SpentRow = z.infer<ReturnType<typeof spentRow>>

/** `since` and `until` have precedence over `days`. */
export const usageFilter = once(() =>
  z.strictObject({
    days: z.coerce.number().int().min(1).max(366).default(30).describe('How many days back, 1 to 366'),
    since: z.iso.date().max(10).optional().describe('The first day, in UTC, such as 2026-11-01, in place of `days`'),
    until: z.iso.date().max(10).optional().describe('The last day, with `since`; absent: until now'),
    person: personFilter,
  }),
)

export type UsageFilter = z.infer<ReturnType<typeof usageFilter>>
