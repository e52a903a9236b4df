import { failField } from '#kit'
import type { BulkJob, Caller } from '../ports/index.ts'
import { chunksOf } from './chunks.ts'
import { hideSuppressed } from './hide-suppressed.ts'
import { rowColumn } from './job-lists.ts'
import type { CheckedRow } from './job-lists.ts'
import { tableOf } from './parts.ts'
import type { JobParts } from './parts.ts'
import type { ResultSeal } from './seal-results.ts'
import type { Cell } from '../tables/table.ts'

const day = 86_400_000

type Source = { file?: string | undefined; list?: string | undefined; olderThanDays?: number | undefined }
export type OpenedSource = { file: string; list?: string; refreshesList?: true; discard(): Promise<void> }

const discardNothing = async () => {}

/**
 * The file that a job reads: the named one, or a copy of a list.
 * @throws Failure `invalid_input` naming the field; `not_found`
 */
export const openSource = async (
  { lists, clock }: Pick<JobParts, 'lists' | 'clock'>,
  caller: Caller,
  { file, list, olderThanDays }: Source,
): Promise<OpenedSource> => {
  if ((file === undefined) === (list === undefined))
    throw failField('file', 'Give one of: file (the id of a stored file), list (the id or name of a stored list).')
  if (olderThanDays !== undefined && list === undefined)
    throw failField('olderThanDays', 'olderThanDays refreshes a stored list. Give "list" instead of "file".')
  if (olderThanDays !== undefined && !(Number.isInteger(olderThanDays) && olderThanDays >= 0 && olderThanDays <= 3_650))
    throw failField('olderThanDays', 'olderThanDays is a number of days, 0 to 3,650.')
  if (file !== undefined) return { file, discard: discardNothing }
  const checkedBefore = olderThanDays === undefined ? undefined : clock.now() - olderThanDays * day
  const { rows, ...copy } = await lists.copy(caller, list!, checkedBefore)
  if (rows === 0) {
    await copy.discard()
    throw olderThanDays === undefined
      ? failField('list', 'The list has no rows left.')
      : failField('olderThanDays', `No row of the list is left that was not checked in the last ${olderThanDays} days.`)
  }
  return { ...copy, ...(olderThanDays === undefined ? {} : { refreshesList: true as const }) }
}

/** Stores the results of a job that refreshes a list in the rows of the list. May be repeated. */
export const refreshList = async (
  parts: JobParts,
  job: BulkJob,
  seal: ResultSeal,
  requireGoing: () => Promise<void>,
): Promise<void> => {
  const { tenant, id, order } = job
  if (order.list === undefined || !order.refreshesList) return
  const table = await tableOf(parts, job)
  const hide = hideSuppressed(parts, job, table)
  const place = table.find(rowColumn)!
  // An identifier is refreshed in the column that it was read from.
  const names = order.columns.map(({ path }) => order.map[path] ?? path)
  for await (const { number, rows } of chunksOf(table, order.sample)) {
    const chunk = await parts.store.bulkJobs.chunk(tenant, id, number)
    const results = await hide(rows, chunk?.results ? seal.open(number, chunk.results) : [])
    const checkedRows = rows.flatMap((row, index): CheckedRow[] => {
      const { status, at, values = [] } = results[index] ?? {}
      if (at === undefined || (status !== 'match' && status !== 'no_match')) return []
      const named = names.map((name, column): [string, Cell] => [name, values[column] ?? null])
      return [{ at: Number(row.value(place)) - 1, checkedAt: Date.parse(at), values: Object.fromEntries(named) }]
    })
    if (checkedRows.length > 0) await parts.lists.update(tenant, order.list, checkedRows)
    await requireGoing()
  }
}
