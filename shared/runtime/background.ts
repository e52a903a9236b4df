import { LRUCache } from 'lru-cache'
import { fail } from '#kit'
import type { Effect, Outcome } from '#kit'
import type { Caller, Clock } from './ports.ts'
import { isVisible } from './runs.ts'
import type { RunView } from './runs.ts'
import type { StepCall, Steps } from './steps.ts'

/** The outcome of a run in the background is kept for so long, and of so many; a run with an idempotency key is kept with that key besides. */
const keptMs = 600_000
const mostKept = 500
/** Runs in the background may end for so long when the process is to stop; then they are cancelled. */
const drainMs = 10_000

type Entry = { caller: Caller; call: StepCall; createdAt: number; began: number; controller: AbortController; coming: Promise<Outcome>; outcome?: Outcome }

export type Background = {
  /** Begins a run and does not wait for it. `coming` is its outcome; nobody has to take it. */
  begin(caller: Caller, call: StepCall): { runId: string; coming: Promise<Outcome> }
  /** What is known of a run of this process: that it goes on, or its outcome for ten minutes. */
  look(caller: Caller, runId: string): { running: RunView } | { outcome: Outcome } | undefined
  /** Ends a run that goes on. What was sent already may have happened. @throws Failure `not_found` */
  cancel(caller: Caller, runId: string): boolean
  stop(): Promise<void>
}

type Parts = {
  run: Steps['run']
  clock: Clock
  newRunId: () => string
  /** Of a call as it was given, which may not be fit to run. */ effectOf: (call: StepCall) => Effect
}

export const createBackground = ({ run, clock, newRunId, effectOf }: Parts): Background => {
  const running = new Map<string, Entry>()
  let ended: LRUCache<string, Entry> | undefined

  const find = (caller: Caller, runId: string) => {
    const entry = running.get(runId) ?? ended?.get(runId)
    if (!entry || entry.caller.tenant !== caller.tenant) return undefined
    // Before it opened its account nobody knows which one that is.
    return isVisible(caller, { connection: null, token: entry.caller.token ?? null }) ? entry : undefined
  }

  const viewOf = (id: string, { caller, call, createdAt, began }: Entry): RunView => ({
    id,
    integration: call.integration,
    step: call.step,
    connection: null,
    token: caller.token ?? null,
    startId: call.startId ?? caller.startId ?? null,
    effect: effectOf(call),
    state: 'running',
    code: null,
    failure: null,
    attempts: 0,
    calls: 0,
    credits: 0,
    creditsEstimated: false,
    createdAt: new Date(createdAt).toISOString(),
    durationMs: clock.monotonic() - began,
  })

  return {
    begin(caller, call) {
      const runId = newRunId()
      const controller = new AbortController()
      const coming = run(caller, { ...call, runId, signal: controller.signal })
      const entry: Entry = { caller, call, createdAt: clock.now(), began: clock.monotonic(), controller, coming }
      running.set(runId, entry)
      const leave = (outcome?: Outcome) => {
        running.delete(runId)
        if (!outcome) return
        ended ??= new LRUCache({ max: mostKept, ttl: keptMs, perf: { now: () => clock.monotonic() } })
        ended.set(runId, { ...entry, outcome })
      }
      coming.then(leave, () => leave())
      return { runId, coming }
    },
    look(caller, runId) {
      const entry = find(caller, runId)
      if (!entry) return undefined
      return entry.outcome ? { outcome: entry.outcome } : { running: viewOf(runId, entry) }
    },
    cancel(caller, runId) {
      const entry = find(caller, runId)
      if (!entry) throw fail('not_found', `There is no run "${runId}" in the background.`)
      if (entry.outcome) return false
      entry.controller.abort()
      return true
    },
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
