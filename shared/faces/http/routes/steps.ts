import { setTimeout as wait } from 'node:timers/promises'
import { z } from '#kit'
import type { Outcome } from '#kit'
import type { DryRun } from '../../../runtime/steps/dry-run.ts'
import { answers, providerFailures } from '../responses.ts'
import { signalClientAbort } from '../client-abort.ts'
import { sendFailure } from '../parts.ts'
import type { Routes } from '../parts.ts'
import { begun, dryRunDone, optionPage, optionsBody, runBody, runDone, runHeaders } from '../schemas.ts'

const params = z.object({ integration: z.string(), step: z.string() })

/** What fails at once is told at once. */
const leastWaitMs = 50
const mostWaitSeconds = 60

/** How many ms a client that prefers not to wait waits all the same; undefined: until the end (RFC 7240). */
const patienceOf = (prefer: string | undefined): number | undefined => {
  const words = (prefer ?? '')
    .toLowerCase()
    .split(',')
    .map((word) => word.trim())
  if (!words.includes('respond-async')) return undefined
  const [, seconds = '0'] = words.map((word) => /^wait\s*=\s*"?(\d{1,4})"?$/.exec(word)).find(Boolean) ?? []
  return Math.max(leastWaitMs, Math.min(Number(seconds), mostWaitSeconds) * 1_000)
}

const within = async <T>(coming: Promise<T>, ms: number): Promise<T | undefined> => {
  const patience = new AbortController()
  try {
    return await Promise.race([coming, wait(ms, undefined, { signal: patience.signal })])
  } finally {
    patience.abort()
  }
}

/** The same envelope as a run, so that one client type reads both. The fields beside it are those of version 0.1.0. */
const dryRunAnswer = ({ value, meta }: Extract<Outcome, { ok: true }>) => ({ output: value, meta, ...(value as DryRun) })

/** Running a step, and the choices of its fields. */
export const stepRoutes: Routes = (app, { pack }) => {
  app.post(
    '/v1/steps/:integration/:step/run',
    {
      config: { access: ['run'] },
      schema: {
        operationId: 'runStep',
        tags: ['Steps'],
        summary: 'Run a step with a connected account, or show what it would send',
        description:
          'Runs one step and waits for its output. With `dryRun` nothing is sent, and the answer shows the exact requests with secrets masked. Send an `Idempotency-Key` to make a repeat safe, and `Prefer: respond-async` for long runs.',
        params,
        headers: runHeaders,
        body: runBody,
        response: {
          ...answers({ description: 'The output; in a dry run the requests', schema: z.union([runDone, dryRunDone]) }, providerFailures, { body: true }),
          202: { description: 'It goes on; asked for by Prefer: respond-async', content: { 'application/json': { schema: begun } } },
        },
      },
    },
    async (request, reply) => {
      const { connection, input, dryRun, force } = request.body
      const call = {
        ...request.params,
        connection,
        input: input ?? {},
        dryRun,
        force,
        idempotencyKey: request.headers['idempotency-key'],
        startId: request.headers['start-id'],
      }
      const patience = dryRun ? undefined : patienceOf(request.headers.prefer)
      const begunNow = patience === undefined ? undefined : pack.steps.begin(request.caller, call)
      const outcome = begunNow ? await within(begunNow.coming, patience!) : await pack.steps.run(request.caller, { ...call, signal: signalClientAbort(reply) })
      if (!outcome) {
        const { runId } = begunNow!
        request.runId = runId
        return reply
          .code(202)
          .headers({ location: `/v1/runs/${runId}`, 'preference-applied': 'respond-async' })
          .send({ runId })
      }
      if (!dryRun) request.runId = outcome.meta.runId
      if (!outcome.ok) return sendFailure(request, reply, outcome.failure, { runId: request.runId })
      // What a step gives is only known when it runs.
      return reply.send((dryRun ? dryRunAnswer(outcome) : { output: outcome.value, meta: outcome.meta }) as never)
    },
  )
  app.post(
    '/v1/steps/:integration/:step/options',
    {
      config: { access: ['run'] },
      schema: {
        operationId: 'loadStepOptions',
        tags: ['Steps'],
        summary: 'The choices of an input field, from the connected account',
        description:
          'Loads the choices of one input field from the connected account, for example the lists of a chosen board. Pass the fields that are already filled in `values`.',
        params,
        body: optionsBody,
        response: answers({ description: 'Choices; next while there are more', schema: optionPage }, providerFailures, { body: true }),
      },
    },
    async (request, reply) => pack.steps.options(request.caller, { ...request.params, ...request.body, signal: signalClientAbort(reply) }),
  )
}
