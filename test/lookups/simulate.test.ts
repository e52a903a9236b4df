import { describe, expect, it } from 'vitest'
import { estimateOf } from '../../shared/runtime/lookups/waterfall/rates.ts'
import { simulate } from '../../shared/runtime/lookups/waterfall/simulate.ts'
import type { RowGroup, ExpectedOutcome, Span } from '../../shared/runtime/lookups/waterfall/simulate.ts'
import type { LookupRate } from '../../shared/runtime/ports/index.ts'
import { ask, countries, fields, learning, makeWorld, ratesInMemory } from './seeded-worlds.ts'
import type { Person, Provider } from './seeded-worlds.ts'

const [earlier, size] = [300, 100]
const keyOf = ({ name }: Provider) => `${name} documented`
const priceOf = ({ price, isPaidAlways }: Provider): [number, number] => [isPaidAlways ? price : 0, price]

/** The order by expected cost, if no provider finds anything. */
const orderIn = (known: LookupRate[], providers: Provider[], country: string): Provider[] => {
  const order: Provider[] = []
  while (order.length < providers.length) {
    const turn = order.length === 0 ? ('first' as const) : ('later' as const)
    const costOf = (provider: Provider) =>
      estimateOf(known, {
        provider: keyOf(provider),
        turn,
        features: { country },
        wanted: fields,
        price: priceOf(provider),
      }).creditsPerField
    const open = providers.filter((provider) => !order.includes(provider))
    order.push(open.toSorted((left, right) => costOf(left) - costOf(right))[0]!)
  }
  return order
}

const groupsOf = (people: Person[], order: (country: string) => Provider[]): RowGroup[] =>
  [...Map.groupBy(people, ({ country }) => country)].map(([country, own]) => ({
    rows: own.length,
    features: { country },
    providers: order(country).map((provider) => ({ provider: keyOf(provider), price: priceOf(provider) })),
  }))

const totals = (results: { matched: boolean; credits: number }[]) => ({
  matches: results.filter(({ matched }) => matched).length,
  credits: results.reduce((total, { credits }) => total + credits, 0),
})

/** A file of one world: what is expected of it, and what its lookups then give. */
const filesOf = async (seed: number) => {
  const { providers, people } = makeWorld(seed, earlier + 2 * size)
  const rates = ratesInMemory()
  await learning({ providers, people: people.slice(0, earlier) }, rates)
  const known = await rates.find('default', 'person', ['', ...countries])
  const outcomes: { expected: ExpectedOutcome; real: ReturnType<typeof totals> }[] = []
  for (const start of [earlier, earlier + size]) {
    const rows = people.slice(start, start + size)
    const combined = groupsOf(rows, (country) => orderIn(known, providers, country))
    const [first] = orderIn(known, providers, countries[0]!) as [Provider]
    outcomes.push(
      {
        expected: simulate(known, combined, { want: fields }),
        real: totals(await learning({ providers, people: rows }, rates)),
      },
      {
        expected: simulate(
          known,
          groupsOf(rows, () => [first]),
          { want: [] },
        ),
        real: totals(rows.map((person) => ask(first, person, fields))),
      },
    )
  }
  return outcomes
}

const isWithin = ({ least, most }: Span, value: number) => value >= least && value <= most

describe('a simulation', () => {
  it('has nine of ten outcomes in its range, which is narrow enough to plan with', async () => {
    const outcomes = (await Promise.all(Array.from({ length: 10 }, (_, at) => filesOf(at + 1)))).flat()
    const checks = outcomes.flatMap(({ expected, real }) => [
      isWithin(expected.matches, real.matches),
      isWithin(expected.credits, real.credits),
    ])
    expect(checks).toHaveLength(80)
    expect(checks.filter(Boolean).length).toBeGreaterThanOrEqual(72)
    for (const { expected } of outcomes)
      expect(expected.matches.most - expected.matches.least).toBeLessThanOrEqual(0.4 * size)
  })

  const provider = { provider: 'north documented', price: [0, 2] as [number, number] }
  const group: RowGroup = { rows: 100, features: {}, providers: [provider] }

  it('without counts expects half, in a wide range', () => {
    const { matches, credits } = simulate([], [group], { want: [] })
    expect(matches).toMatchObject({ likely: 50 })
    expect(matches.most - matches.least).toBeGreaterThan(50)
    expect(credits.most).toBeLessThanOrEqual(200)
  })

  it.each([0, 7, 60.5, 100])('never expects more than a budget of %d, and the matches that it pays for', (budget) => {
    const free = simulate([], [group], { want: [] })
    const { matches, credits } = simulate([], [group], { want: [], budget })
    expect(credits.most).toBeLessThanOrEqual(budget)
    expect(credits.least).toBeLessThanOrEqual(credits.likely)
    expect(matches.likely).toBeLessThanOrEqual(free.matches.likely)
    expect(matches.least).toBeLessThan(free.matches.likely)
  })

  it('learns from rows of the file that were looked up', () => {
    const seen = { asked: 72, matched: 72, credits: 72 }
    const { matches, credits } = simulate([], [group], { want: [], seen })
    expect(matches.likely).toBe(95)
    expect(credits.likely).toBe(100)
    expect(matches.most).toBe(100)
  })

  it('expects a second provider to be asked for what the first leaves missing', () => {
    const second = { provider: 'south documented', price: [0, 2] as [number, number] }
    const both = simulate([], [{ ...group, providers: [provider, second] }], { want: ['workEmail'] })
    const one = simulate([], [group], { want: ['workEmail'] })
    expect(one.credits.likely).toBe(100)
    expect(both.credits.likely).toBe(150)
    expect(both.matches.likely).toBe(75)
  })
})
