/**
 * How many permits others use with the same credential, as far as the provider's answers show it: between `least` and
 * `most` in this period, and `before` in the previous one. `refused`: calls of ours that we count as used although the
 * provider did not. `reportedAt`: when the provider last reported what is left, in monotonic ms.
 */
export type OtherUsage = {
  least: number
  most: number
  before: number
  refused: number
  periodEndsAt: number
  reportedAt: number
}

export const createOtherUsage = (): OtherUsage => ({
  least: 0,
  most: Infinity,
  before: 0,
  refused: 0,
  periodEndsAt: 0,
  reportedAt: -Infinity,
})

/**
 * Length of a period, in windows. What was seen of others is believed for one to two periods: they are assumed to go on
 * as before until an answer has had time to say otherwise.
 */
const period = 1.5

/** The parts of a rate window that are read and changed here. */
type Window = { max: number; windowMs: number; otherUsage: OtherUsage }

const inThisPeriod = ({ least, most }: OtherUsage) => (least === 0 || most === Infinity ? least : Math.max(least, most))

/**
 * How many permits are left to others. Once the provider has reported nothing for a window, the permits of a call
 * (`cost`) are kept to ask with.
 */
export const usedElsewhere = (window: Window, now: number, cost = 1): number => {
  const { otherUsage, max, windowMs } = window
  if (otherUsage.least === 0 && otherUsage.before === 0) return 0
  if (now >= otherUsage.periodEndsAt) {
    const nextEndsAt = otherUsage.periodEndsAt + period * windowMs
    const nextPeriod =
      now < nextEndsAt
        ? { before: inThisPeriod(otherUsage), periodEndsAt: nextEndsAt }
        : { periodEndsAt: now + period * windowMs }
    window.otherUsage = { ...createOtherUsage(), ...nextPeriod, reportedAt: otherUsage.reportedAt }
    return usedElsewhere(window, now, cost)
  }
  const all = Math.min(max, Math.max(inThisPeriod(otherUsage), otherUsage.before))
  return now >= otherUsage.reportedAt + windowMs ? Math.min(all, max - cost) : all
}

/** When fewer permits may be left to others even without a new report. */
export const othersChangeAt = ({ otherUsage, windowMs }: Window, now: number): number => {
  const askAt = otherUsage.reportedAt + windowMs
  return askAt > now ? Math.min(askAt, otherUsage.periodEndsAt) : otherUsage.periodEndsAt
}

/** An answer showed that others use at least `least`, and probably not more than `most`. */
export const noteOtherUsage = (window: Window, least: number, most: number, now: number) => {
  const { otherUsage } = window
  if (otherUsage.periodEndsAt <= now)
    window.otherUsage = {
      ...createOtherUsage(),
      periodEndsAt: now + period * window.windowMs,
      reportedAt: otherUsage.reportedAt,
    }
  window.otherUsage.least = Math.max(window.otherUsage.least, least)
  window.otherUsage.most = Math.min(window.otherUsage.most, most)
}
