import { failField, z } from '#kit'

/** Free text of a filter. */
export const words = (title: string, description: string) =>
  z
    .string()
    .trim()
    .min(1, { error: `${title} is empty. Give a value or leave it out.` })
    .max(200)
    .meta({ title, description })

export const limit = () =>
  z.int().min(1).max(1000).optional().meta({
    title: 'Limit',
    description:
      'At most so many results in one answer. Where the operator has configured paging, the provider is asked for no more; otherwise the rest of its answer is left out.',
  })
export const cursor = () =>
  z
    .string()
    .min(1)
    .max(2000)
    .optional()
    .meta({ title: 'Cursor', description: 'The "next" of an earlier answer, with the same other fields: continues after it. Only where paging is configured.' })

/** Identifier sets out of the given fields, in the order named; fields that were not given are left out. */
export const setsOf = (given: Record<string, string | undefined>): Record<string, string>[] =>
  Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [{ [name]: value }]))

/** Two forms of one identifier must name the same thing, else one of them would silently be ignored. */
export const requireSame = (field: string, other: string, left: string | undefined, right: string | undefined) => {
  if (left !== undefined && right !== undefined && left !== right) {
    throw failField(field, `${field} and ${other} name different people ("${left}" and "${right}"). Give one of them.`)
  }
}
