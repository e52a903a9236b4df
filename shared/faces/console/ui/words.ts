/** Numbers as a person reads them. */
const format = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 })

export const number = (value: number) => format.format(value)
export const percent = (share: number) => `${Math.round(share * 100)} %`
export const range = ({ least, most }: { least: number; most: number }) =>
  least === most ? number(least) : `${number(least)} to ${number(most)}`

/** An id of a provider or of this server: long, and without a word in it. */
const id = /^(?:[0-9a-f]{24}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[a-z]{2,10}_[\w-]{16,})$/i
export const isId = (text: string): boolean => id.test(text)

/** A message without the ids that it has in brackets or quotes: whoever reads it chose a name. */
export const withoutIds = (message: string): string =>
  message.replace(/ \("?([^"()\s]{12,200})"?\)/g, (quoted: string, text: string) => (isId(text) ? '' : quoted))

/** A text of ours in which ids stand as words, without them. */
export const withoutOwnIds = (text: string): string =>
  text
    .split(' ')
    .filter((word) => !isId(word.replace(/[,.;:]$/, '')))
    .join(' ')

/** A count with its noun, such as "1 credit" or "2 credits". */
export const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

/** An amount of credits of which a part is estimated. */
export const withEstimate = (all: number, part: number) =>
  part === 0 ? number(all) : `${number(all)} (${number(part)} estimated)`
