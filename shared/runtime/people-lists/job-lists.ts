import { rowColumn } from '../bulk-jobs/job-lists.ts'
import type { CheckedRow, JobLists } from '../bulk-jobs/job-lists.ts'
import { csvLine } from '../csv-cells.ts'
import { createFindList } from './lists.ts'
import type { ListDependencies } from './parts.ts'
import { maxRowBytes } from './read-rows.ts'
import type { ListValues } from './read-rows.ts'
import { createRowSeal } from './sealed-rows.ts'
import { rowsIn } from './visible-rows.ts'

/** How long the copy is stored: as long as a job. */
const copyHours = 30 * 24

type JobListDependencies = Pick<ListDependencies, 'store' | 'vault' | 'files' | 'clock' | 'suppressed'> & {
  removeFile(tenant: string, id: string): Promise<unknown>
}

/** The values of a row, with those of a check that are not empty. What a later check has stored stays. */
const mergeValues = (oldValues: ListValues, values: CheckedRow['values'], isLatest: boolean): ListValues => {
  const newValues = Object.entries(values).flatMap(([column, value]) =>
    value === null || value === '' ? [] : [[column, String(value)] as const],
  )
  const checkedValues = Object.fromEntries(newValues)
  const row = isLatest ? { ...oldValues, ...checkedValues } : { ...checkedValues, ...oldValues }
  return Buffer.byteLength(JSON.stringify(row)) > maxRowBytes ? oldValues : row
}

/** Lists as jobs use them. */
export const createJobLists = (parts: JobListDependencies): JobLists => {
  const { store, vault, files, clock, removeFile } = parts
  const find = createFindList(parts)
  const verbs: JobLists = {
    async copy(caller, idOrName, checkedBefore) {
      const list = await find(caller, idOrName)
      const columns = list.columnNames.filter((column) => column !== rowColumn)
      const writer = await files.writer(list.tenant, {
        name: `${list.name.replaceAll(/[\\/:*?"<>|]/g, '_')}.csv`,
        mediaType: 'text/csv',
        source: 'job',
        isResult: true,
        expiresInHours: copyHours,
        connections: caller.connections,
        token: caller.token,
        person: caller.person,
      })
      let rows = 0
      try {
        await writer.write(Buffer.from(csvLine([...columns, rowColumn])))
        for await (const { at, values } of rowsIn(parts, list, checkedBefore)) {
          rows += 1
          await writer.write(Buffer.from(csvLine([...columns.map((column) => values[column] ?? ''), at + 1])))
        }
      } catch (error) {
        await writer.abort()
        throw error
      }
      const { id: file } = await writer.end()
      return { list: list.id, file, rows, discard: async () => void (await removeFile(list.tenant, file)) }
    },
    async update(tenant, id, checkedRows) {
      const list = await store.peopleLists.get(tenant, id, clock.now())
      if (!list) return
      const byPlace = new Map(checkedRows.map((row) => [row.at, row]))
      const places = [...byPlace.keys()]
      const [first, last] = [Math.min(...places), Math.max(...places)]
      const stored = await store.peopleLists.rows(tenant, id, last - first + 1, { after: first - 1 })
      const seal = createRowSeal(vault, list)
      const columns = new Set(list.columnNames)
      const changed = stored.flatMap((row) => {
        const checked = byPlace.get(row.at)
        if (!checked) return []
        const checkedAt = Math.max(row.checkedAt ?? 0, checked.checkedAt)
        const values = mergeValues(seal.open(row), checked.values, checkedAt === checked.checkedAt)
        for (const column of Object.keys(values)) columns.add(column)
        return [{ ...seal.seal(row.at, checkedAt, values), former: row.content, checked }]
      })
      const columnNames = { from: list.columnNames, to: [...columns] }
      // Another refresh has changed these rows or added columns meanwhile, or the list was deleted.
      const left = await store.peopleLists.update(tenant, id, columnNames, changed)
      if (left.length > 0)
        await verbs.update(
          tenant,
          id,
          left.map(({ checked }) => checked),
        )
    },
  }
  return verbs
}
