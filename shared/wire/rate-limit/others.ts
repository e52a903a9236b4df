/**
 * What others use with the same credential, as far as the provider's answers show it: between `least` and `most` in
 * this period, and so many in the one `before`. `refused`: calls of ours that we hold as used although the provider did
 * not count them. `toldAt`: when it last said what is left.
 */
export type OtherUsage = {
  least: number
  most: number
  before: number
  refused: number
  periodEndsAt: number
  toldAt: number
}

export const noOthers = (): OtherUsage => ({
  least: 0,
  most: Infinity,
  before: 0,
  refused: 0,
  periodEndsAt: 0,
  toldAt: -Infinity,
})

/**
 * What was seen of others is believed for one to two of these, in windows: they go on as they did until an answer has
 * had time to say otherwise.
 */
const period = 1.5

/** What is read and changed of a rate window. */
type Window = { max: number; windowMs: number; otherUsage: OtherUsage }

const inThisPeriod = ({ least, most }: OtherUsage) => (least === 0 || most === Infinity ? least : Math.max(least, most))

/** How many permits are left to others. One of all is kept to ask with, once nobody has been asked for a window. */
export const leftToOthers = (window: Window, now: number): number => {
  const { otherUsage, max, windowMs } = window
  if (otherUsage.least === 0 && otherUsage.before === 0) return 0
  if (now >= otherUsage.periodEndsAt) {
    const nextEndsAt = otherUsage.periodEndsAt + period * windowMs
    const nextPeriod =
      now < nextEndsAt
        ? { before: inThisPeriod(otherUsage), periodEndsAt: nextEndsAt }
        : { periodEndsAt: now + period * windowMs }
    window.otherUsage = { ...noOthers(), ...nextPeriod, toldAt: otherUsage.toldAt }
    return leftToOthers(window, now)
  }
  const all = Math.min(max, Math.max(inThisPeriod(otherUsage), otherUsage.before))
  return now >= otherUsage.toldAt + windowMs ? Math.min(all, max - 1) : all
}

/** When less may be left to others although nobody has said so. */
export const othersChangeAt = ({ otherUsage, windowMs }: Window, now: number): number => {
  const askAt = otherUsage.toldAt + windowMs
  return askAt > now ? Math.min(askAt, otherUsage.periodEndsAt) : otherUsage.periodEndsAt
}

/** An answer showed that others use at least `least`, and probably not more than `most`. */
export const noteOthers = (window: Window, least: number, most: number, now: number) => {
  const { otherUsage } = window
  if (otherUsage.periodEndsAt <= now)
    window.otherUsage = { ...noOthers(), periodEndsAt: now + period * window.windowMs, toldAt: otherUsage.toldAt }
  window.otherUsage.least = Math.max(window.otherUsage.least, least)
  window.otherUsage.most = Math.min(window.otherUsage.most, most)
}
