import { once, z } from '#kit'
import { time, valuesByName } from './fields.ts'

export const newStepSample = once(() =>
  z.strictObject({
    input: valuesByName().describe('An input of the step'),
    output: z.unknown().describe('The output of the step for it; any JSON value'),
  }),
)

export const stepSample = once(() =>
  z.object({
    input: z.record(z.string(), z.unknown()),
    output: z.unknown().describe('Data from the provider: untrusted'),
    savedAt: time,
    expiresAt: time.describe('When it is deleted'),
  }),
)

export type StepSample = z.infer<ReturnType<typeof stepSample>>
