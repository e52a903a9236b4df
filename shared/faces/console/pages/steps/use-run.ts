/** Running a step: preview, confirmation, run, cancel. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError, get, may, post, problemOf, problemOfFailure, request, session, useKey } from '../../api/index.ts'
import type { Problem, StepManifest } from '../../api/index.ts'
import type { DryRunDone, RunDetail, RunDone } from '../../../../api/resources/run.ts'
import { kindOf } from './describe.ts'
import { remember } from './intents.ts'
import type { Intent } from './intents.ts'

export type Preview = DryRunDone['output']
export type Meta = Partial<RunDone['meta']> & { runId: string }
/** `savedAt`: set when the result is a saved sample. */
export type Result = { output: unknown; meta?: Meta; intent: Intent; savedAt?: string }
export type Progress = NonNullable<RunDetail['progress']>
export type RunState = {
  phase: 'idle' | 'previewing' | 'confirming' | 'running'
  preview?: Preview | undefined
  result?: Result
  problem?: Problem
  /** The request that led to the problem. */
  failed?: Intent
  /** The request that waits for confirmation. */
  pendingIntent?: Intent
  progress?: Progress | undefined
  /** When the run began. */
  since?: number
  isCancelling?: boolean
}

const pollMs = 400
const pause = () => new Promise<void>((resolve) => setTimeout(resolve, pollMs))
const bodyOf = ({ connection, input }: Intent) => ({ connection, input })
const pathOf = ({ integration, step }: Intent) =>
  `steps/${encodeURIComponent(integration)}/${encodeURIComponent(step)}/run`
const isOn = ({ state }: RunDetail) => state === 'running' || state === 'planned' || state === 'sending'

const failureOf = (runId: string, { failure }: RunDetail): Problem =>
  failure
    ? problemOfFailure(failure, runId)
    : {
        code: 'internal',
        detail: 'The run ended without a result. See the run for what it did.',
        status: 200,
        retryable: false,
        runId,
      }

/** Polls a background run until it ends. @throws ApiError */
const follow = async (runId: string, seen: (row: RunDetail) => void): Promise<Omit<Result, 'intent'>> => {
  for (;;) {
    const row = await get<RunDetail>(`runs/${encodeURIComponent(runId)}`)
    if (!isOn(row)) {
      if (row.state !== 'done') throw new ApiError(failureOf(runId, row))
      const { durationMs, attempts, credits, creditsEstimated } = row
      const spent = credits > 0 ? { credits: { charged: credits, estimated: creditsEstimated } } : {}
      return { output: row.output, meta: { runId, durationMs, attempts, ...spent } }
    }
    seen(row)
    await pause()
  }
}

const isDelete = (step: StepManifest, { input }: Intent) =>
  kindOf(step) === 'delete' || (step.effect === 'by-method' && input['method'] === 'DELETE')
/** Whether repeating the request could have an effect or a cost twice. */
const matters = (step: StepManifest, { input }: Intent) =>
  step.effect === 'by-method' ? input['method'] !== 'GET' : step.effect !== 'read' || step.cost !== null
const mayCost = (step: StepManifest) => step.cost !== null || step.effect === 'by-method'

export const needsConfirming = (step: StepManifest, intent: Intent, preview: Preview | undefined) =>
  isDelete(step, intent) || (preview === undefined ? mayCost(step) : preview.price !== undefined)

/** `state`: what the page shows; the other functions never throw. */
export const useRun = (step: StepManifest) => {
  const [state, setState] = useState<RunState>({ phase: 'idle' })
  /** The key stays while it is unknown whether the request arrived, so that a retry sends nothing twice. */
  const key = useKey()
  const running = useRef<{ runId?: string; isCancelled: boolean }>(undefined)
  const isGone = useRef(false)
  useEffect(() => () => void (isGone.current = true), [])
  const set = (next: (currentState: RunState) => RunState) => {
    if (!isGone.current) setState(next)
  }

  const sendCancel = (runId: string) => post(`runs/${encodeURIComponent(runId)}/cancel`).catch(() => undefined)

  const send = async (intent: Intent, force: boolean): Promise<Omit<Result, 'intent'>> => {
    const inBackground = may('read')
    const response = await request('POST', pathOf(intent), {
      body: { ...bodyOf(intent), force: force || undefined },
      headers: {
        ...(matters(step, intent) ? key.of([session.value?.token.id, pathOf(intent), bodyOf(intent)]) : {}),
        // Following a background run needs a scope that the token may lack.
        ...(inBackground ? { prefer: 'respond-async, wait=1' } : {}),
      },
    })
    const body = (await response.json()) as RunDone & { runId: string }
    if (response.status !== 202) return { output: body.output, meta: body.meta }
    const { runId } = body
    remember(runId, intent)
    const current = running.current
    if (current) current.runId = runId
    if (current?.isCancelled) await sendCancel(runId)
    return follow(runId, ({ progress }) =>
      set((currentState) => ({ ...currentState, progress: progress ?? currentState.progress })),
    )
  }

  const run = async (intent: Intent, force = false) => {
    if (running.current) return
    running.current = { isCancelled: false }
    if (force) key.forget()
    set(({ preview }) => ({ phase: 'running', since: Date.now(), preview }))
    try {
      const done = await send(intent, force)
      key.forget()
      if (done.meta) remember(done.meta.runId, intent)
      set(() => ({ phase: 'idle', result: { ...done, intent } }))
    } catch (thrown) {
      const problem = problemOf(thrown)
      // Only a response that names a run ends the attempt; errors of a proxy, an ended session or a busy store say
      // nothing about the run. A refusal to repeat the run is also an end: its key would only repeat the refusal.
      const isUnknown = problem.mayHaveHappened === true && problem.about === 'provider'
      if (problem.runId !== undefined && !isUnknown) key.forget()
      if (problem.runId !== undefined) remember(problem.runId, intent)
      set(() => ({ phase: 'idle', problem, failed: intent }))
    } finally {
      running.current = undefined
    }
  }

  const dryRun = async (intent: Intent): Promise<Preview | undefined> => {
    set(() => ({ phase: 'previewing' }))
    try {
      const { output } = await post<DryRunDone>(pathOf(intent), { ...bodyOf(intent), dryRun: true })
      set(() => ({ phase: 'idle', preview: output }))
      return output
    } catch (thrown) {
      set(() => ({ phase: 'idle', problem: problemOf(thrown), failed: intent }))
      return undefined
    }
  }

  return {
    state,
    preview: async (intent: Intent) => void (await dryRun(intent)),
    /**
     * Runs the step, or first asks for confirmation when it deletes something or costs credits. The price comes from a
     * dry run.
     */
    async ask(intent: Intent) {
      if (running.current) return
      const isRisky = mayCost(step) || isDelete(step, intent)
      const preview = isRisky ? await dryRun(intent) : undefined
      if (isRisky && !preview) return
      if (needsConfirming(step, intent, preview))
        set((currentState) => ({ ...currentState, phase: 'confirming', pendingIntent: intent }))
      else await run(intent)
    },
    run,
    /** Also called when the dialog closes because the user confirmed the run. */
    decline: () =>
      set((currentState) =>
        currentState.phase === 'confirming' ? { phase: 'idle', preview: currentState.preview } : currentState,
      ),
    async cancel() {
      const current = running.current
      if (!current || current.isCancelled) return
      current.isCancelled = true
      set((currentState) => ({ ...currentState, isCancelling: true }))
      if (current.runId !== undefined) await sendCancel(current.runId)
    },
    /** Shows a saved output. */
    show: (result: Result) => set(() => ({ phase: 'idle', result })),
  }
}
export type RunVerbs = ReturnType<typeof useRun>
