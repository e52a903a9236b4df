/** Characters that a person does not see but a model reads: ignorable code points (zero-width, tags, variation selectors), controls, lone surrogates. */
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\p{Cs}]+|(?![\n\r\t])\p{Cc}/gu

/** What emoji and several scripts need between visible characters: one variation selector, one joiner. */
const joiner = /^[\ufe0e\ufe0f]?[\u200c\u200d]?$/

/** A text of strangers without invisible characters, in which instructions or data could hide. */
export const visible = (text: string): string => text.replace(unseen, (run, at: number) => (at > 0 && joiner.test(run) ? run : ''))

/** Deeper than any record of a provider; what is nested further would only exhaust the stack. */
const maxDepth = 64

/** A copy of a JSON value whose texts and names hold no invisible characters. */
export const visibleJson = (value: unknown, depth = 0): unknown => {
  if (typeof value === 'string') return visible(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === maxDepth) return '[cut: nested too deeply]'
  if (Array.isArray(value)) return value.map((item) => visibleJson(item, depth + 1))
  return Object.fromEntries(Object.entries(value).flatMap(([name, part]) => (part === undefined ? [] : [[visible(name), visibleJson(part, depth + 1)]])))
}

/** An address with a host; "http://" alone, as in a remedy, is none. */
const address = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>\\]*[^\s"'<>\\.,;:!?)\]]/gi

/** A sentence without addresses: where a provider is reached and with which parameters is not for a model. */
export const withoutAddresses = (text: string): string => visible(text).replace(address, '…')
