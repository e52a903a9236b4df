import { Table } from '../../ui/index.ts'
import { differences } from './diff.ts'
import type { Difference } from './diff.ts'

const Value = ({ value }: { value: unknown }) =>
  value === undefined ? (
    <span class="muted">absent</span>
  ) : (
    <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>
  )

const columns = [
  { title: 'Field', cell: ({ field }: Difference) => <code>{field}</code> },
  { title: 'Before', cell: ({ before }: Difference) => <Value value={before} /> },
  { title: 'After', cell: ({ after }: Difference) => <Value value={after} /> },
]

/** What an event changed, field by field; renders nothing when the event does not say. */
export const FieldChanges = ({ before, after }: { before: unknown; after: unknown }) => {
  const rows = differences(before, after)
  return rows.length === 0 ? null : (
    <Table caption="What changed" columns={columns} rows={rows} keyOf={({ field }) => field} />
  )
}
