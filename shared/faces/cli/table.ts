import { oneLine } from '#kit'

/** Truncates with an ellipsis. */
const truncate = (text: string, width: number) =>
  text.length <= width ? text : `${text.slice(0, Math.max(1, width - 1)).trimEnd()}…`

const sentenceWidth = 72

/** A sentence as the first cell of a row; `otherwise` where nobody has words for it. */
export const sentenceCell = (summary: { text: string } | null, otherwise: string): string =>
  truncate(plain(summary?.text ?? otherwise), sentenceWidth)

/**
 * Makes text from a provider or a manifest safe for a terminal: no characters that move the cursor, reverse the text or
 * add lines.
 */
export const plain = (text: string) => oneLine(text).trim()

/**
 * Aligned columns; the last one gets the remaining width and is truncated. With `whole` it is wrapped instead: a reason
 * must not be truncated.
 */
export const table = (head: string[], rows: string[][], width: number, indent = '', { whole = false } = {}): string => {
  const cells = [head, ...rows].map((row) => row.map(plain))
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const taken = widths.slice(0, -1).reduce((sum, columnWidth) => sum + columnWidth + 2, indent.length)
  const left = Math.max(20, width - taken)
  const last = (cell: string) =>
    whole ? wrap(cell, left).replaceAll('\n', `\n${' '.repeat(taken)}`) : truncate(cell, left)
  const line = (row: string[]) =>
    row.map((cell, column) => (column === row.length - 1 ? last(cell) : cell.padEnd(widths[column]!))).join('  ')
  return cells.map((row) => `${indent}${line(row)}`.trimEnd()).join('\n')
}

/** Wraps a sentence. */
export const wrap = (text: string, width: number, indent = ''): string => {
  const lines: string[] = []
  let line = indent
  for (const word of plain(text).split(' ')) {
    if (line.trim() !== '' && line.length + word.length + 1 > width) {
      lines.push(line)
      line = indent
    }
    line += line.trim() === '' ? word : ` ${word}`
  }
  return [...lines, line].join('\n')
}

/** Date and time, to the second. */
export const shortTime = (time: string | null) => (time === null ? '' : time.slice(0, 19).replace('T', ' '))

/** Prints an object as lines of a name and its value. `width`: the least width of the names, with the space after them. */
export const printPairs = ({ out }: { out(text: string): void }, width: number, pairs: { [name: string]: string }) => {
  const column = Math.max(width, ...Object.keys(pairs).map((name) => name.length + 1))
  for (const [name, value] of Object.entries(pairs)) out(`${name.padEnd(column)}${plain(value)}\n`)
}

/** Prints results by name: a word for each, and its texts wrapped beside both. */
export const printResults = (
  { out, width }: { out(text: string): void; width: number },
  results: { word: string; name: string; says: string[] }[],
) => {
  const nameWidth = Math.max(0, ...results.map(({ name }) => plain(name).length))
  for (const { word, name, says } of results) {
    const head = `${word.padEnd(5)}  ${plain(name).padEnd(nameWidth)}  `
    const indent = ' '.repeat(head.length)
    const text = says.map((line) => wrap(line, Math.max(40 + indent.length, width), indent)).join('\n')
    out(`${head}${text.trimStart()}\n`)
  }
}
