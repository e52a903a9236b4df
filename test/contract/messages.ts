/** Where a value is in what an author wrote: `a.b[0]`. */
const inside = (at: string, name: string) => (at === '' ? name : `${at}.${name}`)
const shown = (value: unknown): string => {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length > 160 ? `${text.slice(0, 159)}…` : text
}
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Each place at which a value differs from what the example says, in words. */
export const differences = (actual: unknown, example: unknown, at = ''): string[] => {
  if (isObject(actual) && isObject(example)) {
    const names = [...new Set([...Object.keys(example), ...Object.keys(actual)])]
    return names.flatMap((name) => differences(actual[name], example[name], inside(at, name)))
  }
  if (Array.isArray(actual) && Array.isArray(example) && actual.length === example.length)
    return actual.flatMap((item, index) => differences(item, example[index], `${at}[${index}]`))
  if (Object.is(actual, example)) return []
  const where = at === '' ? 'it' : at
  if (Array.isArray(actual) && Array.isArray(example))
    return [`${where} has ${actual.length} entries (${shown(actual)}), and the example has ${example.length}`]
  return [`${where} is ${shown(actual)}, and the example has ${shown(example)}`]
}

const maxShown = 8

/** Throws an error that lists the problems, one a line; none, no error. */
export const requireNone = (problems: string[]): void => {
  if (problems.length === 0) return
  const more = problems.length > maxShown ? [`… and ${problems.length - maxShown} more`] : []
  throw new Error([...problems.slice(0, maxShown), ...more].join('\n'))
}

const recordAgain = '"toolyard record" records a new one'

/**
 * @param where integration, file and case
 * @param what happened, as it is named in the message
 * @param remedy how to get an example that agrees with the code
 */
export const requireSame = (
  where: string,
  what: string,
  actual: unknown,
  example: unknown,
  remedy = recordAgain,
): void => {
  const found = differences(actual, example)
  requireNone(
    found.length === 0
      ? []
      : [
          `${where}: ${what} differs from the example: ${found.slice(0, maxShown).join('; ')}. Correct the code or the example; ${remedy}.`,
        ],
  )
}
