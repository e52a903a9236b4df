import type { LookupRate } from '../../ports/index.ts'
import { ratesOf, weight } from './rates.ts'
import type { Features } from './segments.ts'

/** A provider in the order of a simulation. `price`: minimum and maximum of one lookup, in credits. */
export type SimulatedProvider = { provider: string; price: [number, number] }

/** Rows that are alike. `providers`: in the order in which they are asked. */
export type RowGroup = { rows: number; features: Features; providers: SimulatedProvider[] }

/** What lookups of the same file's rows have given so far. */
export type SampleCounts = { asked: number; matched: number; credits: number }

/** `likely` is expected; in nine of ten files the outcome is from `least` to `most`. */
export type Span = { least: number; likely: number; most: number }
export type ExpectedOutcome = { matches: Span; credits: Span }

/** Nine tenths of a normal distribution are within this many standard deviations of its mean. */
const deviations = 1.645

/** Bounds of an expected number, which depends on how the lookups of one row correlate, and its variance. */
type Bounds = { low: number; high: number; variance: number }
const none: Bounds = { low: 0, high: 0, variance: 0 }

const add = (left: Bounds, right: Bounds): Bounds => ({
  low: left.low + right.low,
  high: left.high + right.high,
  variance: left.variance + right.variance,
})

const within = (value: number, [least, most]: [number, number]) => Math.min(most, Math.max(least, value))
const product = (values: number[]) => values.reduce((total, value) => total * value, 1)

/** What one provider is expected to return. `lookups`: how many lookups this is based on. */
const providerOf = (
  rates: readonly LookupRate[],
  { features }: RowGroup,
  { provider, price }: SimulatedProvider,
  { turn, want, seen }: { turn: LookupRate['turn']; want: string[]; seen: SampleCounts },
) => {
  const rated = ratesOf(rates, { provider, turn, features })
  const first = ratesOf(rates, { provider, turn: 'first', features })
  const mixed = (counted: number, own: number) => (own + weight * counted) / (seen.asked + weight)
  const matched = mixed(rated.filled(''), seen.matched)
  return {
    matched,
    // The rates of first lookups include people whom other providers would find as well.
    mostMatched: Math.max(matched, first.all ? first.filled('') : 0),
    missed: want.map((field) => 1 - Math.min(matched, rated.filled(field))),
    credits: within(mixed(rated.credits(price), seen.credits), price),
    price,
    lookups: seen.asked + rated.closest + weight,
  }
}

/**
 * Simulates the lookups of a group. Whether providers miss the same people is not counted, so the share of rows that go
 * on to the next provider lies between two bounds: fields always missing together, and fields missing independently.
 */
const simulateGroup = (rates: readonly LookupRate[], group: RowGroup, want: string[], seen: SampleCounts) => {
  const { rows, providers } = group
  let missing = want.map(() => 1)
  let reach = [1, 1] as [number, number]
  let unmatched = 1
  let leastMatched = 0
  let mostMatched = 0
  let [credits, matchError] = [none, 0]
  for (const [place, simulated] of providers.entries()) {
    const turn = place === 0 ? 'first' : 'later'
    const answer = providerOf(rates, group, simulated, { turn, want, seen })
    const middle = (reach[0] + reach[1]) / 2
    const spread = (answer.credits - answer.price[0]) * (answer.price[1] - answer.credits)
    const asking = middle * (1 - middle) * answer.credits ** 2
    // The variance of each row by itself, and the error of the rates, which all rows share.
    const variance =
      rows * (middle * spread + asking) + (rows ** 2 * (middle ** 2 * spread + asking)) / (answer.lookups + 1)
    credits = add(credits, {
      low: rows * reach[0] * answer.credits,
      high: rows * reach[1] * answer.credits,
      variance,
    })
    matchError += (unmatched ** 2 * answer.matched * (1 - answer.matched)) / (answer.lookups + 1)
    unmatched *= 1 - answer.matched
    mostMatched = 1 - (1 - mostMatched) * (1 - answer.mostMatched)
    missing = missing.map((share, index) => share * answer.missed[index]!)
    leastMatched = Math.max(leastMatched, place === 0 ? answer.matched : 0, ...missing.map((share) => 1 - share))
    reach = [Math.max(0, ...missing), 1 - product(missing.map((share) => 1 - share))]
  }
  const matches: Bounds = {
    low: rows * Math.min(leastMatched, mostMatched),
    high: rows * mostMatched,
    variance: rows * unmatched * (1 - unmatched) + rows ** 2 * matchError,
  }
  return { matches, credits }
}

const spanOf = ({ low, high, variance }: Bounds, limits: [number, number]): Span => {
  const error = deviations * Math.sqrt(variance)
  return {
    least: within(low - error, limits),
    likely: within((low + high) / 2, limits),
    most: within(high + error, limits),
  }
}

/** A budget ends the job: later rows are not looked up. `dearest`: the credits that must be left for each row. */
const withinBudget = ({ matches, credits }: ExpectedOutcome, budget: number, dearest: number): ExpectedOutcome => {
  if (credits.most <= budget) return { matches, credits }
  const room = Math.max(0, budget - dearest)
  const share = (spent: number, left = budget) => (spent <= left ? 1 : left / spent)
  return {
    matches: {
      least: matches.least * share(credits.most, room),
      likely: matches.likely * share(credits.likely),
      most: matches.most * share(credits.least),
    },
    credits: {
      least: Math.min(credits.least, room),
      likely: Math.min(credits.likely, budget),
      most: Math.min(credits.most, budget),
    },
  }
}

const rounded = ({ least, likely, most }: Span): Span => ({
  least: Math.floor(least),
  likely: Math.round(likely),
  most: Math.ceil(most),
})

export type SimulationOptions = { want: string[]; seen?: SampleCounts | undefined; budget?: number | null | undefined }

/** What looking up the rows gives and costs, from counts of earlier lookups. `rates`: of all groups. */
export const simulate = (
  rates: readonly LookupRate[],
  groups: readonly RowGroup[],
  { want, seen = { asked: 0, matched: 0, credits: 0 }, budget }: SimulationOptions,
): ExpectedOutcome => {
  const totals = groups.map((group) => simulateGroup(rates, group, want, seen))
  const rows = groups.reduce((total, group) => total + group.rows, 0)
  const mostOf = ({ providers }: RowGroup) => providers.reduce((total, { price }) => total + price[1], 0)
  const most = groups.reduce((total, group) => total + group.rows * mostOf(group), 0)
  const simulated = {
    matches: spanOf(totals.map(({ matches }) => matches).reduce(add, none), [0, rows]),
    credits: spanOf(totals.map(({ credits }) => credits).reduce(add, none), [0, most]),
  }
  const bounded =
    typeof budget === 'number' ? withinBudget(simulated, budget, Math.max(0, ...groups.map(mostOf))) : simulated
  const credits = rounded(bounded.credits)
  const limit = Math.min(most, budget ?? most)
  return {
    matches: rounded(bounded.matches),
    credits: { ...credits, likely: Math.min(credits.likely, limit), most: Math.min(credits.most, limit) },
  }
}
