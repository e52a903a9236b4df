import { failField } from '#kit'

/** Identifier sets out of the given fields, in the order named; fields that were not given are left out. */
export const setsOf = (given: Record<string, string | undefined>): Record<string, string>[] =>
  Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [{ [name]: value }]))

/** Two forms of one identifier must name the same thing, else one of them would silently be ignored. */
export const requireSame = (field: string, other: string, left: string | undefined, right: string | undefined) => {
  if (left !== undefined && right !== undefined && left !== right) {
    throw failField(field, `${field} and ${other} name different people ("${left}" and "${right}"). Give one of them.`)
  }
}
