import { fail, valueAt } from '#kit'
import type { NumberPlace, Pace, PaceLimit } from '#kit'
import { routeMatcher } from './route-matcher.ts'
import type { Call } from '../types.ts'

type Answer = { headers: Record<string, string>; body?: unknown }

const countsPoints = ({ counts }: PaceLimit) => counts === 'points'

/** The parts of a call that decide what it costs. */
type PricedCall = Pick<Call, 'path' | 'effect' | 'points'>

/** Returns a function for the cost of a call in points; undefined if no limit of the profile counts points. */
export const costReader = ({ limits, points }: Pace): ((call: PricedCall) => number) | undefined => {
  if (points === undefined || !limits.some(countsPoints)) return undefined
  const routes = Object.entries(points.routes ?? {}).map(([route, cost]) => ({ fits: routeMatcher(route), cost }))
  return (call) =>
    call.points ??
    routes.find(({ fits }) => fits(call.path))?.cost ??
    (call.effect === 'read' ? points.default : (points.write ?? points.default))
}

/** @throws Failure for a call that costs more than a whole window of the limit allows: it could never be sent */
export const requireAffordable = (integration: string, limit: PaceLimit, cost: number) => {
  if (!countsPoints(limit)) return
  if (!Number.isSafeInteger(cost) || cost < 1)
    throw fail(
      'internal',
      `A request to ${integration} states a cost of ${cost}; "points" must be an integer of 1 or more.`,
    )
  if (cost <= limit.max) return
  throw fail(
    'not_allowed',
    `This request to ${integration} costs ${cost} points, more than the ${limit.max} that its limit has in ${limit.windowMs} ms. Nothing was sent. Ask for less at once, such as fewer items per page. If the cost is wrong, correct "points" of the request or "pace" of the wire profile.`,
  )
}

/** The number at a place in a reply; undefined if there is none, or a negative one. */
export const numberIn = ({ headers, body }: Answer, place: NumberPlace): number | undefined => {
  const value = 'header' in place ? headers[place.header.toLowerCase()] : valueAt(body, place.path)
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && number >= 0 && Number.isFinite(number) ? number : undefined
}

/** What the call really cost, according to its reply. */
export const actualCost = ({ points }: Pace, answer: Answer): number | undefined => {
  const cost = points?.actual && numberIn(answer, points.actual)
  return cost === undefined ? undefined : Math.ceil(cost)
}

/** The most entries that are stored for one shared limit; limits of more points are counted in larger units. */
const maxEntries = 10_000

/** Limit and cost in units of points, rounded so that no more points are used than the limit has. */
export const toUnits = ({ max }: PaceLimit, cost: number): { max: number; weight: number } => {
  const unit = Math.ceil(max / maxEntries)
  const units = Math.floor(max / unit)
  return { max: units, weight: Math.min(units, Math.ceil(cost / unit)) }
}
