import * as z from 'zod'
import type { Normalised } from './normalised.ts'

/** A text field brought to its one form when parsed; what the normaliser refuses is refused with its reason. */
export const normalisedText = (normalise: (input: unknown) => Normalised) =>
  z.string().check((payload) => {
    const read = normalise(payload.value)
    if (read.ok) payload.value = read.value
    else payload.issues.push({ code: 'custom', input: payload.value, message: read.reason })
  })
