import { fail, isCancelled, isOptOut } from '#kit'
import { hashRequest } from '../../idempotency.ts'
import type { Clock } from '../../ports/index.ts'
import type { Steps } from '../../steps/run-step.ts'
import type { StepCall } from '../../steps/step-call.ts'
import { inputFor, whyNoIdentifier } from './candidates.ts'
import type { Candidate } from './candidates.ts'
import type { Source } from './merge.ts'
import type { Chain, LookupCall, ProviderReport, State } from './types.ts'
import { isFilled } from './record-fields.ts'
import type { Fields } from './record-fields.ts'

export const callFor = (
  { id, call, caller, permit }: Chain,
  { integration, connection, loadedStep }: Candidate,
  input: Record<string, unknown>,
): StepCall => ({
  integration,
  step: loadedStep.step.id,
  connection,
  input,
  maxAge: call.maxAge,
  refresh: call.refresh,
  startId: call.startId ?? caller.startId,
  parentId: id,
  signal: call.signal,
  permit,
  // A process may die in the middle of a chain: what it asked is then neither asked nor paid for again.
  ...(call.idempotencyKey === undefined
    ? {}
    : { idempotencyKey: `lookup-${hashRequest([call.idempotencyKey, call.kind, integration, connection ?? null])}` }),
})

const reportOf = (
  { integration, connection }: Candidate,
  more: Pick<ProviderReport, 'status'> & Partial<ProviderReport>,
): ProviderReport => ({
  provider: integration,
  connection: connection ?? null,
  filled: [],
  credits: 0,
  estimated: false,
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
    if (!matched) return
    if (record.suppressed === true) throw optedOut(call, candidate)
    if (matchedBy !== undefined) report.matchedBy = matchedBy
    const source: Source = {
      provider: candidate.integration,
      connection: report.connection ?? '',
      at: provenance?.at ?? new Date(clock.now()).toISOString(),
      ...(record.confidence === undefined ? {} : { confidence: record.confidence as string | number }),
      ...(record.updatedAt === undefined ? {} : { updatedAt: String(record.updatedAt) }),
    }
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
