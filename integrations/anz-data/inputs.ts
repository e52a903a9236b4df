import { failField } from '#kit'

/** Two forms of one identifier must name the same thing, else one of them would silently be ignored. */
export const requireSame = (field: string, other: string, left: string | undefined, right: string | undefined) => {
  if (left !== undefined && right !== undefined && left !== right) {
    throw failField(field, `${field} and ${other} name different people ("${left}" and "${right}"). Give one of them.`)
  }
}
