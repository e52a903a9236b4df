/** Billing: each data point is paid for once, and some requests also pay for their results. */
import type { Problem } from '../../lookups/check.ts'
import { charge } from '../../lookups/world.ts'
import type { World } from '../../lookups/world.ts'
import type { Company, Person } from '../../people/data-set.ts'

export type RequestedData = { emails: boolean; phones: boolean }
export type DataPoint = {
  key: string
  what: 'email' | 'phone' | 'company' | 'companyField' | 'waterfall'
  credits: number
}

export const prices = { email: 1, phone: 5, company: 1, companyField: 1, waterfall: 7 }
export const resultsPerCredit = 25

const pointOf = (what: DataPoint['what'], id: string): DataPoint => ({
  key: `${what}:${id}`,
  what,
  credits: prices[what],
})

/** An address that another provider has, at its own price. */
export const pointElsewhere = (person: Person): DataPoint => pointOf('waterfall', person.id)

const hasEmail = ({ workEmail, personalEmail }: Person) => workEmail !== undefined || personalEmail !== undefined

/** The data points of a person: all e-mail addresses are one, all phone numbers another. */
export const pointsOf = (person: Person, wantedData: RequestedData): DataPoint[] => [
  ...(wantedData.emails && hasEmail(person) ? [pointOf('email', person.id)] : []),
  ...(wantedData.phones && person.phones.length > 0 ? [pointOf('phone', person.id)] : []),
]

export const pointOfCompany = (company: Company): DataPoint => pointOf('company', company.id)

export const isOwned = (world: World, { key }: DataPoint): boolean => world.owned.has(key)

export const noCredits: Problem = {
  status: 402,
  code: 'NO_CREDITS',
  message: 'Insufficient credits for this operation',
}

export type Bill =
  | { ok: true; credits: number; /** Keys of the data points paid for now. */ paid: Set<string> }
  | { ok: false; problem: Problem }

/**
 * Charges the whole amount, or refuses and charges nothing. `results`: how many results the request itself is charged
 * for.
 */
export const bill = (world: World, points: DataPoint[], results = 0): Bill => {
  const fresh = [
    ...new Map(points.filter((point) => !isOwned(world, point)).map((point) => [point.key, point])).values(),
  ]
  const forResults = Math.ceil(results / resultsPerCredit)
  const counted = fresh.reduce((sum, { credits }) => sum + credits, forResults)
  const least = world.switches.misses === 'minimum' && points.length === 0 ? 1 : 0
  const credits = Math.max(counted, least)
  if (credits > world.credits.remaining || world.credits.remaining < 1) return { ok: false, problem: noCredits }
  for (const { key, what, credits: price } of fresh) {
    world.owned.add(key)
    charge(world, price, what)
  }
  charge(world, forResults, 'results')
  charge(world, credits - counted, 'minimum')
  return { ok: true, credits, paid: new Set(fresh.map(({ key }) => key)) }
}

/** Charges 1 credit for each of `count` results, or refuses and charges nothing. `what`: the vendor's name of the action. */
export const billEach = (world: World, count: number, what: string): Bill => {
  if (count > world.credits.remaining || world.credits.remaining < 1) return { ok: false, problem: noCredits }
  charge(world, count, what)
  return { ok: true, credits: count, paid: new Set() }
}
