import { once, z } from '#kit'
import { id, ownedBy, text, time } from './fields.ts'
import { page } from './page.ts'

export const gap = once(() =>
  z.object({
    id: text,
    connection: text,
    model: text,
    from: time,
    to: time,
    kind: text.describe('What cannot be recovered'),
    reason: text,
    createdAt: time,
  }),
)

export type Gap = z.infer<ReturnType<typeof gap>>

export const gapFilter = once(() =>
  z.strictObject({
    ...page().shape,
    connection: id.optional(),
    model: z.string().max(600).optional(),
    ...ownedBy('the connection'),
  }),
)
