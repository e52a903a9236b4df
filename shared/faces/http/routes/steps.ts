import { setTimeout as wait } from 'node:timers/promises'
import { z } from '#kit'
import type { Outcome } from '#kit'
import type { DryRun } from '../../../runtime/steps/dry-run.ts'
import { id } from '../bounds.ts'
import { responses, providerFailures } from '../responses.ts'
import { signalClientAbort } from '../client-abort.ts'
import { sendFailure } from '../parts.ts'
import type { Routes } from '../parts.ts'
import { accepted, dryRunDone, fieldsBody, formLayout, optionPage, optionsBody, runBody, runDone, runHeaders } from '../schemas.ts'

const accountForm = z.object({
  schema: z.looseObject({}).describe('Of the object that holds the values, by the id of the field'),
  layout: formLayout,
})
const params = z.object({ integration: id, step: id })

/** A run that fails at once is answered with its failure. */
const minWaitMs = 50
const maxWaitSeconds = 60

/** How long to wait for a run before responding with 202 (RFC 7240); undefined: until it ends. */
const waitOf = (prefer: string | undefined): number | undefined => {
  const words = (prefer ?? '')
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

/** The same envelope as a run, so that clients need one type. The fields beside it are those of version 0.1.0. */
const dryRunResponse = ({ value, meta }: Extract<Outcome, { ok: true }>) => ({ output: value, meta, ...(value as DryRun) })

/** Running a step, the choices of its fields, and the fields that the account defines. */
export const stepRoutes: Routes = (app, { pack }) => {
  app.post(
    '/v1/steps/:integration/:step/run',
    {
      config: { access: ['run'] },
      schema: {
        operationId: 'runStep',
        tags: ['Steps'],
        summary: 'Run a step, or show the requests it would send',
        description:
          'Runs one step and waits for its output. With `dryRun` nothing is sent; the response contains the exact requests with secrets masked. Send an `Idempotency-Key` to make retries safe, and `Prefer: respond-async` for long runs.',
        params,
        headers: runHeaders,
        body: runBody,
        response: {
          ...responses({ description: 'The output; with dryRun, the requests', schema: z.union([runDone, dryRunDone]) }, providerFailures, { body: true }),
          202: {
            description: 'The run continues in the background, as requested by Prefer: respond-async',
            content: { 'application/json': { schema: accepted } },
          },
        },
      },
    },
    async (request, reply) => {
      const { connection, input, dryRun, force, maxCredits, maxAge, refresh, merge } = request.body
      const call = {
        ...request.params,
        connection,
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
      const waitMs = dryRun ? undefined : waitOf(request.headers.prefer)
      const background = waitMs === undefined ? undefined : pack.steps.begin(request.caller, call)
      const outcome = background
        ? await within(background.coming, waitMs!)
        : await pack.steps.run(request.caller, { ...call, signal: signalClientAbort(reply) })
      if (!outcome) {
        const { runId, known } = background!
        await known
        request.runId = runId
        return reply
          .code(202)
          .headers({ location: `/v1/runs/${runId}`, 'preference-applied': 'respond-async' })
          .send({ runId })
      }
      if (!dryRun) request.runId = outcome.meta.runId
      if (!outcome.ok) return sendFailure(request, reply, outcome.failure, { runId: request.runId })
      // The output schema differs by step.
      return reply.send((dryRun ? dryRunResponse(outcome) : { output: outcome.value, meta: outcome.meta }) as never)
    },
  )
  app.post(
    '/v1/steps/:integration/:step/options',
    {
      config: { access: ['run'] },
      schema: {
        operationId: 'loadStepOptions',
        tags: ['Steps'],
        summary: 'Load the choices of an input field',
        description:
          'Loads the choices of one input field from the connected account. Pass the fields that are already filled in `values`: the choices may depend on them.',
        params,
        body: optionsBody,
        response: responses({ description: 'Choices; next if there are more', schema: optionPage }, providerFailures, { body: true }),
      },
    },
    async (request, reply) => pack.steps.options(request.caller, { ...request.params, ...request.body, signal: signalClientAbort(reply) }),
  )
  app.post(
    '/v1/steps/:integration/:step/fields',
    {
      config: { access: ['run'] },
      schema: {
        operationId: 'loadStepFields',
        tags: ['Steps'],
        summary: 'Load the fields that the account defines',
        description:
          'Loads fields that the connected account defines, such as custom fields, for a step whose manifest has `accountFields`. Pass what `accountFields.dependsOn` names in `values`. The values go into the input field that `accountFields.field` names, by the id of the field; null empties a field.',
        params,
        body: fieldsBody,
        response: responses({ description: 'Schema and layout of the fields', schema: accountForm }, providerFailures, { body: true }),
      },
    },
    async (request, reply) => pack.steps.fields(request.caller, { ...request.params, ...request.body, signal: signalClientAbort(reply) }),
  )
}
