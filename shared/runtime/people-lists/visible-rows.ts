import { namedBy } from '#kit'
import type { StoredPeopleList } from '../ports/index.ts'
import { rowsAtOnce } from './parts.ts'
import type { ListDependencies } from './parts.ts'
import type { ListValues } from './read-rows.ts'
import { createRowSeal } from './sealed-rows.ts'

/** Those rows that name nobody who is suppressed now. */
export const withoutSuppressed = async <Row extends { values: ListValues }>(
  { suppressed }: Pick<ListDependencies, 'suppressed'>,
  { tenant, kind }: Pick<StoredPeopleList, 'tenant' | 'kind'>,
  rows: readonly Row[],
): Promise<Row[]> => {
  const hidden = await suppressed(
    tenant,
    rows.map(({ values }) => [values, namedBy({ kind, id: values['id'] })]),
  )
  return rows.filter((_, place) => !hidden[place])
}

type ReadRow = { at: number; checkedAt: number | null; values: ListValues }

/** The rows of a list, without people who were suppressed since it was made. */
export async function* rowsIn(
  parts: Pick<ListDependencies, 'store' | 'vault' | 'suppressed'>,
  list: StoredPeopleList,
  checkedBefore?: number,
): AsyncGenerator<ReadRow> {
  const seal = createRowSeal(parts.vault, list)
  for (let after = -1; ;) {
    const rows = await parts.store.peopleLists.rows(list.tenant, list.id, rowsAtOnce, { after, checkedBefore })
    const opened = rows.map((row) => ({ at: row.at, checkedAt: row.checkedAt, values: seal.open(row) }))
    yield* await withoutSuppressed(parts, list, opened)
    if (rows.length < rowsAtOnce) return
    after = rows.at(-1)!.at
  }
}
