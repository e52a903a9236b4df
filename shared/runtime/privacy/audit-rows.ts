import { nextTurn } from '#kit'
import type { AuditRow, Store } from '../ports/index.ts'
import type { StoredItem, StoredPart } from './stored-data.ts'

const rowsAtOnce = 200

/** The texts of a row that a caller or operator chose, or that an earlier version stored. */
const textsOf = ({ actor, startId, connection, path, decision }: AuditRow) =>
  [actor, startId, connection, path, decision].filter((text) => text !== null)

const itemOf = (row: AuditRow): StoredItem => ({
  kind: 'audit',
  id: String(row.seq),
  at: row.at,
  label: textsOf(row).join('\n'),
  texts: () => textsOf(row),
  // Each row's hash covers the row before it, so that no row can change unnoticed: not even for an erasure.
  erase: () => Promise.resolve(false),
})

/** Rows of the audit log in which to search for people: they can be shown and counted, but not changed. */
export const auditRowsOf = ({ audit }: { audit: Pick<Store['audit'], 'list'> }): StoredPart => ({
  async *each(tenant) {
    for (let cursor: string | undefined; ;) {
      const { items, next } = await audit.list(tenant, {
        limit: rowsAtOnce,
        ...(cursor === undefined ? {} : { cursor }),
      })
      for (const row of items) yield itemOf(row)
      if (next === undefined) return
      cursor = next
      await nextTurn()
    }
  },
})
