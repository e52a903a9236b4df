import { fail, failField } from './failure.ts'

declare const checked: unique symbol
/** A provider path whose parts were encoded. Only `path` makes one, so a handler cannot join strings into a URL. */
export type Path = string & { readonly [checked]: true }

/** Characters that, even encoded, could lead to another route at a server or at a proxy on the way. */
const unfit = /[/\\%;?#\p{Cc}\p{Cf}]|[.\s]$|^\s/u

/**
 * A provider path with encoded parts: path`/1/items/${id}`. Refuses empty parts, separators, "%", control and invisible
 * characters, a space at either end and a dot at the end: none belongs to an id, and each could change the route.
 */
export const path = (strings: TemplateStringsArray, ...parts: (string | number)[]): Path => {
  let built = strings[0] ?? ''
  for (let i = 0; i < parts.length; i += 1) {
    const part = String(parts[i])
    if (part === '' || unfit.test(part)) {
      throw failField(
        'path',
        `${JSON.stringify(part.slice(0, 60))} cannot be an id in a provider path. Give the id itself, as the provider shows it.`,
      )
    }
    let encoded: string
    try {
      encoded = encodeURIComponent(part)
    } catch {
      throw failField('path', 'An id holds a broken Unicode character. Give the id as the provider shows it.')
    }
    built += encoded + (strings[i + 1] ?? '')
  }
  if (!built.startsWith('/')) throw fail('internal', `A provider path starts with "/": "${built}" does not.`)
  return built as Path
}

/** A path from trusted data (a wire profile), with its {placeholders} filled and encoded. */
export const fillPath = (template: string, values: Record<string, string | number>): Path => {
  const parts: (string | number)[] = []
  const strings = template.split(/\{(\w+)\}/).filter((piece, index) => {
    if (index % 2 === 0) return true
    const value = values[piece]
    if (value === undefined) throw fail('internal', `The path "${template}" needs a value for "${piece}".`)
    parts.push(value)
    return false
  })
  return path(strings as unknown as TemplateStringsArray, ...parts)
}
