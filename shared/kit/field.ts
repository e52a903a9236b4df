import * as z from 'zod'
import type { Normalised } from './normalise/normalised.ts'

/** A text field brought to its one form when parsed; what the normaliser refuses is refused with its reason. */
export const normalisedText = (normalise: (input: unknown) => Normalised) =>
  z.string().check((payload) => {
    const read = normalise(payload.value)
    if (read.ok) payload.value = read.value
    else payload.issues.push({ code: 'custom', input: payload.value, message: read.reason })
  })

/** Free text of at most 200 characters, trimmed. */
export const words = (title: string, description: string) =>
  z
    .string()
    .trim()
    .min(1, { error: `${title} is empty. Give a value or leave it out.` })
    .max(200)
    .meta({ title, description })

/** Inputs of a search, beside what `searchOutput` says of a page. */
export const pageLimit = () =>
  z.int().min(1).max(1000).optional().meta({
    title: 'Limit',
    description:
      'At most so many results in one answer. Where the operator has configured paging, the provider is asked for no more; otherwise the rest of its answer is left out.',
  })
export const pageCursor = () =>
  z
    .string()
    .min(1)
    .max(2000)
    .optional()
    .meta({ title: 'Cursor', description: 'The "next" of an earlier answer, with the same other fields: continues after it. Only where paging is configured.' })
