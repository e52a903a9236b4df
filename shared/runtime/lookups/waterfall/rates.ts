import type { LookupRate } from '../../ports/index.ts'
import { segmentsOf } from './segments.ts'
import type { Features } from './segments.ts'

type Turn = LookupRate['turn']

/** What one provider gave when it was asked. */
export type Observation = {
  provider: string
  turn: Turn
  features: Features
  /** Fields that were missing, and those of them that it filled. */
  wanted: string[]
  filled: string[]
  matched: boolean
  credits: number
  ageDays?: number
}

/** What a provider is expected to give and to cost. */
export type Estimate = {
  /** Share of the wanted fields that it fills, 0 to 1. */
  hitRate: number
  /** Credits of one lookup, match or not. */
  credits: number
  /** Number of earlier lookups that this rests on; a fraction where old ones weigh less. */
  lookups: number
  /** How old its records are, in days, where it says so. */
  ageDays?: number
  /** One sentence. */
  why: string
}

/** A lookup counts for its record and for each wanted field, in each group it belongs to. */
export const countsOf = (
  tenant: string,
  kind: string,
  observations: readonly Observation[],
  countedAt: number,
): LookupRate[] => {
  const rates = new Map<string, LookupRate>()
  for (const { provider, turn, features, wanted, filled, matched, credits, ageDays } of observations)
    for (const segment of segmentsOf(features))
      for (const field of ['', ...wanted]) {
        const key = [segment, provider, turn, field].join('\n')
        const rate = rates.get(key) ?? {
          tenant,
          kind,
          segment,
          provider,
          turn,
          field,
          asked: 0,
          filled: 0,
          credits: 0,
          ageDays: 0,
          aged: 0,
          countedAt,
        }
        rates.set(key, rate)
        rate.asked += 1
        if (field === '' ? matched : filled.includes(field)) rate.filled += 1
        if (field !== '') continue
        rate.credits += credits
        if (ageDays === undefined) continue
        rate.ageDays += ageDays
        rate.aged += 1
      }
  return [...rates.values()]
}

/** A provider with fewer lookups than this is given the benefit of the doubt, so that it is tried where it may be cheaper. */
export const enough = 20
/** How many lookups of a larger group one of a smaller group is weighed against. */
export const weight = 8
const fallback = 0.5

export type Question = {
  provider: string
  turn: Turn
  features: Features
  wanted: string[]
  /** Least and most that its quote names. */
  price: [number, number]
}

const round = (value: number, digits: number) => Number(value.toFixed(digits))
const credit = (value: number) => `${round(value, 2)} ${round(value, 2) === 1 ? 'credit' : 'credits'}`

/** What has been counted for one provider, in the groups that a lookup belongs to. */
export const ratesOf = (
  rates: readonly LookupRate[],
  { provider, turn, features }: Pick<Question, 'provider' | 'turn' | 'features'>,
) => {
  const own = rates.filter((rate) => rate.provider === provider)
  const levels = [
    ...(turn === 'later' ? [{ turn: 'first', segment: '' }] : []),
    ...segmentsOf(features).map((segment) => ({ turn, segment })),
  ]
  const at = (level: { turn: string; segment: string }, field: string) =>
    own.find((rate) => rate.turn === level.turn && rate.segment === level.segment && rate.field === field)
  /** From the largest group to the smallest, each weighed against the one before it. */
  const shrunk = (field: string, prior: number, count: 'filled' | 'credits') =>
    levels.reduce((before, level) => {
      const rate = at(level, field)
      return rate ? (rate[count] + weight * before) / (rate.asked + weight) : before
    }, prior)
  return {
    /** Share of lookups that fill a field; '' is the record itself. */
    filled: (field: string) => shrunk(field, fallback, 'filled'),
    /** Credits of one lookup. */
    credits: ([least, most]: [number, number]) =>
      shrunk('', least + shrunk('', fallback, 'filled') * (most - least), 'credits'),
    /** Lookups in this turn, of all people. */
    all: at({ turn, segment: '' }, ''),
    /** Lookups of the smallest group. */
    closest: at(levels.at(-1)!, '')?.asked ?? 0,
  }
}

/** Estimates one provider, and by how many credits it is expected to fill one field: the lower, the sooner it is asked. */
export const estimateOf = (
  rates: readonly LookupRate[],
  { provider, turn, features, wanted, price }: Question,
): { estimate: Estimate; creditsPerField: number } => {
  const rated = ratesOf(rates, { provider, turn, features })
  const shares = wanted.map(rated.filled)
  const fields = shares.reduce((total, share) => total + share, 0)
  const credits = rated.credits(price)
  const { all } = rated
  const lookups = all?.asked ?? 0
  const isNew = lookups < enough
  const hitRate = fields / wanted.length
  const creditsPerField = isNew ? price[1] / wanted.length : credits / fields
  const why = isNew
    ? `Only ${Math.floor(lookups)} lookups are known so far; it costs at most ${credit(price[1])}.`
    : `It fills ${Math.round(hitRate * 100)} % of the wanted fields for ${credit(credits)} a lookup, ${credit(creditsPerField)} for each field.`
  return {
    creditsPerField,
    estimate: {
      hitRate: round(hitRate, 3),
      credits: round(credits, 3),
      lookups: round(lookups, 1),
      ...(all && all.aged > 0 ? { ageDays: Math.round(all.ageDays / all.aged) } : {}),
      why,
    },
  }
}
