/** The edit distance of two names, in letters. */
export const distance = (word: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [i, letter] of [...word].entries()) {
    const next = [i + 1]
    for (let j = 0; j < other.length; j += 1)
      next.push(Math.min(row[j + 1]! + 1, next[j]! + 1, row[j]! + (letter === other[j] ? 0 : 1)))
    row = next
  }
  return row[other.length]!
}

/** The name that was probably meant: it differs by at most two letters, or only in upper and lower case. */
export const nearestName = (name: string, candidates: readonly string[]): string | undefined =>
  candidates
    .filter((candidate) => Math.abs(candidate.length - name.length) <= 2)
    .map((candidate) => ({
      candidate,
      letters: candidate.toLowerCase() === name.toLowerCase() ? 0 : distance(name, candidate),
    }))
    // A name that shares no letter is not near, or all short names would be.
    .filter(({ candidate, letters }) => letters <= 2 && letters < Math.max(candidate.length, name.length))
    .toSorted((a, b) => a.letters - b.letters)[0]?.candidate

/** ` Did you mean "…"?`, or nothing. */
export const didYouMean = (name: string, candidates: readonly string[]): string => {
  const meant = nearestName(name, candidates)
  return meant === undefined ? '' : ` Did you mean "${meant}"?`
}
