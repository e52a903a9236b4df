/**
 * Code points that people cannot see but a model reads: ignorable ones (zero-width, bidi, tags, variation selectors),
 * separators, lone surrogates, controls.
 */
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\p{Cs}]+|(?![\n\r\t])\p{Cc}/gu

/** Most texts, in which nothing is to be looked for. */
const plain = /^[\t\n\r\x20-\x7e]*$/

/** What emoji and several scripts need between visible characters: one variation selector, one joiner. */
const joiner = /^[\ufe0e\ufe0f]?[\u200c\u200d]?$/

/**
 * An untrusted text without invisible characters, in which instructions or data could hide. Line breaks and tabs stay.
 */
export const visible = (text: string): string =>
  plain.test(text) ? text : text.replace(unseen, (run, at: number) => (at > 0 && joiner.test(run) ? run : ''))

/** Like `visible`, on one line, for sentences that quote a name: a line break in it would read as a line of our own. */
export const oneLine = (text: string): string => visible(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '))

/** Deeper than any record of a provider; deeper nesting would only exhaust the stack. */
export const maxVisibleDepth = 64
export const cutDepth = '[cut: nested too deeply]'

const ownField = { configurable: true, enumerable: true, writable: true }

/** A copy of a JSON value whose texts and names hold no invisible characters. */
export const visibleJson = (value: unknown, depth = 0): unknown => {
  if (typeof value === 'string') return visible(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === maxVisibleDepth) return cutDepth
  if (Array.isArray(value)) return value.map((item) => visibleJson(item, depth + 1))
  const copy: Record<string, unknown> = {}
  for (const [name, part] of Object.entries(value)) {
    if (part === undefined) continue
    const shown = visible(name)
    // Defined, because "__proto__" is a name like any other.
    if (shown === '__proto__') Object.defineProperty(copy, shown, { ...ownField, value: visibleJson(part, depth + 1) })
    else copy[shown] = visibleJson(part, depth + 1)
  }
  return copy
}
