import { fail } from './failure.ts'
import type { Json } from './json.ts'
import type * as z from './zod.ts'

/** A record of a provider, known by its id. Most ids are text; name the type where they are numbers: `Row<number>`. */
export type Row<Id extends string | number = string> = { id: Id; [field: string]: unknown }

const isRow = <Id extends string | number>(value: unknown, id: 'string' | 'number'): value is Row<Id> =>
  typeof value === 'object' && value !== null && typeof (value as { id?: unknown }).id === id

type IdOf<Type extends 'string' | 'number'> = Type extends 'number' ? number : string

/** The reply as one record with an id. `what` names it in the failure: "an item". @throws Failure `bad_reply` */
export const readRow = <Type extends 'string' | 'number' = 'string'>(
  reply: unknown,
  what: string,
  id?: Type,
): Row<IdOf<Type>> => {
  if (!isRow<IdOf<Type>>(reply, id ?? 'string'))
    throw fail('bad_reply', `The provider answered something other than ${what} with an id.`)
  return reply
}

/** The reply as a list of records with ids. `what` names them in the failure: "items". @throws Failure `bad_reply` */
export const readRows = <Type extends 'string' | 'number' = 'string'>(
  reply: unknown,
  what: string,
  id?: Type,
): Row<IdOf<Type>>[] => {
  const rows: unknown[] | undefined = Array.isArray(reply) ? reply : undefined
  if (!rows?.every((row): row is Row<IdOf<Type>> => isRow(row, id ?? 'string')))
    throw fail('bad_reply', `The provider answered something other than a list of ${what} with ids.`)
  return rows
}

/** The reply in the form of a schema. `what` names it in the failure: "an issue". @throws Failure `bad_reply` */
export const readAs = <T extends z.ZodType>(schema: T, reply: unknown, what: string): z.output<T> => {
  const read = schema.safeParse(reply)
  if (!read.success) throw fail('bad_reply', `The provider answered something other than ${what}.`)
  return read.data
}

/** A field of a record as text; "" where it is absent or not text. */
export const textOf = (row: { [field: string]: unknown }, field: string): string => {
  const value = row[field]
  return typeof value === 'string' ? value : ''
}

/**
 * Leaves out fields that are undefined, and only those: false, 0, "" and [] are values. For bodies and queries of
 * requests.
 */
export const given = <T extends Json>(values: { [field: string]: T | undefined }): { [field: string]: T } => {
  const filled: { [field: string]: T } = {}
  for (const name in values) if (values[name] !== undefined) filled[name] = values[name]
  return filled
}
