/** The end user of the platform in lists, by the platform's own id. */
import type { Filter } from './filters.tsx'
import type { Column } from './table.tsx'

export const personFilter: Filter = { name: 'person', label: 'Person' }

/** Empty where no row has a person: most workspaces have none. */
export const personColumns = <T extends { person: string | null }>(rows: T[]): Column<T>[] =>
  rows.some(({ person }) => person !== null) ? [{ title: 'Person', cell: ({ person }) => person ?? '–' }] : []
