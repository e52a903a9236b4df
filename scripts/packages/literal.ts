const expressions = new WeakSet<object>()

/** An expression inside a literal's values. */
export type Code = { code: string }
export const code = (text: string): Code => {
  const made = { code: text }
  expressions.add(made)
  return made
}

/** Only objects made by `code` count: an object of a manifest may also have a field "code". */
const isCode = (value: unknown): value is Code => typeof value === 'object' && value !== null && expressions.has(value)

/** In an object literal, the name __proto__ sets the prototype even when quoted, so it is computed. */
export const keyOf = (key: string): string => {
  if (key === '__proto__') return `['__proto__']`
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : quote(key)
}
/** A text as a JavaScript string in single quotes. */
export const quote = (text: string) =>
  `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`
const maxLine = 120

/** A value as a JavaScript literal, on one line if it is short. Members that are undefined are left out. */
export const literal = (value: unknown, indent = ''): string => {
  if (isCode(value)) return value.code
  if (typeof value === 'string') return quote(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const deeper = `${indent}  `
  const isList = Array.isArray(value)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  const parts = (inner: string) =>
    isList
      ? value.map((entry) => literal(entry, inner))
      : Object.entries(value)
          .filter(([, entry]) => entry !== undefined)
          .map(([key, entry]) =>
            isCode(entry) && entry.code === key ? key : `${keyOf(key)}: ${literal(entry, inner)}`,
          )
  const short = parts(indent)
  if (short.length === 0) return open + close
  const space = isList ? '' : ' '
  const line = `${open}${space}${short.join(', ')}${space}${close}`
  if (indent.length + line.length <= maxLine && !line.includes('\n')) return line
  return `${open}\n${parts(deeper)
    .map((part) => `${deeper}${part},\n`)
    .join('')}${indent}${close}`
}
