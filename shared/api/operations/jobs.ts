import { byId } from '../resources/fields.ts'
import { listOf, page } from '../resources/page.ts'
import { consent, job, newJob, newJobHeaders, preview } from '../resources/job.ts'
import { defineOperations, providerFailures } from '../operation.ts'

export const jobOperations = defineOperations({
  createJob: {
    method: 'POST',
    path: '/v1/jobs',
    tag: 'Jobs',
    summary: 'Look up every row of a file or list',
    description:
      'Makes a job that reads a stored CSV or JSONL file, or a stored list, and looks up a person or company for each row. It first reads the rows and quotes its price, which sends nothing. It goes on with `maxCredits` (a budget) or `confirm`; without them it stops in the state `ready`, for POST …/resume. `sample` looks up that many rows first, so that hit rate and cost are known.',
    input: { headers: newJobHeaders, body: newJob },
    output: { status: 201, description: 'The job', schema: job },
    failures: [...providerFailures, 'conflict'],
  },
  listJobs: {
    method: 'GET',
    path: '/v1/jobs',
    tag: 'Jobs',
    summary: 'List jobs',
    description:
      'Jobs over files of rows, newest first; for a token that is bound, those whose step and connection it may use. A job is deleted 30 days after it was made, or when the operator has set.',
    input: { query: page },
    output: { description: 'Newest first', schema: listOf(job) },
    failures: [],
  },
  getJob: {
    method: 'GET',
    path: '/v1/jobs/{id}',
    tag: 'Jobs',
    summary: 'Get a job',
    description:
      'State, progress and bill of a job. `result` names the file with the rows and what was found, for GET /v1/files/{id}.',
    input: { params: byId },
    output: { description: 'The job', schema: job },
    failures: ['not_found'],
  },
  previewJob: {
    method: 'GET',
    path: '/v1/jobs/{id}/preview',
    tag: 'Jobs',
    summary: 'Preview the first rows of a job',
    description:
      'The identifiers by which the first rows would be looked up, and what each may cost; and what the job is expected to find and to cost, estimated from earlier lookups of the workspace. Sends nothing.',
    input: { params: byId },
    output: { description: 'The first rows', schema: preview },
    failures: [...providerFailures, 'not_found'],
  },
  resumeJob: {
    method: 'POST',
    path: '/v1/jobs/{id}/resume',
    tag: 'Jobs',
    summary: 'Go on with a job',
    description:
      'Starts a job that is `ready`, or goes on with one that is `paused`. `maxCredits` sets the most it may spend in total; `confirm` agrees to what its rows cost; a job that has no quote yet is only planned by it, and waits as `ready`. It goes on as the token of this request. Rows that have a result are not looked up again.',
    input: { params: byId, body: consent },
    output: { description: 'The job', schema: job },
    failures: ['not_found', 'conflict'],
  },
  pauseJob: {
    method: 'POST',
    path: '/v1/jobs/{id}/pause',
    tag: 'Jobs',
    summary: 'Pause a job',
    description: 'No further row is sent; rows that were sent get their result.',
    input: { params: byId },
    output: { description: 'The job', schema: job },
    failures: ['not_found', 'conflict'],
  },
  cancelJob: {
    method: 'POST',
    path: '/v1/jobs/{id}/cancel',
    tag: 'Jobs',
    summary: 'Cancel a job',
    description:
      'Ends a job. Where rows were looked up, a result is written that has them; the others are `skipped` in it.',
    input: { params: byId },
    output: { description: 'The job', schema: job },
    failures: ['not_found', 'conflict'],
  },
})
