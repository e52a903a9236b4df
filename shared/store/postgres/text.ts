import { fail } from '#kit'
import type { Statement } from '../commit.ts'
import type { Param } from '../sqlite.ts'

/**
 * A statement as PostgreSQL takes it: typed `$1` placeholders instead of `?`. `name`: the name under which a connection
 * prepares it.
 */
export type Query = { name: string; text: string; values: unknown[]; isCheck?: true }

/** Types are given explicitly, because PostgreSQL would otherwise guess text for a number. */
const typeOf = (value: Param): 'null' | 'text' | 'bigint' | 'float8' | 'bytea' => {
  if (value === null) return 'null'
  if (typeof value === 'string') return 'text'
  if (typeof value !== 'number') return 'bytea'
  return Number.isSafeInteger(value) ? 'bigint' : 'float8'
}

const sent = (value: Param): unknown => {
  if (typeof value === 'string' && value.includes('\0'))
    throw fail('invalid_input', 'Text with a NUL character cannot be stored in PostgreSQL. Remove the character.')
  return typeof value === 'number' ? String(value) : value
}

/** There are far fewer distinct statements; the limit only guards against a defect that creates new ones. */
const maxTexts = 5000

/** Values are sent separately from the text, which may appear in the log of the database. */
export const createTranslator = () => {
  const translations = new Map<string, Map<string, { name: string; text: string }>>()
  let count = 0

  const translate = (sql: string, params: readonly Param[]) => {
    const parts = sql.split('?')
    if (parts.length !== params.length + 1)
      throw new Error(`A statement has ${parts.length - 1} placeholders and ${params.length} values: ${sql}`)
    let place = 0
    const places = params.map((value) => (value === null ? 'null' : `$${(place += 1)}::${typeOf(value)}`))
    const text = parts.map((part, index) => (index === 0 ? part : places[index - 1]! + part)).join('')
    return { name: `t${(count += 1)}`, text }
  }

  return ({ sql, params, isCheck }: Statement): Query => {
    const kinds = params.map((value) => typeOf(value)[0]).join('')
    let variants = translations.get(sql)
    if (variants === undefined) {
      if (translations.size >= maxTexts) translations.clear()
      translations.set(sql, (variants = new Map()))
    }
    let translation = variants.get(kinds)
    if (translation === undefined) variants.set(kinds, (translation = translate(sql, params)))
    const values = params.filter((value) => value !== null).map(sent)
    return isCheck ? { ...translation, values, isCheck } : { ...translation, values }
  }
}

/** Translates table definitions from SQLite to PostgreSQL. Text is ordered by its bytes in both. */
export const definitionIn = (sqlite: string): string =>
  sqlite
    .replace(/\) strict(, without rowid)?;/g, ');')
    .replace(/\binteger\b/g, 'bigint')
    .replace(/\bblob\b/g, 'bytea')
    .replace(/\breal\b/g, 'double precision')
    .replace(/\btext\b/g, 'text collate "C"')

const everyTenant = '/* every tenant'
/**
 * Tables that are not divided by tenant; each statement changes one row, by its key. The bound on clients may be passed
 * by as many as there are nodes, which is better than a lock on every tenant for whoever registers.
 */
export const undivided = ['meta', 'oauth_clients', 'tenants']

/** The position of the tenant among a statement's values. `all`: it concerns every tenant. `none`: it concerns none. */
const tenantPlace = (sql: string): number | 'all' | 'none' => {
  const insert = /^\s*insert into (\w+) \(([^)]*)\)/.exec(sql)
  const table = insert?.[1] ?? /^\s*(?:update|delete from|select .*? from) (\w+)/s.exec(sql)?.[1]
  if (table !== undefined && undivided.includes(table)) return 'none'
  if (sql.includes(everyTenant)) return 'all'
  if (insert && /\)\s*(values|select)\s*(?:\(\s*)?\?/.test(sql)) {
    const place = insert[2]!.split(',').findIndex((column) => column.trim() === 'tenant')
    if (place !== -1) return place
  }
  const match = /\btenant = \?/.exec(sql)
  if (!match) throw new Error(`A statement names no tenant: ${sql}`)
  return sql.slice(0, match.index).split('?').length - 1
}

/** Whose rows a statement writes: those of a tenant, of every tenant, or of none. */
export type Scope = { tenant: string } | 'all' | 'none'

export const createScopes = () => {
  const places = new Map<string, number | 'all' | 'none'>()
  return ({ sql, params }: Statement): Scope => {
    let place = places.get(sql)
    if (place === undefined) {
      if (places.size >= maxTexts) places.clear()
      places.set(sql, (place = tenantPlace(sql)))
    }
    return typeof place === 'number' ? { tenant: String(params[place]) } : place
  }
}
