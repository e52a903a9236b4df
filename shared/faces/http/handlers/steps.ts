import { setTimeout as wait } from 'node:timers/promises'
import type { Outcome } from '#kit'
import type { DryRun } from '../../../runtime/steps/dry-run/dry-run.ts'
import { signalClientAbort } from '../client-abort.ts'
import { sendFailure } from '../parts.ts'
import type { stepOperations } from '../../../api/operations/steps.ts'
import type { Handlers } from '../operations.ts'
import type { HttpDependencies } from '../parts.ts'

/** A run that fails within this time is answered with its failure instead of 202. */
const minWaitMs = 50

const maxWaitSeconds = 60

/** How long to wait for a run before responding with 202 (RFC 7240); undefined: until it ends. */
const waitOf = (prefer: string): number | undefined => {
  const words = prefer
    .toLowerCase()
    .split(',')
    .map((word) => word.trim())
  if (!words.includes('respond-async')) return undefined
  const [, seconds = '0'] = words.map((word) => /^wait\s*=\s*"?(\d{1,4})"?$/.exec(word)).find(Boolean) ?? []
  return Math.max(minWaitMs, Math.min(Number(seconds), maxWaitSeconds) * 1_000)
}

const within = async <T>(coming: Promise<T>, ms: number): Promise<T | undefined> => {
  const timer = new AbortController()
  try {
    return await Promise.race([coming, wait(ms, undefined, { signal: timer.signal })])
  } finally {
    timer.abort()
  }
}

/** The same envelope as a run, so that clients need one type. The fields beside it are kept from version 0.1.0. */
const dryRunResponse = ({ value, meta }: Extract<Outcome, { ok: true }>) => ({
  output: value,
  meta,
  ...(value as DryRun),
})

export const stepHandlers = ({ pack }: HttpDependencies): Handlers<typeof stepOperations> => ({
  runStep: async (request, reply) => {
    const { connection, person, input, dryRun, force, maxCredits, maxAge, refresh, merge } = request.body
    const call = {
      ...request.params,
      connection,
      person,
      input: input ?? {},
      dryRun,
      force,
      maxCredits,
      maxAge,
      refresh,
      merge,
      idempotencyKey: request.headers['idempotency-key'],
      startId: request.headers['start-id'],
    }
    const { prefer } = request.headers
    const waitMs = dryRun || prefer === undefined ? undefined : waitOf(prefer)
    const background = waitMs === undefined ? undefined : pack.steps.begin(request.caller, call)
    const outcome = background
      ? await within(background.coming, waitMs!)
      : await pack.steps.run(request.caller, { ...call, signal: signalClientAbort(reply) })
    if (!outcome) {
      const { runId, announcement: whenKnown } = background!
      await whenKnown
      request.runId = runId
      return reply
        .code(202)
        .headers({ location: `/v1/runs/${runId}`, 'preference-applied': 'respond-async' })
        .send({ runId })
    }
    if (!dryRun) request.runId = outcome.meta.runId
    if (!outcome.ok) return sendFailure(request, reply, outcome.failure, { runId: request.runId })
    // The output schema differs by step.
    return reply.send(dryRun ? dryRunResponse(outcome) : { output: outcome.value, meta: outcome.meta })
  },
  loadStepOptions: async (request, reply) =>
    pack.steps.options(request.caller, { ...request.params, ...request.body, signal: signalClientAbort(reply) }),
  loadStepFields: async (request, reply) =>
    pack.steps.fields(request.caller, { ...request.params, ...request.body, signal: signalClientAbort(reply) }),
})
