import { countryName } from '#kit'
import type { Caller, LookupStore } from '../../ports/index.ts'
import { newState } from './ask-chain.ts'
import { providerOf } from './candidates.ts'
import type { AskedProvider, Candidate, Identifiers } from './candidates.ts'
import type { ExpectedCost } from './expected-cost.ts'
import type { Quotes } from './quotes.ts'
import { enough, estimateOf, ratesOf } from './rates.ts'
import type { Estimate } from './rates.ts'
import type { Kind } from './record-fields.ts'
import { featuresOf, segmentsOf } from './segments.ts'
import { simulate } from './simulate.ts'
import type { RowGroup, SampleCounts, ExpectedOutcome } from './simulate.ts'
import type { Unordered } from './types.ts'

/** Rows of a file with the same identifiers and country. `price`: of a row, where it is known. */
export type FileGroup = { rows: number; identifiers: Identifiers; price?: [number, number] }

export type FileQuestion = {
  kind: Kind
  groups: FileGroup[]
  /** How many rows belong to none of the groups. */
  otherRows: number
  want: string[]
  /** The provider of a job; absent: all that are connected, in the order by expected cost. */
  provider?: AskedProvider | undefined
  seen?: SampleCounts | undefined
  /** Credits; null: no limit. */
  budget?: number | null | undefined
}

/** `orders`: the orders of providers, each with how many rows it is for, the most first. `assumed`: sentences. */
export type FileExpectation = ExpectedOutcome & {
  rows: number
  orders: { rows: number; providers: { provider: string; connection: string | null; estimate: Estimate }[] }[]
  assumed: string[]
}

type OrderedGroup = RowGroup & { candidates: (Candidate & { estimate: Estimate })[] }

type SimulationDependencies = {
  rates: Pick<LookupStore['lookupRates'], 'find'>
  quotes: Pick<Quotes, 'prices'>
  expectedCost: Pick<ExpectedCost, 'order'>
  /** The providers that a lookup may ask; empty where there are none. */
  candidatesOf(chain: Unordered): Promise<Candidate[]>
}

const plural = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`

/** Sentences about what was assumed because nothing has been counted. */
const assumptionsOf = (
  groups: readonly OrderedGroup[],
  known: Awaited<ReturnType<LookupStore['lookupRates']['find']>>,
  otherRows: number,
): string[] => {
  const rowsWhere = (isMeant: (group: OrderedGroup) => boolean) =>
    groups.filter(isMeant).reduce((total, { rows }) => total + rows, 0)
  const candidates = new Map(groups.flatMap((group) => group.candidates).map((found) => [providerOf(found), found]))
  const newProviders = [...candidates.values()].filter(({ estimate }) => estimate.lookups < enough)
  const countries = new Set(groups.flatMap(({ features }) => features.country ?? []))
  const uncounted = [...countries].filter((country) =>
    [...candidates.keys()].some(
      (provider) => ratesOf(known, { provider, turn: 'first', features: { country } }).closest === 0,
    ),
  )
  const unknown = rowsWhere(({ features }) => features.country === undefined)
  return [
    ...newProviders.map(
      ({ title, estimate }) =>
        `${title}: only ${plural(Math.floor(estimate.lookups), 'lookup')} counted so far. Where nothing is counted, half of the rows are assumed to match.`,
    ),
    ...uncounted.map(
      (country) =>
        `${plural(
          rowsWhere(({ features }) => features.country === country),
          'row',
        )} in ${countryName(country) ?? country}: no lookups there are counted for each provider, so the counts of all countries are used.`,
    ),
    ...(unknown === 0
      ? []
      : [`${plural(unknown, 'row')} without a known country: the counts of all countries are used.`]),
    ...(otherRows === 0
      ? []
      : [`${plural(otherRows, 'row')} with less common identifiers are assumed to be like the rest.`]),
  ]
}

const ordersOf = (groups: readonly OrderedGroup[]): FileExpectation['orders'] =>
  [...Map.groupBy(groups, ({ providers }) => providers.map(({ provider }) => provider).join(' ')).values()]
    .map((alike) => {
      const [largest] = alike.toSorted((left, right) => right.rows - left.rows) as [OrderedGroup]
      return {
        rows: alike.reduce((total, { rows }) => total + rows, 0),
        providers: largest.candidates.map(({ integration, connection, estimate }) => ({
          provider: integration,
          connection: connection ?? null,
          estimate,
        })),
      }
    })
    .toSorted((left, right) => right.rows - left.rows)

/** The groups, with the other rows spread over them in proportion. */
const withOthers = (groups: OrderedGroup[], otherRows: number): OrderedGroup[] => {
  const rows = groups.reduce((total, group) => total + group.rows, 0)
  return groups.map((group) => ({ ...group, rows: group.rows * (1 + otherRows / rows) }))
}

export type SimulateFile = (caller: Caller, question: FileQuestion) => Promise<FileExpectation | undefined>

/**
 * What looking up the rows of a file is expected to give and to cost, as earlier lookups of the tenant were counted.
 * Nothing is sent. Undefined where no provider can be asked.
 */
export const createFileSimulation = ({
  rates,
  quotes,
  expectedCost,
  candidatesOf,
}: SimulationDependencies): SimulateFile => {
  /** The providers of a group in their order. Those without a price cannot be asked. */
  const orderGroup = async (
    caller: Caller,
    { kind, want, provider }: FileQuestion,
    { rows, identifiers, price }: FileGroup,
    known: Awaited<ReturnType<typeof rates.find>>,
  ): Promise<OrderedGroup> => {
    const call = { kind, identifiers, want, ...(provider ? { providers: [provider] } : {}) }
    const chain: Unordered = { id: 'simulation', caller, call }
    const features = featuresOf(identifiers, [])
    const able = await candidatesOf(chain)
    const ordered = provider ? able : await expectedCost.order(chain, able, newState(call))
    const priced = price ? ordered.map((candidate) => ({ candidate, price })) : await quotes.prices(chain, ordered)
    const askable = priced.flatMap((entry) => (entry.price ? [{ ...entry, price: entry.price }] : []))
    const estimated = askable.map(({ candidate, price: own }, place) => {
      const turn = place === 0 ? ('first' as const) : ('later' as const)
      const about = { provider: providerOf(candidate), turn, features, wanted: want, price: own }
      return { candidate: { ...candidate, estimate: estimateOf(known, about).estimate }, price: own }
    })
    return {
      rows,
      features,
      candidates: estimated.map(({ candidate }) => candidate),
      providers: estimated.map(({ candidate, price: own }) => ({ provider: providerOf(candidate), price: own })),
    }
  }

  return async (caller, question) => {
    const { kind, want, provider, seen, budget, otherRows } = question
    const segments = new Set(question.groups.flatMap(({ identifiers }) => segmentsOf(featuresOf(identifiers, []))))
    const known = await rates.find(caller.tenant, kind, [...segments])
    const ordered: OrderedGroup[] = []
    for (const group of question.groups) ordered.push(await orderGroup(caller, question, group, known))
    const groups = ordered.filter(({ providers, rows }) => providers.length > 0 && rows > 0)
    if (groups.length === 0) return undefined
    const all = withOthers(groups, otherRows)
    const simulated = simulate(known, all, { want: provider ? [] : want, seen, budget })
    return {
      ...simulated,
      rows: Math.round(all.reduce((total, { rows }) => total + rows, 0)),
      orders: ordersOf(all).map((order) => ({ ...order, rows: Math.round(order.rows) })),
      assumed: assumptionsOf(groups, known, otherRows),
    }
  }
}
