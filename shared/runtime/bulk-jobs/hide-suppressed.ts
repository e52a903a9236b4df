import { namedBy } from '#kit'
import type { BulkJob } from '../ports/index.ts'
import { inputsOf } from './mapping.ts'
import type { JobParts } from './parts.ts'
import { onSuppressionList } from './results.ts'
import type { RowResult } from './results.ts'
import type { Results } from './seal-results.ts'
import type { Table, TableRow } from '../tables/table.ts'

const hidden = ({ credits, estimated, provider, at }: RowResult): RowResult => ({
  status: 'suppressed',
  credits,
  ...(estimated ? { estimated } : {}),
  ...(provider === undefined ? {} : { provider }),
  ...(at === undefined ? {} : { at }),
  reason: onSuppressionList,
})

/** Hides results of people who were suppressed after their row was looked up. */
export const hideSuppressed = (
  { suppressed }: Pick<JobParts, 'suppressed'>,
  { tenant, order }: BulkJob,
  table: Table,
) => {
  const inputOf = inputsOf(order, table)
  return async (rows: readonly TableRow[], results: Results): Promise<Results> => {
    const contents = rows.map((row, place) => ({
      input: inputOf(row),
      values: order.columns.map(({ path }, column) => {
        const value = results[place]?.values?.[column]
        return path === 'id' ? namedBy({ kind: order.kind, id: value }) : { [path]: value }
      }),
    }))
    const isSuppressed = await suppressed(tenant, contents)
    return rows.map((_, place) => {
      const result = results[place] ?? null
      return result?.values && isSuppressed[place] ? hidden(result) : result
    })
  }
}
