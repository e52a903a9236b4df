import { once, z } from '#kit'
import { credits } from './budget.ts'
import { id, ownPerson, text, time } from './fields.ts'

export const grant = once(() =>
  z.object({
    id: text,
    client: z
      .object({
        id: text,
        name: text.nullable().describe('What it calls itself; nobody has verified it'),
        host: text.nullable().describe('Host that vouches for it; null: nobody does'),
      })
      .describe('The program that was let in'),
    resource: text.describe('The path of this server that its tokens are good for'),
    scopes: z.array(text),
    steps: z.array(text).nullable().describe('The steps that it may run; null: all'),
    connections: z.array(text).nullable().describe('The accounts that it may use; null: all of whom it acts for'),
    person: ownPerson,
    who: text.describe('Who let it in'),
    monthlyCredits: z.number().nullable().describe('What its runs may cost in a month; null: no limit of its own'),
    createdAt: time,
    lastUsedAt: time.nullable().describe('To the minute'),
    expiresAt: time.describe('A use extends it'),
  }),
)

export type Grant = z.infer<ReturnType<typeof grant>>

export const grantChanges = once(() =>
  z.strictObject({
    scopes: z.array(text.max(128)).min(1).max(50).optional().describe('The scopes that it keeps; absent: unchanged'),
    steps: z.array(text.max(256)).max(1000).optional().describe('The steps that it keeps; absent: unchanged'),
    connections: z.array(id).max(500).optional().describe('The connections that it keeps; absent: unchanged'),
    monthlyCredits: credits.optional().describe('Its new limit, in credits; at most the present one'),
  }),
)

export type GrantChanges = z.infer<ReturnType<typeof grantChanges>>
