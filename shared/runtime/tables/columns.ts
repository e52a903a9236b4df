import type { Table, TableRow } from './table.ts'

const plainName = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/**
 * Finds a column for each field, by one of the names of the field, without regard to case, spaces and punctuation. Each
 * column belongs to one field at most.
 */
export const matchColumns = (
  columns: readonly string[],
  fields: readonly (readonly [field: string, names: readonly string[]])[],
): { [field: string]: string } => {
  const byName = new Map(columns.toReversed().map((column) => [plainName(column), column]))
  const taken = new Set<string>()
  const map: { [field: string]: string } = {}
  for (const [field, names] of fields) {
    const column = names
      .map((name) => byName.get(plainName(name)))
      .find((columnName) => columnName !== undefined && !taken.has(columnName))
    if (column === undefined) continue
    taken.add(column)
    map[field] = column
  }
  return map
}

/** Returns a function that reads the fields of a row from their columns. Empty cells are omitted. */
export const fieldReader = (table: Table, map: { [field: string]: string }) => {
  const places = Object.entries(map).map(([field, column]) => [field, table.find(column)!] as const)
  return (row: TableRow): Record<string, unknown> => {
    const values: Record<string, unknown> = {}
    for (const [field, place] of places) {
      const value = row.value(place)
      if (value === undefined || value === null || value === '') continue
      values[field] = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
    }
    return values
  }
}
