import { z } from '#kit'
import type { Routes } from '../parts.ts'
import { id } from '../bounds.ts'
import { providerFailures, responses } from '../responses.ts'
import { consent, job, newJob, newJobHeaders, preview } from '../schemas-jobs.ts'
import { listOf, page } from '../schemas-files.ts'

const tags = ['Jobs']
const params = z.object({ id })
const change = { config: { access: ['run'] as 'run'[] } }
const read = { config: { access: ['run', 'read'] as ('run' | 'read')[] } }

/** Files of rows that are looked up one by one. */
export const jobRoutes: Routes = (app, { pack }) => {
  app.post(
    '/v1/jobs',
    {
      ...change,
      schema: {
        operationId: 'createJob',
        tags,
        summary: 'Look up every row of a file',
        description:
          'Makes a job that reads a stored CSV or JSONL file and looks up a person or company for each row. It first reads the file and quotes its price, which sends nothing. It goes on with `maxCredits` (a budget) or `confirm`; without them it stops in the state `ready`, for POST …/resume. `sample` looks up that many rows first, so that hit rate and cost are known.',
        headers: newJobHeaders,
        body: newJob,
        response: responses({ status: 201, description: 'The job', schema: job }, [...providerFailures, 'conflict'], { body: true }),
      },
    },
    async (request, reply) => {
      const made = await pack.jobs.create(request.caller, { ...request.body, idempotencyKey: request.headers['idempotency-key'] })
      return reply
        .code(201)
        .header('location', `/v1/jobs/${made.id}`)
        .send(made as never)
    },
  )
  app.get(
    '/v1/jobs',
    {
      ...read,
      schema: {
        operationId: 'listJobs',
        tags,
        summary: 'List jobs',
        description:
          'Jobs over files of rows, newest first; for a token that is bound, those whose step and connection it may use. A job is deleted 30 days after it was made, or when the operator has set.',
        querystring: page,
        response: responses({ description: 'Newest first', schema: listOf(job) }),
      },
    },
    async ({ caller, query: { limit, cursor } }) => (await pack.jobs.list(caller, { limit, ...(cursor === undefined ? {} : { cursor }) })) as never,
  )
  app.get(
    '/v1/jobs/:id',
    {
      ...read,
      schema: {
        operationId: 'getJob',
        tags,
        summary: 'Get a job',
        description: 'State, progress and bill of a job. `result` names the file with the rows and what was found, for GET /v1/files/{id}.',
        params,
        response: responses({ description: 'The job', schema: job }, ['not_found']),
      },
    },
    async ({ caller, params: { id } }) => (await pack.jobs.get(caller, id)) as never,
  )
  app.get(
    '/v1/jobs/:id/preview',
    {
      ...change,
      schema: {
        operationId: 'previewJob',
        tags,
        summary: 'Preview the first rows of a job',
        description: 'What the first rows would be looked up by, and what each may cost. Sends nothing.',
        params,
        response: responses({ description: 'The first rows', schema: preview }, [...providerFailures, 'not_found']),
      },
    },
    async ({ caller, params: { id } }) => (await pack.jobs.preview(caller, id)) as never,
  )
  app.post(
    '/v1/jobs/:id/resume',
    {
      ...change,
      schema: {
        operationId: 'resumeJob',
        tags,
        summary: 'Go on with a job',
        description:
          'Starts a job that is `ready`, or goes on with one that is `paused`. `maxCredits` sets the most it may spend in total; `confirm` agrees to what its rows cost. It goes on as the token of this request. Rows that have a result are not looked up again.',
        params,
        body: consent,
        response: responses({ description: 'The job', schema: job }, ['not_found', 'conflict'], { body: true }),
      },
    },
    async ({ caller, params: { id }, body }) => (await pack.jobs.resume(caller, id, body ?? {})) as never,
  )
  app.post(
    '/v1/jobs/:id/pause',
    {
      ...change,
      schema: {
        operationId: 'pauseJob',
        tags,
        summary: 'Pause a job',
        description: 'No further row is sent; rows that were sent get their result.',
        params,
        response: responses({ description: 'The job', schema: job }, ['not_found', 'conflict']),
      },
    },
    async ({ caller, params: { id } }) => (await pack.jobs.pause(caller, id)) as never,
  )
  app.post(
    '/v1/jobs/:id/cancel',
    {
      ...change,
      schema: {
        operationId: 'cancelJob',
        tags,
        summary: 'Cancel a job',
        description: 'Ends a job. Where rows were looked up, a result is written that has them; the others are `skipped` in it.',
        params,
        response: responses({ description: 'The job', schema: job }, ['not_found', 'conflict']),
      },
    },
    async ({ caller, params: { id } }) => (await pack.jobs.cancel(caller, id)) as never,
  )
}
