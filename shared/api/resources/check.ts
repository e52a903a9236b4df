import { once, z } from '#kit'
import { text } from './fields.ts'

export const check = once(() =>
  z.object({
    id: text.describe('The same each time for the same finding'),
    level: z
      .enum(['ok', 'warning', 'problem'])
      .describe('problem: does not work; warning: works, but something should be done'),
    title: text.describe('What was checked'),
    detail: text.describe('What was found'),
    about: z
      .object({
        kind: z.enum(['connection', 'subscription', 'starts', 'limits', 'keys', 'audit']),
        tenant: text.nullable().describe('null: of the whole installation'),
        id: text.nullable().describe('null: of all of them'),
      })
      .exactOptional()
      .describe('Where something can be done about it'),
    remedy: text.nullable().describe('What to do about it; null: nothing'),
  }),
)

export type Check = z.infer<ReturnType<typeof check>>
