/** Every type, unknown ones too. */
export const everyType = '*'

/** Types that are wanted and not among those there are. */
export const missingTypes = (present: readonly string[], wantedTypes: readonly string[]): string[] =>
  present.includes(everyType) ? [] : wantedTypes.filter((type) => !present.includes(type))

export const unionOfTypes = (...lists: (readonly string[])[]): string[] => [...new Set(lists.flat())].sort()
