import type { LoadedStep } from './registry.ts'

/** What a tool is found by, the most telling texts first. */
export type Findable = { names: string[]; purposes: string[]; others: string[] }

export const findableStep = ({ step, loaded, tool }: LoadedStep): Findable => ({
  names: [step.title, tool, ...(step.keywords ?? [])],
  purposes: [step.purpose, step.group ?? ''],
  others: [loaded.integration.title, loaded.integration.summary, ...Object.keys(step.input.shape)],
})

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1)
    // One form for singular and plural.
    .map((word) => (word.length > 3 ? word.replace(/ies$/, 'y').replace(/s$/, '') : word))

type Indexed = { words: Set<string>; weight: number }[]

const indexOf = ({ names, purposes, others }: Findable): Indexed =>
  [
    { text: names, weight: 4 },
    { text: purposes, weight: 2 },
    { text: others, weight: 1 },
  ].map(({ text, weight }) => ({ words: new Set(wordsOf(text.join(' '))), weight }))

const scoreOf = (index: Indexed, word: string) => {
  for (const { words, weight } of index) if (words.has(word)) return weight
  return index.some(({ words }) => [...words].some((known) => known.length > 3 && word.length > 3 && (known.startsWith(word) || word.startsWith(known))))
    ? 0.5
    : 0
}

/** Those of `all` that a query in plain words is about, the best first. */
export const findTools = <T>(all: T[], query: string, aboutOf: (one: T) => Findable): T[] => {
  const asked = [...new Set(wordsOf(query))]
  const scored = all.map((one) => {
    const index = indexOf(aboutOf(one))
    return { one, score: asked.reduce((sum, word) => sum + scoreOf(index, word), 0) }
  })
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((left, right) => right.score - left.score)
    .map(({ one }) => one)
}
