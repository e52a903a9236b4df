import type { LookupStore } from '../../ports/index.ts'
import { providerOf } from './candidates.ts'
import type { Candidate } from './candidates.ts'
import type { Quotes } from './quotes.ts'
import { estimateOf } from './rates.ts'
import { featuresOf, segmentsOf } from './segments.ts'
import type { Unordered, State } from './types.ts'

/** Gives the provider to ask next; undefined when all were asked. */
export type Next = (state: State) => Promise<Candidate | undefined>

/** How earlier lookups and prices order providers, see `estimateOf`. */
export type ExpectedCost = {
  /** Chooses anew before each provider, from what the ones before it left missing. */
  begin(chain: Unordered, candidates: Candidate[]): Promise<Next>
  /** The order if no provider finds anything, for a price before anything is sent. */
  order(chain: Unordered, candidates: Candidate[], state: State): Promise<Candidate[]>
}

export const createExpectedCost = (
  rates: Pick<LookupStore['lookupRates'], 'find'>,
  quotes: Pick<Quotes, 'prices'>,
): ExpectedCost => {
  const begin: ExpectedCost['begin'] = async (chain, candidates) => {
    const {
      caller: { tenant },
      call: { kind, identifiers },
    } = chain
    const open = (await quotes.prices(chain, candidates)).map(({ candidate, price }) => ({ candidate, price }))
    return async (state) => {
      if (state.missing.length === 0) return open.shift()?.candidate
      const features = featuresOf(
        identifiers,
        state.records.map(({ record }) => record),
      )
      const known = await rates.find(tenant, kind, segmentsOf(features))
      const judged = open.map((entry) => ({
        entry,
        // Without a quote it cannot be asked, or nobody knows what it costs.
        ...(entry.price === undefined
          ? { creditsPerField: Infinity, estimate: undefined }
          : estimateOf(known, {
              provider: providerOf(entry.candidate),
              turn: state.turn,
              features,
              wanted: state.missing,
              price: entry.price,
            })),
      }))
      const [best] = judged.toSorted((left, right) =>
        left.creditsPerField === right.creditsPerField
          ? (right.estimate?.hitRate ?? 0) - (left.estimate?.hitRate ?? 0)
          : left.creditsPerField - right.creditsPerField,
      )
      if (!best) return undefined
      open.splice(open.indexOf(best.entry), 1)
      return { ...best.entry.candidate, estimate: best.estimate }
    }
  }
  return {
    begin,
    async order(chain, candidates, state) {
      const next = await begin(chain, candidates)
      const ordered: Candidate[] = []
      for (let turn: State['turn'] = 'first'; ; turn = 'later') {
        const candidate = await next({ ...state, turn })
        if (!candidate) return ordered
        ordered.push(candidate)
      }
    },
  }
}
