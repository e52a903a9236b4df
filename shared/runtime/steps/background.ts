import { LRUCache } from 'lru-cache'
import { fail, isFailure, showFailure, toFailureJson } from '#kit'
import type { Effect, Outcome } from '#kit'
import type { StartIds } from '../admin/chosen-texts.ts'
import { createPerTenant } from '../admin/per-tenant.ts'
import { actFor } from '../people/act-for.ts'
import type { Caller, Clock } from '../ports/index.ts'
import { parseInput } from '../catalogue/parse.ts'
import { effectOf } from '../catalogue/registry.ts'
import type { Registry } from '../catalogue/registry.ts'
import { isVisible } from '../bounds.ts'
import type { RunDetail, Runs } from './runs.ts'
import { newRunId } from './run-id.ts'
import type { Steps } from './run-step.ts'
import type { SharedRuns } from './shared-runs.ts'
import type { StepCall } from './step-call.ts'

/**
 * How long, and for how many runs of a tenant, the outcomes of background runs stay available. The outcome of a run
 * with an idempotency key is also stored with that key.
 */
const cacheMs = 600_000
const maxCached = 500
/** Limit for all cached outcomes of a tenant together, in characters of JSON; a single one may have ten million. */
const maxCachedLength = 64_000_000
/** How long a stopping process waits for background runs; then it cancels them. */
const drainMs = 10_000

type Entry = {
  caller: Caller
  call: StepCall
  createdAt: number
  began: number
  controller: AbortController
  coming: Promise<Outcome>
  /** The start id as it is stored. */ startId: string | null
  outcome?: Outcome
  progress?: RunDetail['progress']
}

export type Background = {
  /** Starts a run without waiting for it. `coming` resolves to its outcome; it may be ignored. */
  begin(
    caller: Caller,
    call: StepCall,
  ): {
    runId: string
    coming: Promise<Outcome>
    /** Resolves when every process can find the run. */ announcement?: Promise<void>
  }
  /**
   * Starts a run whose caller waits for it for now. Nobody else can find it, and its outcome is not kept, until it is
   * announced.
   */
  beginQuietly(
    caller: Caller,
    call: StepCall,
  ): { runId: string; coming: Promise<Outcome>; announce(): Promise<void>; abort(): void }
  /**
   * A run: still running, ended in the background (then with its output for ten minutes), or one that its caller waited
   * for. @throws Failure `not_found`
   */
  get(caller: Caller, id: string): Promise<RunDetail & { output?: unknown }>
  /**
   * What the caller's own background run came to; without an outcome, it is still running.
   * @throws Failure `not_found`, also for the runs of others, and for an output that is no longer kept
   */
  outcome(caller: Caller, id: string): Promise<{ view: RunDetail; outcome?: Outcome | undefined }>
  /**
   * Cancels a running background run. Requests that were already sent may have taken effect. @throws Failure
   * `not_found`, `conflict` when it has ended
   */
  cancel(caller: Caller, id: string): Promise<{ id: string }>
  /** Cancels a run of this process, on behalf of the process that received the request. */
  cancelHere(tenant: string, id: string): void
  /** Drops the cached outcomes of a tenant's runs. */
  forget(tenant: string): void
  stop(): Promise<void>
}

type BackgroundDependencies = {
  run: Steps['run']
  runs: Runs
  registry: Registry
  clock: Clock
  /** Present where several processes share the store, so that each can find the runs of the others. */
  shared?: SharedRuns | undefined
  startIds?: StartIds
}

/**
 * Sets the start id later when the tenant's key must be read first; when the key cannot be read, the run fails for the
 * same reason.
 */
const noteStart = (entry: Entry, startIds: StartIds | undefined) => {
  const { caller, call } = entry
  const plainStartId = call.startId ?? caller.startId
  const stored = plainStartId === undefined ? null : (startIds?.stored(caller.tenant, plainStartId) ?? plainStartId)
  if (stored instanceof Promise)
    stored.then(
      (startId) => (entry.startId = startId),
      () => undefined,
    )
  else entry.startId = stored
}

const createEndedRuns = (clock: Clock) =>
  createPerTenant(
    () =>
      new LRUCache<string, Entry>({
        max: maxCached,
        maxSize: maxCachedLength,
        sizeCalculation: ({ outcome }) => JSON.stringify(outcome).length,
        ttl: cacheMs,
        perf: { now: () => clock.monotonic() },
      }),
  )

const effectOfCall = (registry: Registry, { integration, step: id, input }: StepCall): Effect => {
  try {
    const { step } = registry.step(integration, id)
    return effectOf(step, parseInput(step, input))
  } catch (thrown) {
    if (!isFailure(thrown)) throw thrown
    // An invalid call fails before anything happens.
    return 'read'
  }
}

const viewRunning = (
  { registry, clock }: Pick<BackgroundDependencies, 'registry' | 'clock'>,
  id: string,
  { caller, call, createdAt, began, startId, progress }: Entry,
): RunDetail => ({
  id,
  integration: call.integration,
  step: call.step,
  connection: null,
  token: caller.token ?? null,
  person: caller.person ?? null,
  startId,
  parentId: call.parentId ?? null,
  jobId: call.job ?? null,
  summary: null,
  effect: effectOfCall(registry, call),
  state: 'running',
  code: null,
  failure: null,
  attempts: 0,
  calls: 0,
  credits: 0,
  creditsEstimated: false,
  waitedMs: 0,
  refused: 0,
  exchanges: [],
  contents: null,
  ...(progress ? { progress } : {}),
  createdAt: new Date(createdAt).toISOString(),
  durationMs: clock.monotonic() - began,
})

/** What is known of a run of which only its row is left. */
const outcomeOfRow = (view: RunDetail): { view: RunDetail; outcome?: Outcome } => {
  // Its process may have ended; whether it went on, nobody knows before that was found out.
  if (view.state === 'sending') return { view }
  const lost = fail(
    'conflict',
    `It was carried out (run ${view.id}), but its output is not kept any more. Look at the provider before you make another call.`,
  )
  const { about: _, ...failure } = view.failure ?? showFailure(toFailureJson(lost))
  const meta = { runId: view.id, durationMs: view.durationMs, attempts: view.attempts }
  return { view, outcome: { ok: false, failure, meta } }
}

export const createBackground = ({
  run,
  runs,
  registry,
  clock,
  shared,
  startIds,
}: BackgroundDependencies): Background => {
  const running = new Map<string, Entry>()
  const ended = createEndedRuns(clock)
  const viewOf = (id: string, entry: Entry) => viewRunning({ registry, clock }, id, entry)

  const find = (caller: Caller, runId: string) => {
    const entry = running.get(runId) ?? ended.find(caller.tenant)?.get(runId)
    if (!entry || entry.caller.tenant !== caller.tenant) return undefined
    // The connection of a run is known only once it has ended.
    const connection = entry.outcome?.meta.connection?.id ?? null
    const { integration, step } = entry.call
    const { token = null, person = null } = entry.caller
    return isVisible(registry, caller, { connection, token, person, integration, step }) ? entry : undefined
  }

  const start = (requestedBy: Caller, call: StepCall) => {
    const caller = actFor(requestedBy, call.person)
    const runId = newRunId()
    const controller = new AbortController()
    const onProgress: StepCall['onProgress'] = (done, total) => {
      entry.progress = { done, total: total ?? null }
      call.onProgress?.(done, total)
    }
    const coming = run(caller, { ...call, runId, signal: controller.signal, onProgress })
    const entry: Entry = {
      caller,
      call,
      createdAt: clock.now(),
      began: clock.monotonic(),
      controller,
      coming,
      startId: null,
    }
    noteStart(entry, startIds)
    running.set(runId, entry)
    let announcement: Promise<void> | undefined
    const announce = () => {
      announcement ??= shared?.began(caller, viewOf(runId, entry)) ?? Promise.resolve()
      announcement.catch(() => undefined)
      return announcement
    }
    const leave = (outcome?: Outcome) => {
      running.delete(runId)
      if (!outcome || !announcement) return
      ended.of(caller.tenant).set(runId, { ...entry, outcome })
      const view = shared && viewOf(runId, entry)
      if (view) void announcement.then(() => shared.ended(caller, view, outcome)).catch(() => undefined)
    }
    coming.then(leave, () => leave())
    return { runId, coming, announce, abort: () => controller.abort() }
  }

  return {
    begin(caller, call) {
      const { runId, coming, announce } = start(caller, call)
      return { runId, coming, announcement: announce() }
    },
    beginQuietly: start,
    async get(caller, id) {
      const entry = find(caller, id)
      if (entry && !entry.outcome) return viewOf(id, entry)
      const elsewhere = entry ? undefined : await shared?.find(caller, id)
      if (elsewhere && !elsewhere.outcome)
        return { ...elsewhere.view, durationMs: clock.now() - Date.parse(elsewhere.view.createdAt) }
      const outcome = entry?.outcome ?? elsewhere?.outcome
      // With an idempotency key, the outcome and its row may be those of an earlier run.
      const row = await runs.get(caller, outcome?.meta.runId ?? id)
      return { ...row, id, ...(outcome?.ok ? { output: outcome.value } : {}) }
    },
    async outcome(caller, id) {
      const entry = find(caller, id)
      const elsewhere = entry ? undefined : await shared?.find(caller, id)
      const present = entry ? { view: viewOf(id, entry), outcome: entry.outcome } : elsewhere
      const view = present?.view ?? (await runs.get(caller, id))
      if (view.token !== (caller.token ?? null)) throw fail('not_found', `There is no run "${id}".`)
      if (present) return { ...present, view: { ...view, durationMs: clock.now() - Date.parse(view.createdAt) } }
      return outcomeOfRow(view)
    },
    async cancel(caller, id) {
      const entry = find(caller, id)
      const elsewhere = entry ? undefined : await shared?.find(caller, id)
      const knownRun = entry ?? elsewhere
      if (!knownRun) throw fail('not_found', `There is no run "${id}" in the background.`)
      if (knownRun.outcome) throw fail('conflict', `The run "${id}" has ended already.`)
      if (entry) entry.controller.abort()
      else await shared!.cancel(caller, id)
      return { id }
    },
    cancelHere(tenant, id) {
      const entry = running.get(id)
      if (entry?.caller.tenant === tenant) entry.controller.abort()
    },
    forget: (tenant) => ended.find(tenant)?.clear(),
    async stop() {
      const all = () => Promise.allSettled([...running.values()].map(({ coming }) => coming))
      if (running.size === 0) return
      const patience = new AbortController()
      await Promise.race([all(), clock.sleep(drainMs, patience.signal).catch(() => undefined)])
      patience.abort()
      for (const { controller } of running.values()) controller.abort()
      await all()
    },
  }
}
