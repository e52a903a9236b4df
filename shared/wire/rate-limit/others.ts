/**
 * What others use with the same credential, as far as the provider's answers show it: between `least` and `most` in this period, and so many in the one
 * `before`. `refused`: calls of ours that we hold as used although the provider did not count them. `toldAt`: when it last said what is left.
 */
export type Others = { least: number; most: number; before: number; refused: number; periodEndsAt: number; toldAt: number }

export const noOthers = (): Others => ({ least: 0, most: Infinity, before: 0, refused: 0, periodEndsAt: 0, toldAt: -Infinity })

/** What was seen of others is believed for one to two of these, in windows: they go on as they did until an answer has had time to say otherwise. */
const period = 1.5

/** What is read and changed of a rate window. */
type Window = { max: number; windowMs: number; others: Others }

const inThisPeriod = ({ least, most }: Others) => (least === 0 || most === Infinity ? least : Math.max(least, most))

/** How many permits are left to others. One of all is kept to ask with, once nobody has been asked for a window. */
export const leftToOthers = (window: Window, now: number): number => {
  const { others, max, windowMs } = window
  if (others.least === 0 && others.before === 0) return 0
  if (now >= others.periodEndsAt) {
    const nextEndsAt = others.periodEndsAt + period * windowMs
    const known = now < nextEndsAt ? { before: inThisPeriod(others), periodEndsAt: nextEndsAt } : { periodEndsAt: now + period * windowMs }
    window.others = { ...noOthers(), ...known, toldAt: others.toldAt }
    return leftToOthers(window, now)
  }
  const all = Math.min(max, Math.max(inThisPeriod(others), others.before))
  return now >= others.toldAt + windowMs ? Math.min(all, max - 1) : all
}

/** When less may be left to others although nobody has said so. */
export const othersChangeAt = ({ others, windowMs }: Window, now: number): number => {
  const askAt = others.toldAt + windowMs
  return askAt > now ? Math.min(askAt, others.periodEndsAt) : others.periodEndsAt
}

/** An answer showed that others use at least `least`, and probably not more than `most`. */
export const noteOthers = (window: Window, least: number, most: number, now: number) => {
  const { others } = window
  if (others.periodEndsAt <= now) window.others = { ...noOthers(), periodEndsAt: now + period * window.windowMs, toldAt: others.toldAt }
  window.others.least = Math.max(window.others.least, least)
  window.others.most = Math.min(window.others.most, most)
}
