import { identifierOf } from '#kit'
import type { Kind } from './mapping.ts'
import type { Results } from './seal-results.ts'

/** Fields that identify one person or company by themselves. */
const naming: Record<Kind, RegExp> = { person: /mail|linkedin/i, company: /domain|website|linkedin|^(abn|acn|nzbn)$/i }

type Input = Record<string, unknown>

const namesOf = (kind: Kind, input: Input): string[] => {
  const all = Object.entries(input)
    .filter(([, value]) => value !== '' && value !== null && value !== undefined)
    .map(([name, value]) => identifierOf(kind, name, value))
    .toSorted(([name], [other]) => (name < other ? -1 : 1))
  const alone = all.filter(([name]) => naming[kind].test(name))
  return alone.length > 0 ? alone.map((identifier) => JSON.stringify(identifier)) : [JSON.stringify(all)]
}

/**
 * Remembers whom a job has asked for without getting the answer, so that no later row asks, and perhaps pays, again.
 */
export const createDoubts = (kind: Kind) => {
  const names = new Set<string>()
  const add = (input: Input) => {
    for (const name of namesOf(kind, input)) names.add(name)
  }
  return {
    add,
    /** Adds the rows of a chunk whose outcome is unknown. */
    learn(results: Results, inputOf: (place: number) => Input) {
      for (const [place, result] of results.entries())
        if (result?.status === 'error' && result.reason?.startsWith('outcome_unknown')) add(inputOf(place))
    },
    has: (input: Input): boolean => names.size > 0 && namesOf(kind, input).some((name) => names.has(name)),
  }
}
export type Doubts = ReturnType<typeof createDoubts>
