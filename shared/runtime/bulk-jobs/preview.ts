import type { BulkJob, Caller } from '../ports/index.ts'
import { expectJob } from './expect.ts'
import { inputsOf } from './mapping.ts'
import { tableOf } from './parts.ts'
import type { JobParts } from './parts.ts'
import { createShapes, priceOfRow, problemsOf } from './prepare.ts'
import { reasonOf } from './results.ts'
import type { TableRow } from '../tables/table.ts'
import type { JobPreview as BulkPreview } from '../../api/resources/job.ts'

export type { BulkPreview }

const previewRows = 10

/** Prices the first rows of a job that has no plan yet, as its plan will. Returns why no row can be priced now. */
const priceRows = async (
  parts: JobParts,
  job: BulkJob,
  inputs: readonly object[],
  problems: readonly (string | undefined)[],
) => {
  const shapes = createShapes(parts, job)
  for (const [place, input] of inputs.entries()) {
    const stop = await shapes.count(input, problems[place])
    if (stop) return { stop: reasonOf(stop) }
  }
  return { shapes: shapes.all() }
}

/**
 * The first rows of a job as they would be looked up, with the prices that its quote adds up, and what the job is
 * expected to find and to cost once its file was read. Sends nothing.
 */
export const previewJob = async (parts: JobParts, job: BulkJob, caller: Caller): Promise<BulkPreview> => {
  const table = await tableOf(parts, job)
  const rows: TableRow[] = []
  for await (const row of table.rows()) if (rows.push(row) >= previewRows) break
  const inputs = rows.map(inputsOf(job.order, table))
  const problems = await problemsOf(parts, job, inputs)
  const priced = job.plan ? { shapes: job.plan } : await priceRows(parts, job, inputs, problems)
  const priceOf = priced.shapes && priceOfRow(priced.shapes)
  const views = rows.map(({ at }, place): BulkPreview['rows'][number] => {
    const input = inputs[place]!
    const own = problems[place]
    const row = own === undefined && priceOf ? priceOf(input) : { problem: own ?? priced.stop ?? null }
    return {
      row: at + 1,
      input,
      price: 'price' in row ? { least: row.price[0], most: row.price[1] } : null,
      problem: 'price' in row ? null : row.problem,
    }
  })
  const expected = job.plan ? await expectJob(parts, job, job.plan, caller) : { expected: null, combined: null }
  return { columns: [...table.columns], map: job.order.map, rows: views, ...expected }
}
