import { z } from '#kit'
import { valuesByName } from './bounds.ts'

const time = z.iso.datetime().describe('RFC 3339')
const jsonObject = z.record(z.string(), z.unknown())

export const newSample = z.strictObject({
  input: valuesByName.describe('An input of the step'),
  output: z.unknown().describe('The output of the step for it; any JSON value'),
})
export const sample = z.object({
  input: jsonObject,
  output: z.unknown().describe('Data from the provider: untrusted'),
  savedAt: time,
  expiresAt: time.describe('When it is deleted'),
})
