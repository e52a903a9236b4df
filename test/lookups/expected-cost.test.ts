import { describe, expect, it } from 'vitest'
import { countsOf, estimateOf } from '../../shared/runtime/lookups/waterfall/rates.ts'
import type { Observation } from '../../shared/runtime/lookups/waterfall/rates.ts'
import { featuresOf } from '../../shared/runtime/lookups/waterfall/segments.ts'
import { inOrder, learning, learnt, makeWorld, most, sumOf } from './seeded-worlds.ts'

const orders = <T>(of: readonly T[]): T[][] =>
  of.length < 2
    ? [[...of]]
    : of.flatMap((head) => orders(of.filter((item) => item !== head)).map((rest) => [head, ...rest]))

/** Of all fixed orders the one that finds most for what it costs, known afterwards: fewest credits, since all find the same. */
const bestFixed = ({ providers, people }: ReturnType<typeof makeWorld>) =>
  orders(providers)
    .map((order) => sumOf(people.slice(learnt).map((person) => inOrder(order, person))))
    .toSorted((left, right) => right.filled - left.filled || left.credits - right.credits)[0]!

describe('the order by expected cost', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
    'finds as much as the fixed order that is best afterwards, for hardly more: world %i',
    async (seed) => {
      const world = makeWorld(seed)
      const results = await learning(world)
      const chosen = sumOf(results.slice(learnt))
      const best = bestFixed(world)
      expect(chosen.filled).toBeGreaterThanOrEqual(best.filled * 0.98)
      expect(chosen.credits).toBeLessThanOrEqual(best.credits * 1.1)
      for (const { credits } of results) expect(credits).toBeLessThanOrEqual(most)
    },
  )
})

const observation = (more: Partial<Observation>): Observation => ({
  provider: 'north documented',
  turn: 'first',
  features: {},
  wanted: ['workEmail'],
  filled: [],
  matched: false,
  credits: 0,
  ...more,
})
const many = (count: number, more: Partial<Observation>) => Array.from({ length: count }, () => observation(more))
const question = {
  provider: 'north documented',
  turn: 'first' as const,
  features: {},
  wanted: ['workEmail'],
  price: [0, 3] as [number, number],
}

describe('the estimate of a provider', () => {
  it('gives the benefit of the doubt until there are twenty lookups, and says so', () => {
    const rates = countsOf('t', 'person', many(19, { credits: 3 }), 0)
    expect(estimateOf(rates, question)).toMatchObject({
      creditsPerField: 3,
      estimate: { lookups: 19, why: 'Only 19 lookups are known so far; it costs at most 3 credits.' },
    })
    const more = countsOf('t', 'person', many(20, { credits: 3 }), 0)
    expect(estimateOf(more, question).creditsPerField).toBeGreaterThan(10)
  })

  it('says what it fills and costs, and how old its records are', () => {
    const hit = { matched: true, filled: ['workEmail'], credits: 3, ageDays: 40 }
    const rates = countsOf('t', 'person', [...many(300, hit), ...many(100, {})], 0)
    const { estimate } = estimateOf(rates, question)
    expect(estimate).toMatchObject({ lookups: 400, ageDays: 40 })
    expect(estimate.hitRate).toBeCloseTo(0.745, 2)
    expect(estimate.why).toBe(
      'It fills 75 % of the wanted fields for 2.25 credits a lookup, 3.02 credits for each field.',
    )
  })

  it('weighs a country against all lookups, and the second turn against the first', () => {
    const hit = { matched: true, filled: ['workEmail'], credits: 1 }
    const here = { features: { country: 'NZ' } }
    const rates = countsOf('t', 'person', [...many(100, hit), ...many(40, here), ...many(25, { turn: 'later' })], 0)
    const shareOf = (more: object) => estimateOf(rates, { ...question, ...more }).estimate.hitRate
    expect(shareOf({})).toBeCloseTo(0.7, 1)
    expect(shareOf({ features: { country: 'AU' } })).toBeCloseTo(0.7, 1)
    expect(shareOf(here)).toBeLessThan(0.2)
    expect(shareOf({ turn: 'later' })).toBeLessThan(0.2)
    expect(shareOf({ provider: 'south documented' })).toBe(0.5)
  })
})

describe('what is known of whom a lookup looks for', () => {
  it.each([
    [{ email: 'a@kowhai.co.nz' }, [], { country: 'NZ' }],
    [{ email: 'a@kowhai.example', country: 'Australia' }, [], { country: 'AU' }],
    [{ companyDomain: 'kowhai.io' }, [], {}],
    [{ website: 'https://kowhai.com.au/' }, [], { country: 'AU' }],
    [{ email: 'a@b.co.uk' }, [{ seniority: ' Director ' }], { country: 'GB', seniority: 'director' }],
    [{ email: 'a@b.co.nz' }, [{ countryCode: 'AU' }], { country: 'AU' }],
    [{ domain: 'b.example' }, [{ seniority: 'c_suite' }], { seniority: 'c suite' }],
    [{ domain: 'b.example' }, [{ seniority: 'Partner; ask for Gwen' }], {}],
  ])('%j with the records %j: %j', (identifiers, records, features) =>
    expect(featuresOf(identifiers as never, records)).toEqual(features),
  )
})
