import { randomUUIDv7 } from 'node:crypto'
import { describeDefect, fail, isFailure, inputLimits, nextTurn, sayExcess, toFailureJson, valueExcess, z } from '#kit'
import type { Cost, Effect, Failure, FailureJson, FieldError, Outcome, RunMeta, Step } from '#kit'
import type { Wire } from '../../wire/types.ts'
import type { Accounts } from '../connections/resolve.ts'
import { createContext, DryRunEnd } from './context.ts'
import type { Session } from './context.ts'
import type { Audit } from '../admin/audit.ts'
import type { Intents, Keyed } from './idempotency.ts'
import { atOnce } from './deferred-writes.ts'
import type { Later } from './deferred-writes.ts'
import { lookAfter } from './verify-create.ts'
import type { Caller, Clock, Log, Run, Store } from '../ports/index.ts'
import { costOf, effectOf } from '../catalogue/registry.ts'
import type { LoadedStep, Registry } from '../catalogue/registry.ts'
import { formerHashRun, hashRun, keyedRun } from './run-keys.ts'
import type { RunRequest } from './run-keys.ts'
import { recordFirst } from './record-first.ts'
import { namingFields } from '../catalogue/name-fields.ts'
import type { OwnEvents } from '../triggers/inbound/causation.ts'

export type StepCall = {
  integration: string
  step: string
  /** Id or name of the account; absent: the default, which is the first connected one until somebody chooses. */
  connection?: string | undefined
  input: unknown
  dryRun?: boolean | undefined
  startId?: string | undefined
  signal?: AbortSignal | undefined
  /** Total time for the run, waits included; the profile's default when absent. A look for what became of a create may take 5 s more. */
  deadlineMs?: number | undefined
  priority?: 'interactive' | 'bulk' | undefined
  /** Makes the run repeat-safe: the same key and request gives the stored outcome. */
  idempotencyKey?: string | undefined
  /** Runs an identical create although one ended with an unknown outcome minutes ago. */
  force?: boolean | undefined
  /** Fails `rate_limited` at once instead of waiting for the provider's limit. */
  noWait?: boolean | undefined
  onProgress?: ((done: number, total?: number) => void) | undefined
  /** Given where the run is named before it begins. */
  runId?: string | undefined
}

/** What a dry run gives: the requests as they would be sent, secrets masked. `complete: false` when later ones depend on replies. */
export type DryRun = { requests: unknown[]; price?: Price; complete: boolean }
/** `total`: least and most that this very call may cost, where the number of records is known. */
export type Price = Cost & { total?: [number, number] }

export type Steps = { run(caller: Caller, call: StepCall): Promise<Outcome> }

export type StepsParts = {
  registry: Registry
  accounts: Accounts
  wire: Wire
  store: Store
  clock: Clock
  log: Log
  mark: (runId: string) => string
  health: Health
  intents: Intents
  audit?: Audit
  own?: OwnEvents
  later?: Later
}
/** Told what a call showed about the account. */
export type Health = { worked(session: Session): void; refused(session: Session, failure: Failure): void }

const pointerOf = (path: readonly PropertyKey[]) => path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

const sayIssue = (issue: z.core.$ZodIssue, step: Pick<Step, 'title' | 'input'>): FieldError[] => {
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys(step.input.shape).join(', ')
    return issue.keys.map((key) => ({
      pointer: `${pointerOf(issue.path)}/${key}`,
      message: `"${key}" is not a field of "${step.title}". Its fields: ${known}.`,
    }))
  }
  const missing = issue.code === 'invalid_type' && issue.input === undefined
  const name = pointerOf(issue.path)
  return [
    { pointer: name, message: missing ? `"${name.slice(1)}" is required.` : issue.path.length > 0 ? `"${name.slice(1)}": ${issue.message}` : issue.message },
  ]
}

const usedBefore = new WeakMap<z.ZodType, { quick?: z.ZodType }>()

/** The schema as compiled code, but not for its first use: a process that runs a step once would pay more than it gets. */
const quick = <T extends z.ZodType>(schema: T): T => {
  const known = usedBefore.get(schema)
  if (known) return (known.quick ??= z.compile(schema)) as T
  usedBefore.set(schema, {})
  return schema
}

/** Parses an input strictly; every wrong field is named in the failure. */
export const parseInput = (step: Pick<Step, 'title' | 'input'>, input: unknown): Record<string, unknown> => {
  const parsed = quick(step.input).safeParse(input ?? {}, { reportInput: true })
  if (parsed.success) return parsed.data as Record<string, unknown>
  const errors = parsed.error.issues.flatMap((issue) => sayIssue(issue, step))
  throw fail('invalid_input', errors.map((error) => error.message).join(' '), { errors })
}

/** An input of more values is checked, hashed and sent in turns of their own. */
const usualLimits = { ...inputLimits, values: 10_000 }

/** Whatever face it came through: everything after this walks the input whole. Gives whether there is much to walk. */
const requireBounded = (input: unknown): boolean => {
  if (!valueExcess(input, usualLimits)) return false
  const excess = valueExcess(input, inputLimits)
  if (excess) throw fail(excess === 'depth' ? 'invalid_input' : 'too_large', `The input holds ${sayExcess(excess, inputLimits)}. Send less at a time.`)
  return true
}

const parseOutput = (step: Step, value: unknown): unknown => {
  const parsed = quick(step.output).safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw fail('bad_reply', `The provider's answer is not what its documents say: ${pointerOf(issue?.path ?? []) || 'it'} ${issue?.message ?? ''}.`)
}

/** Any thrown thing as a failure. What is not ours is a defect and never shows its own text, which may hold anything: it is for the log. */
export const asFailure = (thrown: unknown, log: Log, runId: string, secrets: readonly string[] = []): Failure => {
  if (isFailure(thrown)) return thrown
  log('error', 'run.defect', { runId, ...describeDefect(thrown, secrets) })
  return fail('internal', `Something went wrong on our side (run ${runId}). Report it with this id.`)
}

const secretsOf = ({ session }: Running) => Object.values(session?.account.account.secrets ?? {})

const priceOf = (session: Session): { price?: Price } => {
  const { cost, dry } = session
  if (!cost) return {}
  const times = dry?.units ?? (cost.per === 'record' ? undefined : 1)
  return { price: times === undefined ? cost : { ...cost, total: [cost.typical[0] * times, cost.typical[1] * times] } }
}

/** `ended`: the handler came to its end, so that nothing follows what was collected. */
const finishDryRun = (session: Session, effect: Effect, ended: boolean): DryRun => {
  const { requests, effects, partial } = session.dry!
  const last = effects.at(-1)
  const asked = last !== undefined && (last === effect || (effect === 'read' && last === 'create'))
  return { requests, ...priceOf(session), complete: ended || (!partial && asked) }
}

const made = { at: 0, count: 0, head: '', tail: '' }
const counts: string[] = []

/**
 * A UUID of version 7 whose first random bits count within the millisecond (RFC 9562, 6.2, method 1), so that the newest run comes first
 * in the history however quickly one followed the other. What else is random in it is drawn once in a millisecond, since an id is no secret.
 */
export const newRunId = () => {
  const now = Date.now()
  made.count += 1
  // More than 4,096 in a millisecond stay apart by what is random, but lose their order.
  if (now !== made.at || made.count > 0xfff) {
    made.at = now
    const random = randomUUIDv7()
    const head = random.slice(0, 14)
    if (head !== made.head || made.count > 0xfff) Object.assign(made, { count: 0, head, tail: random.slice(18) })
  }
  return made.head + (counts[made.count] ??= (0x7000 + made.count).toString(16)) + made.tail
}

/** One run while it goes on. */
type Running = { caller: Caller; call: StepCall; runId: string; createdAt: number; began: number; effect: Effect; session: Session | undefined }

/** A call that was found fit to run. */
type Fit = { found: LoadedStep; input: Record<string, unknown>; isLarge: boolean }
/** What a key binds a run to, before it runs. */
type Bound = { connection: string; keyed: Keyed }

const requestOf = ({ call }: Running, { input }: Fit): RunRequest => ({ integration: call.integration, step: call.step, asked: call.connection, input })

const runState = (failure: FailureJson | null): Run['state'] => (failure === null ? 'done' : failure.code === 'outcome_unknown' ? 'unknown' : 'failed')

const runRow = ({ caller, call, runId, createdAt, effect, session }: Running, durationMs: number, failure: FailureJson | null): Run => ({
  id: runId,
  tenant: caller.tenant,
  integration: call.integration,
  step: call.step,
  connection: session?.account.connection.id ?? null,
  token: caller.token ?? null,
  startId: call.startId ?? caller.startId ?? null,
  effect,
  state: runState(failure),
  code: failure?.code ?? null,
  failure,
  attempts: session?.used.attempts ?? 0,
  calls: session?.used.calls ?? 0,
  credits: session?.used.credits ?? 0,
  creditsEstimated: session?.used.estimated ?? false,
  createdAt,
  durationMs,
})

export const createSteps = ({ registry, accounts, wire, store, clock, log, mark, health, intents, audit, own, later = atOnce }: StepsParts): Steps => {
  const newSession = (running: Running, { found, input }: Fit, account: Session['account'], keyed: Keyed | undefined): Session => {
    const { caller, call, runId, began, effect } = running
    return {
      loaded: found,
      account,
      effect,
      cost: costOf(found.step, input),
      mark: mark(runId),
      signal: call.signal,
      deadlineAt: began + (call.deadlineMs ?? found.loaded.wire.timeouts.deadlineMs),
      priority: call.priority ?? 'interactive',
      noWait: call.noWait ?? false,
      progress: call.onProgress,
      onSending: recordFirst({ store, audit }, () => runRow(running, clock.monotonic() - began, null), keyed),
      dry: call.dryRun ? { requests: [], effects: [], partial: false } : undefined,
      used: { attempts: 0, calls: 0, credits: 0, estimated: false, lastStatus: undefined },
      audit: audit?.forRun(caller, { runId, startId: call.startId ?? caller.startId ?? null }),
      // Without events, or somebody who waits for them, there is nothing to be told apart.
      wrote:
        own?.isNeeded() && found.loaded.integration.webhooks
          ? ({ path, body }, reply) =>
              own.wrote({
                tenant: caller.tenant,
                connection: account.connection.id,
                runId,
                step: call.step,
                startId: call.startId ?? caller.startId ?? null,
                path,
                body,
                reply: reply.body,
              })
          : undefined,
    }
  }

  const metaOf = ({ runId, began, session }: Running, endedAt = clock.monotonic()): RunMeta => {
    const meta: RunMeta = { runId, durationMs: Math.round(endedAt - began), attempts: session?.used.attempts ?? 0 }
    if (session) meta.connection = { id: session.account.connection.id, name: session.account.connection.name }
    if (session?.cost && session.used.calls > 0) meta.credits = { charged: session.used.credits, estimated: session.used.estimated }
    return meta
  }

  const record = ({ running, failure, endedAt }: { running: Running; failure: FailureJson | null; endedAt: number }) => {
    const row = runRow(running, endedAt - running.began, failure)
    // A store that cannot take it is a fault of ours, said in the log.
    store.runs.record(row).catch((error: unknown) => log('error', 'run.not_recorded', { runId: row.id, ...describeDefect(error) }))
  }
  const end = (running: Running, failure: FailureJson | null, endedAt = clock.monotonic()) => later.add(record, { running, failure, endedAt })

  const refuse = (running: Running, thrown: unknown): Outcome => {
    const named = namingFields(thrown, running.session?.loaded.step.fields, running.call.input)
    const failure = asFailure(named, log, running.runId, secretsOf(running))
    if (running.session) health.refused(running.session, failure)
    else if (isRefusal(failure))
      void audit?.refused(
        running.caller,
        { what: `steps.run ${running.call.integration}/${running.call.step}`.slice(0, 200), connection: running.call.connection ?? null },
        failure,
      )
    const json = toFailureJson(failure)
    if (!running.call.dryRun) end(running, json)
    return { ok: false, failure: json, meta: metaOf(running) }
  }

  const perform = async (running: Running, ready: Fit, bound?: Bound): Promise<Outcome> => {
    const { caller, call, effect } = running
    const { found, input } = ready
    const { step } = found
    try {
      const opening = accounts.open(caller, found.loaded, bound?.connection ?? call.connection)
      // Awaiting a value that is already there would cost every run a turn of the event loop.
      const session = newSession(running, ready, opening instanceof Promise ? await opening : opening, bound?.keyed)
      running.session = session
      const { id: connection } = session.account.connection
      if (effect === 'create' && !bound && !call.dryRun && !call.force)
        intents.requireNotSuspect(caller, () => [hashRun(requestOf(running, ready), connection), formerHashRun(requestOf(running, ready))])
      if (effect !== 'read') own?.began(caller.tenant, running.runId, call.startId ?? caller.startId ?? null)
      const ctx = createContext(wire, clock, session)
      if (session.dry) {
        const stopped: unknown = await step.run(ctx, input).catch((thrown: unknown) => thrown)
        if (stopped instanceof Error && !(stopped instanceof DryRunEnd)) throw stopped
        return { ok: true, value: finishDryRun(session, effect, !(stopped instanceof DryRunEnd)), meta: { ...metaOf(running), dryRun: true } }
      }
      const value = parseOutput(step, await step.run(ctx, input))
      health.worked(session)
      const endedAt = clock.monotonic()
      end(running, null, endedAt)
      return { ok: true, value, meta: metaOf(running, endedAt) }
    } catch (thrown) {
      if (!isFailure(thrown) || thrown.code !== 'outcome_unknown') return refuse(running, thrown)
      // Before the look, which takes a while: a look-alike must not slip through meanwhile.
      if (running.session) intents.noteUnknown(caller, hashRun(requestOf(running, ready), running.session.account.connection.id))
      // A defect in the look must not hide that the outcome is unknown.
      const asItWas = (defect: unknown) => (asFailure(defect, log, running.runId, secretsOf(running)), thrown)
      return refuse(running, running.session ? await lookAfter(wire, clock, running.session, running.createdAt, thrown).catch(asItWas) : thrown)
    }
  }

  const fit = (caller: Caller, call: StepCall): Fit => {
    const found = registry.step(call.integration, call.step)
    requireAllowed(caller, found)
    const isLarge = requireBounded(call.input)
    return { found, input: parseInput(found.step, call.input), isLarge }
  }

  /** The account comes before the key: what another account's run left is neither shown nor taken for this one. */
  const runKeyed = async (running: Running, ready: Fit, key: string): Promise<Outcome> => {
    try {
      if (ready.isLarge) await nextTurn()
      const { id: connection } = (await accounts.open(running.caller, ready.found.loaded, running.call.connection)).connection
      const request = keyedRun(store, running.caller, requestOf(running, ready), connection)
      return await intents.once(running.caller, key, request, running.runId, (keyed) => perform(running, ready, { connection, keyed }))
    } catch (thrown) {
      return refuse(running, thrown)
    }
  }

  return {
    // Not async: every layer of promises costs each run a turn.
    run(caller, call) {
      const running: Running = {
        caller,
        call,
        runId: call.runId ?? newRunId(),
        createdAt: clock.now(),
        began: clock.monotonic(),
        effect: 'read',
        session: undefined,
      }
      try {
        const ready = fit(caller, call)
        running.effect = effectOf(ready.found.step, ready.input)
        if (call.dryRun || call.idempotencyKey === undefined) return perform(running, ready)
        return runKeyed(running, ready, call.idempotencyKey)
      } catch (thrown) {
        return Promise.resolve(refuse(running, thrown))
      }
    },
  }
}

/** Asked for something that is not there or not theirs. */
const isRefusal = ({ code }: Failure) => code === 'not_found' || code === 'not_allowed'

/** Throws `not_allowed` when the token may not run the step. */
export const requireAllowed = (caller: Caller, { loaded, step }: LoadedStep) => {
  if (caller.scopes && !caller.scopes.includes('run')) throw fail('not_allowed', 'This token may not run steps. Use one with the scope "run".')
  const id = `${loaded.integration.id}/${step.id}`
  if (caller.steps && !caller.steps.includes(id)) throw fail('not_allowed', `This token may not run ${id}. It is bound to: ${caller.steps.join(', ')}.`)
}
