import { describeDefect, failField, isFailure, isOptOut, isOutcomeUnknown, toFailureJson } from '#kit'
import type { FailureJson, Outcome, RunMeta } from '#kit'
import type { Intents } from '../../idempotency.ts'
import type { Clock, Log, LookupStore } from '../../ports/index.ts'
import type { Steps } from '../../steps/run-step.ts'
import { createAsk, sum } from './ask-provider.ts'
import type { Candidate } from './candidates.ts'
import type { ExpectedCost, Next } from './expected-cost.ts'
import { earlierCandidates } from './earlier-attempt.ts'
import { merge } from './merge.ts'
import { countsOf } from './rates.ts'
import type { Chain, LookupAnswer, LookupCall, ProviderReport, State } from './types.ts'
import { entriesOf } from './record-fields.ts'
import type { Fields } from './record-fields.ts'

/**
 * Combines the failures when no provider answered; undefined when one did. An unknown outcome comes first, since
 * something may have been paid.
 */
const noneAnswered = (reports: ProviderReport[]): FailureJson | undefined => {
  const failures = reports.flatMap(({ provider, failure }) => (failure ? [{ provider, failure }] : []))
  const [first] = failures.toSorted(
    (providerFailure, other) =>
      Number(isOutcomeUnknown(other.failure)) - Number(isOutcomeUnknown(providerFailure.failure)),
  )
  if (!first || reports.some(({ status }) => status === 'match' || status === 'no_match')) return undefined
  if (failures.length === 1) return first.failure
  return {
    ...first.failure,
    message: `No provider answered. ${failures.map(({ provider, failure }) => `${provider}: ${failure.message}`).join(' ')}`,
  }
}

const notesOn = (record: Fields): string[] => {
  const phones = entriesOf(record, 'phones')
  const count = (flag: string) => phones.filter(({ doNotCall }) => doNotCall === flag).length
  const [barred, unknown] = [count('yes'), count('unknown')]
  return [
    ...(barred === 0
      ? []
      : barred === 1
        ? ['Do not call one of the numbers: it is on a do-not-call list.']
        : [`Do not call ${barred} of the numbers: they are on do-not-call lists.`]),
    ...(unknown === 0
      ? []
      : unknown === 1
        ? ['No provider says whether one of the numbers may be called; unknown does not mean that it may.']
        : [`No provider says whether ${unknown} of the numbers may be called; unknown does not mean that they may.`]),
  ]
}

export const newState = ({ want }: LookupCall): State => ({
  turn: 'first',
  observations: [],
  reports: [],
  parts: [],
  records: [],
  missing: [...new Set(want)],
  attempts: 0,
})

const inTurn = (candidates: Candidate[]): Next => {
  const open = [...candidates]
  return async () => open.shift()
}

const answerOf = (kind: LookupCall['kind'], { reports, parts, records, missing }: State): LookupAnswer => {
  const { record, sources, conflicts } = merge(kind, parts)
  const matched = parts.length > 0
  return {
    matched,
    complete: missing.length === 0,
    missing,
    ...(matched ? { record } : {}),
    sources,
    conflicts,
    notes: notesOn(record),
    providers: reports,
    records,
  }
}

const createMeta =
  (clock: Pick<Clock, 'monotonic'>) =>
  (id: string, began: number, { reports, attempts }: State): RunMeta => {
    const runReports = reports.filter(({ runId }) => runId !== undefined)
    return {
      runId: id,
      durationMs: Math.round(clock.monotonic() - began),
      attempts,
      credits: { charged: sum(reports), estimated: reports.some(({ estimated }) => estimated) },
      ...(runReports.length > 0 && runReports.every(({ cached }) => cached) ? { cached: true } : {}),
    }
  }

type AskChainDependencies = {
  run: Steps['run']
  clock: Clock
  log: Log
  lookupRates: Pick<LookupStore['lookupRates'], 'add'>
  expectedCost: Pick<ExpectedCost, 'begin'>
  intents: Pick<Intents, 'startedKeys'>
}

/** Asks the providers of a chain, one after the other, and combines what they gave. */
export const createAskChain = ({
  run,
  clock,
  log,
  lookupRates,
  expectedCost,
  intents,
}: AskChainDependencies): ((chain: Chain, began: number) => Promise<Outcome>) => {
  const ask = createAsk({ run, clock })
  const metaOf = createMeta(clock)

  /** A failure to store counts must not lose results that may have been paid for. */
  const learn = async ({ caller: { tenant }, call: { kind } }: Chain, { observations }: State) => {
    try {
      await lookupRates.add(countsOf(tenant, kind, observations, clock.now()))
    } catch (thrown) {
      log('error', 'lookup.not_counted', { tenant, kind, ...describeDefect(thrown) })
    }
  }

  const begin = async (chain: Chain): Promise<Next> => {
    const earlier = await earlierCandidates(intents, chain)
    const newCandidates = chain.candidates.filter((candidate) => !earlier.includes(candidate))
    const next = chain.call.order ? await expectedCost.begin(chain, newCandidates) : inTurn(newCandidates)
    return async (state) => earlier.shift() ?? next(state)
  }

  return async (chain, began) => {
    const state = newState(chain.call)
    try {
      const next = await begin(chain)
      for (let candidate = await next(state); candidate; candidate = await next(state))
        await ask(chain, candidate, state)
    } catch (thrown) {
      if (!isFailure(thrown)) throw thrown
      // Nothing is kept about somebody who opted out, not even a count.
      if (!isOptOut(thrown)) await learn(chain, state)
      return { ok: false, failure: toFailureJson(thrown), meta: metaOf(chain.id, began, state) }
    }
    await learn(chain, state)
    const { reports } = state
    const failure = noneAnswered(reports)
    if (failure) return { ok: false, failure, meta: metaOf(chain.id, began, state) }
    if (reports.every(({ status }) => status === 'skipped')) {
      const why = reports.map(({ provider, reason }) => `${provider}: ${reason}`).join(' ')
      return {
        ok: false,
        failure: toFailureJson(failField('identifiers', `No provider accepts these identifiers. ${why}`)),
        meta: metaOf(chain.id, began, state),
      }
    }
    return { ok: true, value: answerOf(chain.call.kind, state), meta: metaOf(chain.id, began, state) }
  }
}
