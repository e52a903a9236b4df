import type { LearnedNames } from '../../shared/runtime/sentences/learned-names.ts'

/** Learns no names and knows none. */
export const noNames: Pick<LearnedNames, 'find' | 'note' | 'noteEvent'> = {
  find: async () => () => undefined,
  note: () => {},
  noteEvent: () => {},
}
