import { once, z } from '#kit'
import { budget } from './budget.ts'
import { text, time } from './fields.ts'

const ownConnection = once(() =>
  z.object({
    id: text,
    integration: text,
    name: text,
    state: z.enum(['connected', 'unverified', 'needs_reconnect', 'revoked', 'disabled']),
    isDefault: z.boolean().describe('What their calls use that name no connection'),
  }),
)

export const personDetail = once(() =>
  z.object({
    id: text.describe("The platform's own id"),
    connections: z.array(ownConnection()).describe('Their own accounts; those of the workspace are not listed'),
    budgets: z.array(budget()).describe('Limits of their runs alone'),
    usage: z
      .object({ days: z.int(), runs: z.int(), failed: z.int(), calls: z.int(), credits: z.number() })
      .describe('Of the last days, as far as the runs are still stored'),
    createdAt: time.describe('When they were first named here'),
  }),
)

export type Person = z.infer<ReturnType<typeof personDetail>>
