import { once, z } from '#kit'
import { allScopes } from '../rules.ts'
import { dateTime, displayName, id, ownPerson, person, tenantId, text, time } from './fields.ts'

export const tokenScope = z.enum(allScopes)

export const token = once(() =>
  z.object({
    id: text,
    tenant: text,
    name: text,
    last4: text,
    scopes: z.array(tokenScope),
    steps: z.array(text).nullable(),
    connections: z.array(text).nullable(),
    toolSet: text.nullable(),
    person: ownPerson,
    createdAt: time,
    expiresAt: time.nullable(),
    revokedAt: time.nullable(),
  }),
)

export type Token = z.infer<ReturnType<typeof token>>

export const newToken = once(() =>
  z.strictObject({
    tenant: tenantId,
    name: displayName,
    scopes: z.array(tokenScope).min(1).optional().describe('Absent: all except admin'),
    steps: z
      .array(z.string().min(3).max(256))
      .max(500)
      .optional()
      .describe('Only these steps, each "integration/step"'),
    connections: z.array(id).max(500).optional().describe('Only these connections, by id'),
    toolSet: z.string().min(1).max(64).optional().describe('Only the steps of this tool set, such as core'),
    person: person.optional().describe('It acts for this end user of the platform alone'),
    expiresAt: dateTime.optional(),
  }),
)

export const createdToken = once(() => z.object({ text: text.describe('Shown only once'), token: token() }))

export type CreatedToken = z.infer<ReturnType<typeof createdToken>>
