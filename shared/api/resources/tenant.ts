import { once, z } from '#kit'
import { displayName, text, time } from './fields.ts'

export const tenant = once(() => z.object({ id: text, name: text, createdAt: time }))

export type Tenant = z.infer<ReturnType<typeof tenant>>

export const newTenant = once(() => z.strictObject({ id: z.string().min(1).max(64).optional(), name: displayName }))
