/** Long enough that cutting costs nothing, short enough that the engine frees the text of a piece at once. */
const pieceBytes = 64 * 1024
/** How many ends are tried for the first record: it may hold lists of objects itself. */
const maxTries = 8
const between = '},{'
const [opening, closing] = [91, 93]
const isSpace = (byte: number) => byte === 32 || byte === 10 || byte === 13 || byte === 9

/** The name of the last field of the list's first record; its records mostly have the same fields in the same order. */
const lastFieldOf = (bytes: Buffer, from: number): string | undefined => {
  let end = from
  for (let tries = 0; tries < maxTries; tries += 1) {
    end = bytes.indexOf(between, end + 1)
    if (end < 0 || end - from > pieceBytes) return undefined
    try {
      return Object.keys(JSON.parse(bytes.toString('utf8', from, end + 1)) as object).at(-1)
    } catch {
      // It ended within the record.
    }
  }
  return undefined
}

/** The bytes between two brackets, as the text of a list. The bytes are as before afterwards. */
const listText = (bytes: Buffer, before: number, after: number): string => {
  const [first, last] = [bytes[before]!, bytes[after]!]
  bytes[before] = opening
  bytes[after] = closing
  const text = bytes.toString('utf8', before, after + 1)
  bytes[before] = first
  bytes[after] = last
  return text
}

/** The next text; undefined after the last. */
export type NextPiece = () => string | undefined

/**
 * Cuts the JSON text of a list of objects into texts of shorter lists with the same entries. Gives them one by one, then
 * undefined. Undefined at once for what is no such list.
 *
 * Where to cut is guessed. If all of the texts are JSON, it was right: a bracket closes the list only where one of its
 * entries has ended. If one is not, the list must be read as a whole.
 */
export const splitList = (bytes: Buffer): NextPiece | undefined => {
  let close = bytes.length - 1
  while (isSpace(bytes[close]!)) close -= 1
  if (bytes[0] !== opening || bytes[close] !== closing) return undefined
  const last = lastFieldOf(bytes, 1)
  if (last === undefined) return undefined
  const lastName = `${JSON.stringify(last)}:`
  let before = 0
  return () => {
    if (before === close) return undefined
    const field = bytes.indexOf(lastName, before + pieceBytes)
    const end = field < 0 ? -1 : bytes.indexOf(between, field)
    const after = end < 0 ? close : end + 1
    const text = listText(bytes, before, after)
    before = after
    return text
  }
}
