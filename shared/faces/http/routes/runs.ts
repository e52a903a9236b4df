import { z } from '#kit'
import { answers } from '../responses.ts'
import type { Routes } from '../parts.ts'
import { listOf, run, runFilter, runWithOutput, usage } from '../schemas.ts'

/** Step history and what it cost. */
export const runRoutes: Routes = (app, { pack }) => {
  const tags = ['Runs']
  app.get(
    '/v1/runs',
    {
      config: { access: ['read'] },
      schema: {
        operationId: 'listRuns',
        tags,
        summary: 'Step runs',
        description: 'Step runs, newest first. Filter by integration, step, connection, state or start.',
        querystring: runFilter,
        response: answers({ description: 'Newest first', schema: listOf(run) }),
      },
    },
    async ({ caller, query: { limit, cursor, ...asked } }) => {
      const filter = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined))
      return pack.runs.list(caller, { limit, cursor }, filter)
    },
  )
  app.get(
    '/v1/runs/:id',
    {
      config: { access: ['read'] },
      schema: {
        operationId: 'getRun',
        tags,
        summary: 'One step run',
        description: 'One step run: state, attempts, credits and failure. The output of a background run is included for ten minutes after it ends.',
        params: z.object({ id: z.string() }),
        response: answers({ description: 'The run', schema: runWithOutput }, ['not_found']),
      },
    },
    async ({ caller, params }) => pack.runs.get(caller, params.id),
  )
  app.post(
    '/v1/runs/:id/cancel',
    {
      config: { access: ['run'] },
      schema: {
        operationId: 'cancelRun',
        tags,
        summary: 'End a run in the background; what was sent already may have happened',
        description: 'Cancels a background run. A request that has already been sent may still take effect at the provider.',
        params: z.object({ id: z.string() }),
        response: answers({ status: 202, description: 'It is told to end', schema: z.object({ id: z.string() }) }, ['not_found', 'conflict']),
      },
    },
    async ({ caller, params }, reply) => reply.code(202).send(await pack.runs.cancel(caller, params.id)),
  )
  app.get(
    '/v1/usage',
    {
      config: { access: ['read'] },
      schema: {
        operationId: 'getUsage',
        tags,
        summary: 'Runs, provider calls and credits by day, step and account',
        description: 'Runs, failures, provider calls and credits per day, integration, step and connection.',
        querystring: z.strictObject({ days: z.coerce.number().int().min(1).max(366).default(30).describe('How many days back, 1 to 366') }),
        response: answers({ description: 'One row per day, step and account', schema: usage }),
      },
    },
    async ({ caller, query }) => ({ items: await pack.runs.usage(caller, query.days) }),
  )
}
