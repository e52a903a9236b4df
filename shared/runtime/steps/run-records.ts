import {
  describeDefect,
  fail,
  isDenied,
  isFailure,
  isRefusedToCaller,
  isUnavailable,
  isOutcomeUnknown,
  toFailureJson,
  withoutPersons,
} from '#kit'
import type { Effect, Failure, FailureJson, Outcome, RunMeta } from '#kit'
import { pathTemplate, safeText } from '../admin/audit-entry.ts'
import type { Audit } from '../admin/audit.ts'
import { namingFields } from '../catalogue/name-fields.ts'
import type { ToolOf } from '../catalogue/name-fields.ts'
import { mayUseStep } from '../bounds.ts'
import type { Health } from '../connections/health.ts'
import type { Permit } from '../approvals/permits.ts'
import type { RunSpend } from '../gate/spend.ts'
import { immediateWrites } from '../deferred-writes.ts'
import type { DeferredWrites } from '../deferred-writes.ts'
import { deprecatedRun } from '../notices.ts'
import { describeRun } from '../sentences/describe-run.ts'
import type { LearnedNames } from '../sentences/learned-names.ts'
import type { UnwrittenEnds } from '../unwritten-ends.ts'
import type { Caller, Clock, Log, Run, RunExchange, ShownRun, Store } from '../ports/index.ts'
import type { StepCall } from './step-call.ts'
import type { RunContents } from './run-contents.ts'
import type { Session } from '../session/session.ts'

/** A run in progress. `began`: monotonic time in ms. */
export type Running = {
  caller: Caller
  call: StepCall
  runId: string
  createdAt: number
  began: number
  effect: Effect
  session: Session | undefined
  /** As the schema of the step read it; undefined until then. */
  input?: Record<string, unknown> | undefined
  spend?: RunSpend | undefined
  /** Of a run that was approved. */
  permit?: Permit | undefined
  shown?: ShownRun | undefined
}

export const startOfRun = ({ caller, call }: Pick<Running, 'caller' | 'call'>): string | null =>
  call.startId ?? caller.startId ?? null

/** The exchanges to store with a run; null when there was none. */
export const exchangesOf = ({ tried }: Session['used'], began: number): RunExchange[] | null => {
  if (tried.length === 0) return null
  return tried.map(({ at, method, path, waitedMs: waited, durationMs, status, code }) => [
    Math.round(at - began),
    Math.round(waited),
    Math.round(durationMs),
    status,
    code,
    /^[A-Z]{1,10}$/.test(method) ? method : '?',
    pathTemplate(path),
  ])
}

const maxText = 2000
const maxName = 64
const denialText = 'Somebody denied it; nothing was sent. GET /v1/approvals/{id} has the reason.'

/**
 * A failure as it is stored: texts from others may name the person looked up, and more people can read the history. A
 * link to connect an account is for the caller alone, and why a run was denied is kept with what was held.
 */
const storedFailure = ({ connectUrl: _, ...failure }: FailureJson): FailureJson => ({
  ...failure,
  message: isDenied(failure) ? denialText : withoutPersons(failure.message, maxText),
  ...(failure.providerMessage === undefined
    ? {}
    : { providerMessage: withoutPersons(failure.providerMessage, maxText) }),
  ...(failure.errors === undefined
    ? {}
    : {
        errors: failure.errors.map((fieldError) => ({
          ...fieldError,
          message: withoutPersons(fieldError.message, maxText),
        })),
      }),
})

/** The row of a run that has ended, or would end at `endedAt` (monotonic ms). */
export const runRow = (
  running: Running,
  endedAt: number,
  failure: FailureJson | null,
  summary: string | null = null,
): Run => {
  const { caller, call, runId, createdAt, began, effect, session } = running
  return {
    id: runId,
    tenant: caller.tenant,
    // The caller may have made these names up when the run ended before its step was found.
    integration: session ? call.integration : safeText(call.integration, maxName)!,
    step: session ? call.step : safeText(call.step, maxName)!,
    connection: session?.opened.connection.id ?? null,
    token: caller.token ?? null,
    person: caller.person ?? session?.opened.connection.person ?? null,
    startId: startOfRun(running),
    parentId: call.parentId ?? null,
    jobId: call.job ?? null,
    effect,
    state: failure === null ? 'done' : isOutcomeUnknown(failure) ? 'unknown' : 'failed',
    code: failure?.code ?? null,
    failure: failure && storedFailure(failure),
    attempts: session?.used.attempts ?? 0,
    calls: session?.used.calls ?? 0,
    credits: session?.used.credits ?? 0,
    creditsEstimated: session?.used.estimated ?? false,
    waitedMs: Math.round(session?.used.waitedMs ?? 0),
    refused: session?.used.refused ?? 0,
    exchanges: session ? exchangesOf(session.used, began) : null,
    summary,
    createdAt,
    durationMs: endedAt - began,
  }
}

/**
 * Turns a thrown value into a failure. A value that is none is a defect, whose text may contain anything: it is logged
 * and never shown to the caller.
 */
export const asFailure = (thrown: unknown, log: Log, runId: string, secrets: readonly string[] = []): Failure => {
  if (isFailure(thrown)) return thrown
  log('error', 'run.defect', { runId, ...describeDefect(thrown, secrets) })
  return fail('internal', `Something went wrong on our side (run ${runId}). Report it with this id.`)
}

const secretsOf = ({ session }: Running) => Object.values(session?.opened.account.secrets ?? {})

const stepOf = ({ integration, step }: StepCall) => ({ integration, step })

/** Records how runs end: in the history, the audit log and the state of the connection. */
export type RunRecords = {
  meta(running: Running, endedAt?: number): RunMeta
  succeeded(running: Running, endedAt: number, output: unknown): void
  /** Records the failure and returns it as the outcome of the run. */
  failed(running: Running, thrown: unknown): Outcome
  /** Logs an error that must not replace the failure of the run. */
  logDefect(running: Running, thrown: unknown): void
}

type EndedRun = { running: Running; failure: FailureJson | null; endedAt: number; output?: unknown }

type RunRecordsDependencies = {
  store: Pick<Store, 'runs'>
  health: Health
  clock: Clock
  log: Log
  audit?: Pick<Audit, 'refused'>
  deferred?: DeferredWrites
  ends?: Pick<UnwrittenEnds, 'add'> | undefined
  /** Absent: inputs and outputs are not stored. */
  contents?: Pick<RunContents, 'store'> | undefined
  names?: Pick<LearnedNames, 'noteRun'>
}

/**
 * The input to store. What API Call refused to send is left out: it may be a credential that somebody put into a request.
 */
const storableInput = ({ call, input, session }: Running, failure: FailureJson | null) =>
  call.step === 'api-call' && failure !== null && (session?.used.attempts ?? 0) === 0 ? undefined : input

/** Finds the tool that offers a step of this integration to the caller; undefined when the caller is no agent. */
const toolsOf = ({ caller, call: { hasTool }, session }: Running): ToolOf | undefined =>
  hasTool &&
  ((step) => {
    const loadedStep = session?.loaded.loaded.steps.get(step)
    return loadedStep && hasTool(loadedStep.tool) && mayUseStep(caller, loadedStep) ? loadedStep.tool : undefined
  })

export const createRunRecords = ({
  store,
  health,
  clock,
  log,
  audit,
  deferred = immediateWrites,
  ends,
  contents,
  names,
}: RunRecordsDependencies): RunRecords => {
  /** What the run has done in words; what it names is learned. */
  const describe = ({ runId, input = {}, session }: Running, output: unknown): string | null => {
    if (!session) return null
    const { loaded, step } = session.loaded
    const { id: integration, words } = loaded.integration
    const { summary, readNames } = describeRun({ runId, integration, step: step.id, words, input, output }, log)
    const { tenant, id: connection } = session.opened.connection
    if (readNames) names?.noteRun({ tenant, integration, connection }, readNames)
    return summary
  }

  const write = ({ running, failure, endedAt, output }: EndedRun) => {
    const row = runRow(running, endedAt, failure, failure === null ? describe(running, output) : null)
    contents?.store(row, { input: storableInput(running, failure), output }, running.session?.opened.account.secrets)
    const { session } = running
    const notices = session ? deprecatedRun(session.loaded.step, row, session.opened.connection) : []
    const options = {
      ...(notices.length > 0 ? { notices } : {}),
      settles: running.spend?.settlement(clock.now()),
      endsShown: running.shown,
    }
    const record = () => store.runs.record(row, options)
    record().catch((error: unknown) => {
      log('error', 'run.not_recorded', { runId: row.id, ...describeDefect(error) })
      // The row may have been written nevertheless; then it must not be counted twice.
      if (isUnavailable(error)) ends?.add(row.id, async () => (await hasEnded(row)) || record())
    })
  }
  const hasEnded = async ({ tenant, id }: Run): Promise<boolean> => {
    const stored = await store.runs.get(tenant, id)
    return stored !== undefined && stored.state !== 'sending'
  }

  const meta: RunRecords['meta'] = ({ runId, began, session, spend }, endedAt = clock.monotonic()) => {
    const made: RunMeta = { runId, durationMs: Math.round(endedAt - began), attempts: session?.used.attempts ?? 0 }
    if (session) made.connection = { id: session.opened.connection.id, name: session.opened.connection.name }
    if (session) Object.assign(made, session.notes)
    if (session?.notes.cachedResults !== undefined && session.used.calls === 0) made.cached = true
    const quoted = spend?.quoted()
    if (session && (session.cost || quoted || session.used.credits > 0) && session.used.calls > 0) {
      made.credits = { charged: session.used.credits, estimated: session.used.estimated }
      if (quoted) made.quoted = quoted
    }
    return made
  }

  return {
    meta,
    succeeded(running, endedAt, output) {
      if (running.session) health.worked(running.session)
      deferred.add(write, { running, failure: null, endedAt, output })
    },
    failed(running, thrown) {
      const { caller, call, session } = running
      const failure = asFailure(
        namingFields(thrown, { fields: session?.loaded.step.fields, input: call.input, toolOf: toolsOf(running) }),
        log,
        running.runId,
        secretsOf(running),
      )
      if (session) health.refused(session, failure)
      else if (isRefusedToCaller(failure))
        void audit?.refused(
          caller,
          { what: 'steps.run', ...stepOf(call), connection: call.connection ?? null },
          failure,
        )
      const json = toFailureJson(failure)
      if (!call.dryRun) deferred.add(write, { running, failure: json, endedAt: clock.monotonic() })
      return { ok: false, failure: json, meta: meta(running) }
    },
    logDefect(running, thrown) {
      asFailure(thrown, log, running.runId, secretsOf(running))
    },
  }
}
