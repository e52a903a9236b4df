/** JSON as a user types it. */
import { Unreadable } from './draft.ts'

const lineOf = (text: string, said: string) => {
  const [, line] = /line (\d+)/.exec(said) ?? []
  if (line !== undefined) return Number(line)
  const [, position] = /position (\d+)/.exec(said) ?? []
  // When the text ends too early, the browser gives no position; the error is at the text's end.
  return text
    .slice(0, position === undefined ? undefined : Number(position))
    .trimEnd()
    .split('\n').length
}

/** The parsed value, `undefined` for blank text, or what is wrong and in which line. */
export const readJson = (text: string): unknown => {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text) as unknown
  } catch (thrown) {
    const said = (thrown as Error).message
    return new Unreadable(
      text,
      `this is not valid JSON, line ${lineOf(text, said)}: ${said.replace(/ \(line.*| in JSON at position.*/, '')}.`,
    )
  }
}

export const showJson = (value: unknown): string =>
  value instanceof Unreadable ? value.text : value === undefined ? '' : JSON.stringify(value, null, 2)
