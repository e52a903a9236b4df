const minMs = 1_000
/** The longest wait that is believed: a longer one is damaged or not meant for us. */
const maxMs = 24 * 3_600_000

const days = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const months = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)'
const time = '\\d{2}:\\d{2}:\\d{2}'
/** The three forms of RFC 9110, 5.6.7. */
const httpDates = [
  new RegExp(`^${days}, \\d{2} ${months} \\d{4} ${time} GMT$`),
  new RegExp(`^${days}[a-z]{3,6}, \\d{2}-${months}-\\d{2} ${time} GMT$`),
  new RegExp(`^${days} ${months} [ \\d]\\d ${time} \\d{4}$`),
]

/** An HTTP date as ms since 1970; undefined when the text is not one. */
export const readHttpDate = (text: string): number | undefined => {
  if (!httpDates.some((form) => form.test(text))) return undefined
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(at) ? undefined : at
}

/** A requested wait in ms, raised to at least a second; undefined when it is longer than a day. */
export const reasonableWait = (ms: number): number | undefined =>
  ms > maxMs ? undefined : Math.max(minMs, Math.ceil(ms))

/**
 * `Retry-After` as RFC 9110, 10.2.3, defines it: whole seconds, or an HTTP date. Returns ms, at least a second;
 * undefined when absent, not of that form, or longer than a day.
 * @param now the current time, in ms since 1970, by the clock that the date was written by
 */
export const readRetryAfter = (value: string | undefined, now: number): number | undefined => {
  if (value === undefined) return undefined
  const text = value.trim()
  if (/^\d+$/.test(text)) return reasonableWait(Number(text) * 1000)
  const at = readHttpDate(text)
  return at === undefined ? undefined : reasonableWait(at - now)
}
