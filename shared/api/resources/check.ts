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
    remedy: text.nullable().describe('What to do about it; null: nothing'),
  }),
)

export type Check = z.infer<ReturnType<typeof check>>
