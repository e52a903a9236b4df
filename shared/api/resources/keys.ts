import { once, z } from '#kit'
import { text } from './fields.ts'

export const keysView = once(() =>
  z.object({
    present: text.describe('Id of the master key that secrets are sealed with'),
    previous: z.array(text).describe('Former keys that still open sealed rows'),
    kept: z.array(text).describe('Former keys kept for older backups'),
    rows: z.record(text, z.int()).describe('Number of sealed rows per key'),
  }),
)

export type Keys = z.infer<ReturnType<typeof keysView>>

export const rotation = once(() =>
  z.object({
    keyId: text,
    made: z.boolean().describe('false: the keys come from the environment, so no key was created'),
    resealed: z.int(),
    failed: z
      .array(z.object({ kind: text, tenant: text, id: text, reason: text }))
      .describe('Rows that no available key opens'),
    dropped: z.array(text).describe('Keys that only older backups still need'),
    kept: z.array(text).describe('Former keys kept in the key file for those backups'),
  }),
)

export type KeyRotation = z.infer<ReturnType<typeof rotation>>
