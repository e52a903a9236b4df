import { z } from '#kit'
import { answers, providerFailures } from '../answers.ts'
import { whenGone } from '../gone.ts'
import { sendFailure } from '../parts.ts'
import type { Routes } from '../parts.ts'
import { dryRunDone, optionPage, optionsBody, runBody, runDone, runHeaders } from '../schemas.ts'

const params = z.object({ integration: z.string(), step: z.string() })

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
        params,
        headers: runHeaders,
        body: runBody,
        response: answers({ description: 'The output; in a dry run the requests', schema: z.union([runDone, dryRunDone]) }, providerFailures, { body: true }),
      },
    },
    async (request, reply) => {
      const { connection, input, dryRun, force } = request.body
      const outcome = await pack.steps.run(request.caller, {
        ...request.params,
        connection,
        input: input ?? {},
        dryRun,
        force,
        idempotencyKey: request.headers['idempotency-key'],
        startId: request.headers['start-id'],
        signal: whenGone(reply),
      })
      if (!dryRun) request.runId = outcome.meta.runId
      if (!outcome.ok) return sendFailure(request, reply, outcome.failure, { runId: request.runId })
      return dryRun ? outcome.value : { output: outcome.value, meta: outcome.meta }
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
        params,
        body: optionsBody,
        response: answers({ description: 'Choices; next while there are more', schema: optionPage }, providerFailures, { body: true }),
      },
    },
    async (request, reply) => pack.steps.options(request.caller, { ...request.params, ...request.body, signal: whenGone(reply) }),
  )
}
