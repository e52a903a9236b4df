import { fail } from '#kit'
import type { Listed, Page } from '../runtime/ports/index.ts'
import type { StatementResult, Param, Row } from './sqlite.ts'
import type { Statement } from './commit.ts'

/** How a field is stored: as it is (text, number, bytes, null), as JSON text, or as 0/1. */
type Kind = 'plain' | 'json' | 'bool'

/** A table and the port type whose fields are its columns (camelCase in the type, snake_case in SQL). */
export type Table<T> = {
  name: string
  columns: string[]
  /** `insert into … values (…)`, to which a statement may add a clause. */
  insertSql: string
  /** The values of a row, in the order of `columns`. */
  params(row: T): Param[]
  insert(row: T): Statement
  /** Inserts, or replaces every column except the key. */
  upsert(row: T, key: (keyof T & string)[]): Statement
  /** `a = ?, b = ?` for the fields that are set. */
  assign(changes: Partial<T>): Statement
  fromRow(row: Row): T
}

export const table = <T extends object>(name: string, kinds: { [K in keyof T]-?: Kind }): Table<T> => {
  const fields = Object.entries(kinds).map(([field, kind]) => ({
    field: field as keyof T & string,
    column: toColumn(field),
    kind: kind as Kind,
  }))
  const columns = fields.map(({ column }) => column)
  const insertSql = `insert into ${name} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`
  const paramsOf = (row: T): Param[] => {
    const params: Param[] = []
    for (const { field, kind } of fields) params.push(toParam(row[field], kind))
    return params
  }
  const upserts = new Map<string, string>()
  return {
    name,
    columns,
    insertSql,
    params: paramsOf,
    insert: (row) => ({ sql: insertSql, params: paramsOf(row) }),
    upsert: (row, key) => {
      const keyColumns = key.map(toColumn)
      const target = keyColumns.join(', ')
      let sql = upserts.get(target)
      if (!sql) {
        const otherColumns = columns.filter((column) => !keyColumns.includes(column))
        sql = `${insertSql} on conflict (${target}) do update set ${otherColumns.map((column) => `${column} = excluded.${column}`).join(', ')}`
        upserts.set(target, sql)
      }
      return { sql, params: paramsOf(row) }
    },
    assign: (changes) => {
      const changedFields = fields.filter(({ field }) => changes[field] !== undefined)
      return {
        sql: changedFields.map(({ column }) => `${column} = ?`).join(', '),
        params: changedFields.map(({ field, kind }) => toParam(changes[field], kind)),
      }
    },
    fromRow: (row) => {
      const value: Record<string, unknown> = {}
      for (const { field, column, kind } of fields) value[field] = fromColumn(row[column], kind)
      return value as T
    },
  }
}

const toColumn = (field: string) => field.replace(/[A-Z0-9]+/g, (part) => `_${part.toLowerCase()}`)
const toParam = (value: unknown, kind: Kind): Param => {
  if (value === null || value === undefined) return null
  if (kind === 'json') return JSON.stringify(value)
  return kind === 'bool' ? Number(value) : (value as Param)
}
const fromColumn = (value: unknown, kind: Kind): unknown => {
  if (value === null) return null
  if (kind === 'json') return JSON.parse(value as string)
  return kind === 'bool' ? value === 1 : value
}

/** ` and a = ? and b = ?` for the conditions that are set. */
export const alsoWhere = (conditions: Record<string, Param | undefined>): Statement => {
  const presentConditions = Object.entries(conditions).filter(
    (entry): entry is [string, Param] => entry[1] !== undefined,
  )
  return {
    sql: presentConditions.map(([column]) => ` and ${column} = ?`).join(''),
    params: presentConditions.map(([, value]) => value),
  }
}

/** ` and a in (?, ?)`; empty when `values` is undefined. */
export const alsoIn = (column: string, values: string[] | undefined): Statement =>
  values === undefined
    ? { sql: '', params: [] }
    : { sql: ` and ${column} in (${values.map(() => '?').join(', ')})`, params: values }

/** Pads to the next power of two by repeating the last value, so that few distinct statements stay prepared. */
export const padded = (values: string[]): string[] => {
  const size = 2 ** Math.ceil(Math.log2(values.length))
  return [...values, ...Array.from({ length: size - values.length }, () => values.at(-1)!)]
}

/** Several conditions as one. */
export const joined = (...conditions: Statement[]): Statement => ({
  sql: conditions.map(({ sql }) => sql).join(''),
  params: conditions.flatMap(({ params }) => params),
})

/** Whether the first statement wrote a row. */
export const wrote = (done: StatementResult[]): boolean => (done[0]?.changes ?? 0) > 0

/** Position in a list sorted newest first: time and id of the last row returned. */
export type Position = { at: number; id: string }

/** @throws Failure `invalid_input` for a cursor that this store did not return */
export const readCursor = (cursor: string | undefined): Position | undefined => {
  if (cursor === undefined) return undefined
  const [at, ...id] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ')
  const position = { at: Number(at), id: id.join(' ') }
  if (!Number.isSafeInteger(position.at) || position.id === '')
    throw fail('invalid_input', 'cursor is not one that this list returned; omit it to start at the newest.')
  return position
}

/**
 * One page and the cursor of the next. `rows` holds up to `page.limit + 1` rows: the last one only shows that there are
 * more.
 */
export const listed = <T>(rows: T[], page: Page, position: (row: T) => Position): Listed<T> => {
  const items = rows.slice(0, page.limit)
  const last = items.at(-1)
  if (rows.length <= page.limit || !last) return { items }
  const { at, id } = position(last)
  return { items, next: Buffer.from(`${at} ${id}`).toString('base64url') }
}
