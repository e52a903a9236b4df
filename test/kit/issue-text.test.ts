import { expect, test } from 'vitest'
import { issueText, z } from '#kit'

const textOf = (schema: z.ZodType, value: unknown) => issueText(schema.safeParse(value).error!.issues[0]!)

test.each<[z.ZodType, unknown, string]>([
  [z.string(), undefined, 'is required.'],
  [z.string(), 5, 'must be text.'],
  [z.number(), '5', 'must be a number.'],
  [z.boolean(), 'yes', 'must be true or false.'],
  [z.array(z.string()), 'a', 'must be a list.'],
  [z.strictObject({}), 'a', 'must be an object.'],
  [z.string().min(1), '', 'must not be empty.'],
  [z.string().max(3), 'abcd', 'must have at most 3 characters.'],
  [z.array(z.string()).min(2), ['a'], 'must have at least 2 entries.'],
  [z.number().min(1), 0, 'must be at least 1.'],
  [z.number().positive(), 0, 'must be greater than 0.'],
  [z.number().max(200), 201, 'must be at most 200.'],
  [z.enum(['webhook', 'poll']), 'mail', 'must be one of: webhook, poll.'],
  [z.string().min(1, 'Give a name.'), '', 'Give a name.'],
])('an issue of zod in words for the caller: %#', (schema, value, text) => {
  expect(textOf(schema, value)).toBe(text)
})
