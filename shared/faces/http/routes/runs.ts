import { z } from '#kit'
import { given, readLabels } from '../filter.ts'
import { id } from '../bounds.ts'
import { responses } from '../responses.ts'
import type { Routes } from '../parts.ts'
import { listOf, run, runDetail, runFilter, usage } from '../schemas.ts'

/** Step history and usage. */
export const runRoutes: Routes = (app, { pack }) => {
  const tags = ['Runs']
  app.get(
    '/v1/runs',
    {
      config: { access: ['read'] },
      schema: {
        operationId: 'listRuns',
        tags,
        summary: 'List step runs',
        description: 'Step runs, newest first. Filter by integration, step, connection, state, start or time.',
        querystring: runFilter,
        response: responses({ description: 'Newest first', schema: listOf(run) }),
      },
    },
    async ({ caller, query: { limit, cursor, label, ...asked } }) => pack.runs.list(caller, { limit, cursor }, given({ ...asked, labels: readLabels(label) })),
  )
  app.get(
    '/v1/runs/:id',
    {
      config: { access: ['read'] },
      schema: {
        operationId: 'getRun',
        tags,
        summary: 'Get a step run',
        description:
          'One step run: state, credits, failure, and its requests to the provider with their waits. A run in the background shows its progress; its output is included for ten minutes after it ends.',
        params: z.object({ id }),
        response: responses({ description: 'The run', schema: runDetail }, ['not_found']),
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
        summary: 'Cancel a background run',
        description: 'Cancels a background run. A request that has already been sent may still take effect at the provider.',
        params: z.object({ id }),
        response: responses({ status: 202, description: 'Cancellation requested', schema: z.object({ id: z.string() }) }, ['not_found', 'conflict']),
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
        summary: 'Get usage by day, step and connection',
        description:
          'Runs, failures, provider calls, credits, waits and refusals by rate limits per day, integration, step and connection. Beside them, credits spent and reserved by day, step and token, and what is left of each budget.',
        querystring: z.strictObject({ days: z.coerce.number().int().min(1).max(366).default(30).describe('How many days back, 1 to 366') }),
        response: responses({ description: 'One row per day, step and connection', schema: usage }),
      },
    },
    async ({ caller, query: { days } }) => {
      const [items, spent, { items: budgets }] = await Promise.all([pack.runs.usage(caller, days), pack.ledger.spent(caller, days), pack.budgets.list(caller)])
      return { items, spent, budgets }
    },
  )
}
