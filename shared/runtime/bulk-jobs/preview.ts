import type { BulkJob } from '../ports/index.ts'
import { inputsOf } from './mapping.ts'
import { tableOf } from './parts.ts'
import type { JobParts } from './parts.ts'
import { priceRow } from './prepare.ts'
import { reasonOf } from './results.ts'
import type { JobPreview as BulkPreview } from '../../api/resources/job.ts'

export type { BulkPreview }

const previewRows = 10

/** The first rows of a job as they would be looked up, with their prices. Sends nothing. */
export const previewJob = async (parts: JobParts, job: BulkJob): Promise<BulkPreview> => {
  const table = await tableOf(parts, job)
  const inputOf = inputsOf(job.order, table)
  const rows: BulkPreview['rows'] = []
  for await (const row of table.rows()) {
    const input = inputOf(row)
    const priced = await priceRow(parts, job, input)
    const isPriced = 'price' in priced
    rows.push({
      row: row.at + 1,
      input,
      price: isPriced ? { least: priced.price[0], most: priced.price[1] } : null,
      problem: isPriced ? null : reasonOf(priced.failure),
    })
    if (rows.length >= previewRows) break
  }
  return { columns: [...table.columns], map: job.order.map, rows }
}
