import { fail, isCancelled, isOptOut } from '#kit'
import { hashRequest } from '../../idempotency.ts'
import type { Clock } from '../../ports/index.ts'
import type { Steps } from '../../steps/run-step.ts'
import type { StepCall } from '../../steps/step-call.ts'
import { inputFor, providerOf, whyNoIdentifier } from './candidates.ts'
import type { Candidate } from './candidates.ts'
import { sourceOf } from './merge.ts'
import { featuresOf } from './segments.ts'
import type { Chain, LookupCall, ProviderReport, State } from './types.ts'
import { isFilled } from './record-fields.ts'
import type { Fields } from './record-fields.ts'

/** A process may die in the middle of a chain: what it asked under this key is then neither asked nor paid for again. */
export const keyFor = (
  { idempotencyKey, kind }: Pick<LookupCall, 'idempotencyKey' | 'kind'>,
  { integration, connection }: Candidate,
): string | undefined =>
  idempotencyKey === undefined
    ? undefined
    : `lookup-${hashRequest([idempotencyKey, kind, integration, connection ?? null])}`

export const callFor = (
  { id, call, caller, permit }: Chain,
  candidate: Candidate,
  input: Record<string, unknown>,
): StepCall => ({
  integration: candidate.integration,
  step: candidate.loadedStep.step.id,
  connection: candidate.connection,
  input,
  maxAge: call.maxAge,
  refresh: call.refresh,
  startId: call.startId ?? caller.startId,
  parentId: id,
  signal: call.signal,
  permit,
  idempotencyKey: keyFor(call, candidate),
})

const reportOf = (
  { integration, connection, estimate }: Candidate,
  more: Pick<ProviderReport, 'status'> & Partial<ProviderReport>,
): ProviderReport => ({
  provider: integration,
  connection: connection ?? null,
  filled: [],
  credits: 0,
  estimated: false,
  ...(estimate ? { estimate } : {}),
  ...more,
})

const optedOut = ({ kind }: LookupCall, { title }: Candidate, why?: string) =>
  fail(
    'suppressed',
    `${why ?? `${title} says that this ${kind} opted out.`} The lookup ended there, and nothing that was found is shown.`,
  )

/** The credits that the chain has cost so far. */
export const sum = (reports: ProviderReport[]) => reports.reduce((total, { credits }) => total + credits, 0)

const matchIn = (value: unknown) =>
  value as {
    matched: boolean
    matchedBy?: string
    reason?: string
    record?: Fields
    raw?: unknown
    provenance?: { at: string }
  }

const dayMs = 86_400_000
/** How old a record is by its provider's own date; undefined without one. */
const ageIn = ({ updatedAt }: Fields, now: number): number | undefined => {
  const at = Date.parse(String(updatedAt))
  return Number.isNaN(at) ? undefined : Math.max(0, (now - at) / dayMs)
}

/** Counts an answer. One that was stored shows nothing new of the provider. */
const observe = (
  { call }: Chain,
  candidate: Candidate,
  state: State,
  { report, wanted, record, now }: { report: ProviderReport; wanted: string[]; record: Fields; now: number },
) => {
  const earlier = state.records.map((known) => known.record)
  const ageDays = ageIn(record, now)
  if (!report.cached)
    state.observations.push({
      provider: providerOf(candidate),
      turn: state.turn,
      features: featuresOf(call.identifiers, earlier),
      wanted,
      filled: wanted.filter((want) => isFilled(record, want)),
      matched: report.status === 'match',
      credits: report.credits,
      ...(ageDays === undefined ? {} : { ageDays }),
    })
  state.turn = 'later'
}

export type Ask = (chain: Chain, candidate: Candidate, state: State) => Promise<void>

/** Asks one provider and records the result. @throws Failure `suppressed` or `cancelled`, which end the chain */
export const createAsk =
  ({ run, clock }: { run: Steps['run']; clock: Pick<Clock, 'now'> }): Ask =>
  async (chain, candidate, state) => {
    const { caller, call } = chain
    if (call.signal?.aborted) throw fail('cancelled', 'The caller cancelled; nothing further was sent.')
    if (state.missing.length === 0)
      return void state.reports.push(
        reportOf(candidate, { status: 'skipped', reason: 'Everything that is wanted was found.' }),
      )
    const input = inputFor(candidate, call.identifiers, state.missing)
    if (!input)
      return void state.reports.push(reportOf(candidate, { status: 'skipped', reason: whyNoIdentifier(candidate) }))
    const left = call.maxCredits === undefined ? undefined : Math.max(0, call.maxCredits - sum(state.reports))
    const outcome = await run(caller, { ...callFor(chain, candidate, input), maxCredits: left })
    const { runId, attempts, credits, cached, connection } = outcome.meta
    state.attempts += attempts
    const report = reportOf(candidate, {
      status: 'error',
      connection: connection?.id ?? candidate.connection ?? null,
      runId,
      credits: credits?.charged ?? 0,
      estimated: credits?.estimated ?? false,
      ...(cached ? { cached } : {}),
    })
    state.reports.push(report)
    if (!outcome.ok) {
      if (isOptOut(outcome.failure)) throw optedOut(call, candidate, outcome.failure.message)
      if (isCancelled(outcome.failure)) throw fail('cancelled', 'The caller cancelled; nothing further was sent.')
      report.failure = outcome.failure
      return
    }
    const { matched, matchedBy, reason, record = {}, raw, provenance } = matchIn(outcome.value)
    report.status = matched ? 'match' : 'no_match'
    if (reason !== undefined) report.reason = reason
    observe(chain, candidate, state, { report, wanted: state.missing, record: matched ? record : {}, now: clock.now() })
    if (!matched) return
    if (record.suppressed === true) throw optedOut(call, candidate)
    if (matchedBy !== undefined) report.matchedBy = matchedBy
    const source = sourceOf(
      {
        provider: candidate.integration,
        connection: report.connection ?? '',
        at: provenance?.at ?? new Date(clock.now()).toISOString(),
      },
      record,
    )
    state.parts.push({ source, record })
    state.records.push({
      matched: true,
      ...source,
      ...(matchedBy === undefined ? {} : { matchedBy }),
      record,
      ...(raw === undefined ? {} : { raw }),
    })
    report.filled = state.missing.filter((want) => isFilled(record, want))
    state.missing = state.missing.filter((want) => !report.filled.includes(want))
  }
