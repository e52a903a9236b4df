/** Numbers as a person reads them. */
const format = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 })

export const number = (value: number) => format.format(value)
export const percent = (share: number) => `${Math.round(share * 100)} %`
export const range = ({ least, most }: { least: number; most: number }) =>
  least === most ? number(least) : `${number(least)} to ${number(most)}`

/** A count with its noun, such as "1 credit" or "2 credits". */
export const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

/** An amount of credits of which a part is estimated. */
export const withEstimate = (all: number, part: number) =>
  part === 0 ? number(all) : `${number(all)} (${number(part)} estimated)`
