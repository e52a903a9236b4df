import type { BulkJob, StoredFile } from '../ports/index.ts'
import { chunkRows, chunksOf } from './chunks.ts'
import { hideSuppressed } from './hide-suppressed.ts'
import { tableOf } from './parts.ts'
import type { JobParts } from './parts.ts'
import { addedNames, addedTo } from './results.ts'
import type { RowResult } from './results.ts'
import type { ResultSeal } from './seal-results.ts'

/** Characters that are collected before they are written. */
const pieceLength = 65_536
const dropAtOnce = 50

const untouched: RowResult = { status: 'skipped', credits: 0, reason: 'The job was cancelled before this row.' }

const nameOf = (name: string) => name.replace(/(\.[A-Za-z0-9]{1,8})?$/, (end) => `-enriched${end}`).slice(-200)

/** Writes the rows of the file with their results, in order, to a new file, and returns it. */
export const writeResult = async (
  parts: JobParts,
  job: BulkJob,
  seal: ResultSeal,
  requireGoing: () => Promise<void>,
): Promise<StoredFile> => {
  const { store, files } = parts
  const { order, plan, tenant, id } = job
  const table = await tableOf(parts, job)
  const hide = hideSuppressed(parts, job, table)
  const width = plan?.width ?? table.columns.length
  const writer = await files.writer(tenant, {
    name: nameOf(order.name),
    mediaType: order.format === 'csv' ? 'text/csv' : 'application/x-ndjson',
    source: 'job',
    connections: [order.connection],
    token: order.token ?? job.caller.token,
    person: job.caller.person,
    isResult: true,
  })
  try {
    let text = table.head(addedNames(order.columns), width)
    for await (const { number, rows } of chunksOf(table, order.sample)) {
      const chunk = await store.bulkJobs.chunk(tenant, id, number)
      const results = await hide(rows, chunk?.results ? seal.open(number, chunk.results) : [])
      for (const [place, row] of rows.entries())
        text += row.line(addedTo(order.columns, results[place] ?? untouched), width)
      if (text.length < pieceLength) continue
      await writer.write(Buffer.from(text))
      text = ''
      await requireGoing()
    }
    await writer.write(Buffer.from(text))
  } catch (error) {
    await writer.abort()
    throw error
  }
  return writer.end()
}

/** The results are in the result file by now. Dropped in parts, since each is overwritten in place. */
export const dropResults = async (
  { store }: Pick<JobParts, 'store'>,
  { tenant, id, plan, order }: BulkJob,
): Promise<void> => {
  const chunks = Math.ceil((plan?.rows ?? 0) / chunkRows) + (order.sample > 0 ? 1 : 0)
  for (let from = 0; from < chunks; from += dropAtOnce)
    await store.bulkJobs.dropResults(tenant, id, from, from + dropAtOnce)
}
