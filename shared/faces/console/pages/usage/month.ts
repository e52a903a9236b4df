/** The present month. Days and months are those of UTC, as in the API. */
const title = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' })

export const monthTitle = (now = new Date()) => title.format(now)
/** Its first day, such as 2026-03-01. */
export const monthStart = (now = new Date()) => `${now.toISOString().slice(0, 8)}01`
