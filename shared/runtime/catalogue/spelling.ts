import { distance } from '#kit'

/** Shorter words are near too many others. */
const minLetters = 4
/** From this length on, two letters may be wrong. */
const longWord = 8

/** Two neighbouring letters were typed in the wrong order. */
const isSwapped = (word: string, other: string) => {
  if (word.length !== other.length) return false
  const at = [...word].findIndex((letter, index) => letter !== other[index])
  return (
    at >= 0 && word[at] === other[at + 1] && word[at + 1] === other[at] && word.slice(at + 2) === other.slice(at + 2)
  )
}

/**
 * Returns the known word that a misspelt word probably means; nothing for a known word, the beginning of one, or a word
 * that is near none. `counts`: how many texts contain each word; of equally near words the most frequent is meant.
 */
export const createSpelling = (counts: Map<string, number>, otherWords: string[]) => {
  const known = new Set([...counts.keys(), ...otherWords])
  const sorted = [...known].toSorted((left, right) => (counts.get(right) ?? 0) - (counts.get(left) ?? 0))
  return (word: string): string | undefined => {
    if (word.length < minLetters || known.has(word)) return undefined
    if (sorted.some((candidate) => candidate.startsWith(word))) return undefined
    const allowed = word.length >= longWord ? 2 : 1
    let best: { candidate: string; letters: number } | undefined
    for (const candidate of sorted) {
      if (candidate.length < minLetters - 1 || Math.abs(candidate.length - word.length) > allowed) continue
      const letters = isSwapped(word, candidate) ? 1 : distance(word, candidate)
      if (letters <= allowed && (best === undefined || letters < best.letters)) best = { candidate, letters }
    }
    return best?.candidate
  }
}
