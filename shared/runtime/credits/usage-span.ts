import { failField } from '#kit'

const dayMs = 86_400_000

/** Days in UTC: so many back from now, or from a first day to a last one (both such as 2026-11-01). */
export type UsageSpan = number | { since: string; until?: string | undefined }

/** `from`: ms since epoch. `until`: the last day; undefined: until now. @throws Failure `invalid_input` */
export const readSpan = (span: UsageSpan, now: number): { from: number; until: string | undefined } => {
  if (typeof span === 'number') return { from: now - span * dayMs, until: undefined }
  const { since, until } = span
  const from = Date.parse(`${since}T00:00:00Z`)
  if (Number.isNaN(from)) throw failField('since', 'since must be a day such as 2026-11-01.')
  if (until !== undefined && (Number.isNaN(Date.parse(until)) || until < since))
    throw failField('until', 'until must be a day such as 2026-11-30, and not before since.')
  return { from, until }
}

export const isUntil =
  (until: string | undefined) =>
  ({ day }: { day: string }): boolean =>
    until === undefined || day <= until
