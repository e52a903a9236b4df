import type { Listed, Page } from '../../runtime/ports/index.ts'
import { listed, readCursor } from '../table.ts'
import type { Position } from '../table.ts'

/** Rows of every tenant, apart by tenant first: nothing is found without naming one. */
export type TenantRows<T> = {
  of(tenant: string): Map<string, T>
  /** Rows of every tenant. */
  every(): T[]
}

export const tenantRows = <T>(): TenantRows<T> => {
  const byTenant = new Map<string, Map<string, T>>()
  return {
    of: (tenant) => {
      let rows = byTenant.get(tenant)
      if (!rows) byTenant.set(tenant, (rows = new Map()))
      return rows
    },
    every: () => [...byTenant.values()].flatMap((rows) => [...rows.values()]),
  }
}

export const newestFirst =
  <T>(position: (row: T) => Position) =>
  (a: T, b: T): number =>
    comparePositions(position(b), position(a))

const comparePositions = (a: Position, b: Position): number => a.at - b.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

/** One page of rows, newest first. */
export const pageOf = <T>(rows: Iterable<T>, page: Page, position: (row: T) => Position, keep: (row: T) => boolean): Listed<T> => {
  const after = readCursor(page.cursor)
  const found = [...rows].filter((row) => keep(row) && (!after || comparePositions(position(row), after) < 0))
  return listed(found.sort(newestFirst(position)).slice(0, page.limit + 1), page, position)
}

/** True when every given (not undefined) field of the filter is equal. */
export const fits = <T extends object>(row: T, filter: { [K in keyof T]?: T[K] | undefined }): boolean =>
  Object.entries(filter).every(([field, value]) => value === undefined || row[field as keyof T] === value)
