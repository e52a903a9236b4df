/** Stands for every type, including unknown ones. */
export const everyType = '*'

/** The wanted types that are not present. */
export const missingTypes = (present: readonly string[], wantedTypes: readonly string[]): string[] =>
  present.includes(everyType) ? [] : wantedTypes.filter((type) => !present.includes(type))

export const unionOfTypes = (...lists: (readonly string[])[]): string[] => [...new Set(lists.flat())].sort()
