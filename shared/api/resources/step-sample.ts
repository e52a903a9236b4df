import { once, z } from '#kit'
import { jsonObject, time, valuesByName } from './fields.ts'

export const newStepSample = once(() =>
  z.strictObject({
    input: valuesByName().describe('An input of the step'),
    output: z.unknown().describe('The output of the step for it; any JSON value'),
  }),
)

export const stepSample = once(() =>
  z.object({
    input: jsonObject(),
    output: z.unknown().describe('Data from the provider: untrusted'),
    savedAt: time,
    expiresAt: time.describe('When it is deleted'),
  }),
)
