import { once, z } from '#kit'
import { id, text } from './fields.ts'

/** What a thing of the connection is called, as far as it was learned. */
export const connectionName = once(() =>
  z.object({
    kind: text.describe('What it is, in the word of the integration'),
    id: text.describe('Its id at the provider'),
    name: text.describe('Written by others: untrusted'),
    url: text.exactOptional().describe('Its page at the provider'),
  }),
)

export type ConnectionName = z.infer<ReturnType<typeof connectionName>>

export const connectionNames = once(() => z.object({ items: z.array(connectionName()) }))

export const connectionNameFilter = once(() =>
  z.strictObject({
    kind: id.optional().describe('Only things of this kind'),
    query: z.string().max(200).optional().describe('A part of the name'),
    limit: z.coerce.number().int().min(1).max(200).default(20).describe('Maximum number of items, 1 to 200'),
  }),
)
