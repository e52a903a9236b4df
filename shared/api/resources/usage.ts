import { once, z } from '#kit'
import { budget } from './budget.ts'
import { text } from './fields.ts'

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
  }),
)

export type UsageRow = z.infer<ReturnType<typeof usageRow>>

export const usage = once(() =>
  z.object({
    items: z.array(usageRow()),
    spent: z.array(spentRow()).describe('Credits of the ledger, by the day on which they were reserved'),
    budgets: z.array(budget()),
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
  }),
)

export type SpentRow = z.infer<ReturnType<typeof spentRow>>
