import { createExpectedCost } from '../../shared/runtime/lookups/waterfall/expected-cost.ts'
import { countsOf } from '../../shared/runtime/lookups/waterfall/rates.ts'
import type { Candidate } from '../../shared/runtime/lookups/waterfall/candidates.ts'
import type { LookupRate } from '../../shared/runtime/ports/index.ts'
import type { State, Unordered } from '../../shared/runtime/lookups/waterfall/types.ts'
import { randomFrom } from '../support/board-events.ts'

/** Three providers that know different people, each at a price of its own. */
export const names = ['north', 'middle', 'south']
export const fields = ['workEmail', 'mobilePhone']
export const countries = ['AU', 'NZ', 'GB', 'US']
export const [learnt, rows, most] = [500, 2_000, 7]

export type Provider = {
  name: string
  price: number
  isPaidAlways: boolean
  hits: Record<string, Record<string, number>>
}
export type Person = { country: string; isKnown: number; luck: Record<string, Record<string, number>> }

/** `isKnown`: how well anybody knows the person, so that providers miss the same people, as real ones do. */
export const makeWorld = (seed: number, size = rows) => {
  const random = randomFrom(seed)
  const providers = names.map((name): Provider => {
    const base = 0.25 + 0.6 * random()
    const hits = Object.fromEntries(
      countries.map((country) => {
        const here = Math.min(0.97, base * (0.4 + 1.2 * random()))
        return [country, { workEmail: here, mobilePhone: here * (0.3 + 0.6 * random()) }]
      }),
    )
    return { name, price: 1 + Math.floor(random() * 4), isPaidAlways: random() < 0.3, hits }
  })
  const people = Array.from({ length: size }, (): Person => {
    const country = countries[Math.floor(random() ** 2 * countries.length)]!
    const luck = Object.fromEntries(
      names.map((name) => [name, Object.fromEntries(fields.map((field) => [field, random()]))]),
    )
    return { country, isKnown: 0.6 + 0.6 * random(), luck }
  })
  return { providers, people }
}

export const ask = (
  { name, price, isPaidAlways, hits }: Provider,
  { country, isKnown, luck }: Person,
  missing: string[],
) => {
  const filled = missing.filter((field) => luck[name]![field]! < hits[country]![field]! * isKnown)
  const matched = filled.length > 0
  return { filled, matched, credits: matched || isPaidAlways ? price : 0 }
}

/** Asks in an order; never a provider that may cost more than is left. */
export const inOrder = (providers: readonly Provider[], person: Person) => {
  let [missing, credits] = [fields, 0]
  for (const provider of providers) {
    if (missing.length === 0 || credits + provider.price > most) continue
    const answer = ask(provider, person, missing)
    credits += answer.credits
    missing = missing.filter((field) => !answer.filled.includes(field))
  }
  return { filled: fields.length - missing.length, credits }
}

export const sumOf = (results: { filled: number; credits: number }[]) => ({
  filled: results.reduce((total, { filled }) => total + filled, 0),
  credits: results.reduce((total, { credits }) => total + credits, 0),
})

/** The rates of one tenant, as a store keeps them. */
export const ratesInMemory = () => {
  const known = new Map<string, LookupRate>()
  return {
    find: async (_tenant: string, _kind: string, segments: string[]) =>
      [...known.values()].filter(({ segment }) => segments.includes(segment)),
    add(added: LookupRate[]) {
      for (const rate of added) {
        const key = [rate.segment, rate.provider, rate.turn, rate.field].join()
        const before = known.get(key)
        known.set(key, {
          ...rate,
          asked: rate.asked + (before?.asked ?? 0),
          filled: rate.filled + (before?.filled ?? 0),
          credits: rate.credits + (before?.credits ?? 0),
        })
      }
    },
  }
}

/** Everything that the place of a candidate in the order depends on. */
const candidateOf = ({ name }: Pick<Provider, 'name'>) =>
  ({ integration: name, loadedStep: { loaded: { wire: { profile: 'documented' } } } }) as unknown as Candidate

const freshState = (): State => ({
  turn: 'first',
  observations: [],
  reports: [],
  parts: [],
  records: [],
  missing: [...fields],
  attempts: 0,
})

/** Runs lookups one after the other, in the order that the counts suggest. */
export const learning = async (
  { providers, people }: Pick<ReturnType<typeof makeWorld>, 'providers' | 'people'>,
  rates = ratesInMemory(),
) => {
  const byName = new Map(providers.map((provider) => [provider.name, provider]))
  const { begin } = createExpectedCost(rates, {
    prices: async (_chain, candidates) =>
      candidates.map((candidate) => {
        const { price, isPaidAlways } = byName.get(candidate.integration)!
        return { candidate, price: [isPaidAlways ? price : 0, price] }
      }),
  })
  const results: { filled: number; credits: number; matched: boolean }[] = []
  for (const person of people) {
    const state = freshState()
    const identifiers = { email: `x@company.example`, country: person.country }
    const call = { kind: 'person', identifiers, want: fields, order: 'expected-cost', maxCredits: most }
    const chain = { id: 'run', caller: { tenant: 'default' }, call } as unknown as Unordered
    const next = await begin(chain, providers.map(candidateOf))
    let credits = 0
    for (let candidate = await next(state); candidate; candidate = await next(state)) {
      const provider = byName.get(candidate.integration)!
      if (state.missing.length === 0 || credits + provider.price > most) continue
      const answer = ask(provider, person, state.missing)
      const { turn, missing } = state
      const seen = { provider: `${provider.name} documented`, turn, features: { country: person.country } }
      state.observations.push({ ...seen, wanted: missing, ...answer })
      credits += answer.credits
      state.missing = missing.filter((field) => !answer.filled.includes(field))
      state.turn = 'later'
    }
    rates.add(countsOf('default', 'person', state.observations, 0))
    results.push({
      filled: fields.length - state.missing.length,
      credits,
      matched: state.missing.length < fields.length,
    })
  }
  return results
}
