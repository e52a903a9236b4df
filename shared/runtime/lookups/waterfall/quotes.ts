import type { FailureJson, Outcome } from '#kit'
import type { Clock } from '../../ports/index.ts'
import type { DryRun } from '../../steps/dry-run/dry-run.ts'
import type { Steps } from '../../steps/run-step.ts'
import { callFor } from './ask-provider.ts'
import { inputFor, whyNoIdentifier } from './candidates.ts'
import type { Candidate } from './candidates.ts'
import type { Chain, LookupPlan, Unordered } from './types.ts'

type Quoted = { candidate: Candidate; plan: DryRun | undefined; reason?: string; failure?: FailureJson }

export type Quotes = {
  /** Least and most that each candidate may cost; undefined: it cannot be asked. */
  prices(
    chain: Unordered,
    candidates: Candidate[],
  ): Promise<{ candidate: Candidate; price: [number, number] | undefined }[]>
  /** Orders candidates by price, cheapest first; those that cannot be asked come last. */
  byPrice(chain: Unordered, candidates: Candidate[]): Promise<Candidate[]>
  /** The price range of a whole chain, and the requests that its first provider would get. */
  plan(chain: Chain, began: number): Promise<Outcome>
}

const free = {
  unit: 'credit' as const,
  per: 'call' as const,
  typical: [0, 0] as [number, number],
  total: [0, 0] as [number, number],
  text: 'free',
}

const totalOf = ({ price }: DryRun): [number, number] => price?.total ?? price?.typical ?? [0, 0]
const mostOf = ({ plan }: Quoted) => (plan ? totalOf(plan)[1] : Infinity)

/** What a chain costs if each provider is asked for what the ones before it did not find. */
const expectedOf = (candidates: Candidate[]): Pick<LookupPlan, 'expected'> => {
  const estimates = candidates.flatMap(({ estimate }) => estimate ?? [])
  if (estimates.length === 0) return {}
  let [reached, credits] = [1, 0]
  for (const estimate of estimates) {
    credits += reached * estimate.credits
    reached *= 1 - estimate.hitRate
  }
  return { expected: { credits: Number(credits.toFixed(3)), hitRate: Number((1 - reached).toFixed(3)) } }
}

export const createQuotes = ({ run, clock }: { run: Steps['run']; clock: Pick<Clock, 'monotonic'> }): Quotes => {
  const quote = async (chain: Unordered, candidate: Candidate): Promise<Quoted> => {
    const input = inputFor(candidate, chain.call.identifiers, chain.call.want)
    if (!input) return { candidate, plan: undefined, reason: whyNoIdentifier(candidate) }
    const { idempotencyKey: _, ...call } = callFor({ ...chain, candidates: [] }, candidate, input)
    const outcome = await run(chain.caller, { ...call, dryRun: true })
    return outcome.ok
      ? { candidate, plan: outcome.value as DryRun }
      : { candidate, plan: undefined, failure: outcome.failure }
  }

  const quoteAll = (chain: Unordered, candidates: Candidate[]) =>
    Promise.all(candidates.map((candidate) => quote(chain, candidate)))

  return {
    async prices(chain, candidates) {
      const quotes = await quoteAll(chain, candidates)
      return quotes.map(({ candidate, plan }) => ({ candidate, price: plan && totalOf(plan) }))
    },
    async byPrice(chain, candidates) {
      if (candidates.length < 2) return candidates
      const quotes = await quoteAll(chain, candidates)
      return quotes
        .toSorted((providerQuote, other) =>
          mostOf(providerQuote) === mostOf(other) ? 0 : mostOf(providerQuote) - mostOf(other),
        )
        .map(({ candidate }) => candidate)
    },
    async plan(chain, began) {
      const quotes = await quoteAll(chain, chain.candidates)
      const able = quotes.flatMap(({ plan }) => (plan ? [plan] : []))
      const [first] = able
      const total: [number, number] = [
        first ? totalOf(first)[0] : 0,
        able.reduce((most, plan) => most + totalOf(plan)[1], 0),
      ]
      const value: LookupPlan = {
        requests: first?.requests ?? [],
        price: { unit: 'credit', per: 'call', typical: total, total },
        complete: able.length === 1 && first!.complete,
        ...expectedOf(chain.candidates),
        providers: quotes.map(({ candidate: { integration, connection, estimate }, plan, reason, failure }) => ({
          provider: integration,
          connection: connection ?? null,
          ...(plan ? { price: plan.price ?? free } : {}),
          ...(estimate ? { estimate } : {}),
          ...(reason === undefined ? {} : { reason }),
          ...(failure === undefined ? {} : { failure }),
        })),
      }
      return {
        ok: true,
        value,
        meta: { runId: chain.id, durationMs: Math.round(clock.monotonic() - began), attempts: 0, dryRun: true },
      }
    },
  }
}
