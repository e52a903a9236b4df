import { z } from '#kit'
import { byId } from '../resources/fields.ts'
import { listOf } from '../resources/page.ts'
import { run, runDetail, runFilter } from '../resources/run.ts'
import { usage, usageFilter, usageGroup } from '../resources/usage.ts'
import { defineOperations } from '../operation.ts'

export const runOperations = defineOperations({
  listRuns: {
    method: 'GET',
    path: '/v1/runs',
    tag: 'Runs',
    summary: 'List step runs',
    description: 'Step runs, newest first. Filter by integration, step, connection, state, start or time.',
    input: { query: runFilter },
    output: { description: 'Newest first', schema: listOf(run) },
    failures: [],
  },
  getRun: {
    method: 'GET',
    path: '/v1/runs/{id}',
    tag: 'Runs',
    summary: 'Get a step run',
    description:
      'One step run: state, credits, failure, and its requests to the provider with their waits. A run in the background shows its progress; its output is included for ten minutes after it ends.',
    input: { params: byId },
    output: { description: 'The run', schema: runDetail },
    failures: ['not_found'],
  },
  cancelRun: {
    method: 'POST',
    path: '/v1/runs/{id}/cancel',
    tag: 'Runs',
    summary: 'Cancel a background run',
    description:
      'Cancels a background run. A request that has already been sent may still take effect at the provider.',
    input: { params: byId },
    output: { status: 202, description: 'Cancellation requested', schema: () => z.object({ id: z.string() }) },
    failures: ['not_found', 'conflict'],
  },
  getUsage: {
    method: 'GET',
    path: '/v1/usage',
    tag: 'Runs',
    summary: 'Get usage by day, step and connection',
    description:
      'Runs, failures, provider calls, credits, waits and refusals by rate limits per day, integration, step and connection. Beside them, credits spent and reserved by day, step and token, and what is left of each budget. `by` adds totals over all of these days by step, person or connection; `since` with the first of a month makes them those of the month.',
    input: {
      query: () =>
        usageFilter().extend({
          by: usageGroup.optional().describe('Adds `totals`, by this'),
        }),
    },
    output: { description: 'One row per day, step and connection', schema: usage },
    failures: ['invalid_input'],
  },
  exportUsage: {
    method: 'GET',
    path: '/v1/usage/export',
    tag: 'Runs',
    summary: 'Export usage as CSV',
    description:
      'The totals of GET /v1/usage as a CSV file: one line for each integration and step, person or connection, with runs, calls, credits and, where the operator gives a price for a credit, money. Cells that a spreadsheet would compute begin with an apostrophe.',
    input: {
      query: () =>
        usageFilter().extend({ by: usageGroup.default('step').describe('What the lines are told apart by') }),
    },
    output: {
      description: 'The file',
      content: 'text/csv; charset=utf-8',
      contentDescription: 'A line for each total',
    },
    failures: ['invalid_input'],
  },
})
