import type { Caller } from '../ports/index.ts'
import type { Cell } from '../tables/table.ts'

/** The column, in the copy of a list, that holds the number of the row in the list. */
export const rowColumn = 'list_row'

/** New values of a row in a list. `at`: its place, from 0; `checkedAt`: when the provider returned them. */
export type CheckedRow = { at: number; checkedAt: number; values: { [column: string]: Cell } }

/** Stored lists whose rows jobs look up. */
export type JobLists = {
  /** Copies rows into a file: the list may change while the job runs. @throws Failure `not_found`, `conflict` */
  copy(
    caller: Caller,
    list: string,
    checkedBefore: number | undefined,
  ): Promise<{ list: string; file: string; rows: number; discard(): Promise<void> }>
  /** Stores new values of the rows that are still in the list. */
  update(tenant: string, list: string, rows: CheckedRow[]): Promise<void>
}
