/**
 * Code points that people cannot see but a model reads: ignorable ones (zero-width, bidi, tags, variation selectors),
 * separators, lone surrogates, controls.
 */
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\p{Cs}]+|(?![\n\r\t])\p{Cc}/gu

/** What emoji and several scripts need between visible characters: one variation selector, one joiner. */
const joiner = /^[\ufe0e\ufe0f]?[\u200c\u200d]?$/

/**
 * An untrusted text without invisible characters, in which instructions or data could hide. Line breaks and tabs stay.
 */
export const visible = (text: string): string =>
  text.replace(unseen, (run, at: number) => (at > 0 && joiner.test(run) ? run : ''))

/** Like `visible`, on one line, for sentences that quote a name: a line break in it would read as a line of our own. */
export const oneLine = (text: string): string => visible(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '))

/** Deeper than any record of a provider; deeper nesting would only exhaust the stack. */
export const maxVisibleDepth = 64
export const cutDepth = '[cut: nested too deeply]'

/** A copy of a JSON value whose texts and names hold no invisible characters. */
export const visibleJson = (value: unknown, depth = 0): unknown => {
  if (typeof value === 'string') return visible(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === maxVisibleDepth) return cutDepth
  if (Array.isArray(value)) return value.map((item) => visibleJson(item, depth + 1))
  const entries: [string, unknown][] = []
  for (const [name, part] of Object.entries(value))
    if (part !== undefined) entries.push([visible(name), visibleJson(part, depth + 1)])
  // Object.fromEntries defines names, so that "__proto__" is a name like any other.
  return Object.fromEntries(entries)
}
