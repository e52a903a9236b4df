/** Search by plain words in titles, in keywords (which include synonyms) and in other texts that describe an entry. */
export type Searchable = { title: string; keywords: string[]; texts: string[] }

/** Words with singular and plural reduced to one form, without accents. */
const wordsOf = (text: string): string[] =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => (word.length > 3 ? word.replace(/ies$/, 'y').replace(/s$/, '') : word))

const scoreOf = (searchWord: string, words: string[]) =>
  words.includes(searchWord) ? 2 : words.some((word) => word.startsWith(searchWord)) ? 1 : 0

/**
 * The entries that contain every word of the query, best first; if there are none, the entries that contain some. An
 * empty query returns all entries in their order.
 */
export const search = <T extends Searchable>(all: T[], query: string): T[] => {
  if (query.trim() === '') return all
  const searchWords = wordsOf(query)
  const scored = all.map((entry) => {
    const places = [
      [wordsOf(entry.title), 9],
      [wordsOf(entry.keywords.join(' ')), 3],
      [wordsOf(entry.texts.join(' ')), 1],
    ] as const
    const scores = searchWords.map((word) =>
      Math.max(...places.map(([words, weight]) => scoreOf(word, words) * weight)),
    )
    return { entry, hasAll: !scores.includes(0), score: scores.reduce((sum, score) => sum + score, 0) }
  })
  const matches = scored.filter(({ score }) => score > 0)
  const best = matches.filter(({ hasAll }) => hasAll)
  return (best.length > 0 ? best : matches)
    .toSorted((left, right) => right.score - left.score)
    .map(({ entry }) => entry)
}
