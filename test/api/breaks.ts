/** Every way to break the input of an operation that its own schemas name. */
import * as z from 'zod'
import type { Operation } from '../../shared/api/operation.ts'
import type { Make } from '../../shared/api/resources/fields.ts'
import { aliases } from './answers.ts'

type Schema = z.core.$ZodType
type Fields = { [name: string]: unknown }
/** A value with one thing wrong in it, and where the refusal must point. */
type Broken = { pointer: string; value: unknown }
export type Break = { pointer: string; query?: [string, string]; body?: unknown }

/** The schema inside `optional()`, `default()` and their like. */
const bare = (schema: Schema): Schema => {
  const { innerType } = schema._zod.def as { innerType?: Schema }
  return innerType ? bare(innerType) : schema
}
const objectOf = (schema: Schema | undefined): z.ZodObject | undefined => {
  const inner = schema && bare(schema)
  return inner?._zod.def.type === 'object' ? (inner as z.ZodObject) : undefined
}
const elementOf = (schema: Schema): Schema | undefined => {
  const inner = bare(schema)
  return inner._zod.def.type === 'array' ? (inner as z.ZodArray).element : undefined
}
const isStrict = ({ _zod }: z.ZodObject) => _zod.def.catchall?._zod.def.type === 'never'

const wholeObject = (make: Make | undefined) => {
  const object = objectOf(make?.(aliases))
  if (make && !object) throw new Error('a request whose input is no object cannot be broken')
  return object
}
export const partsOf = ({ input, upload }: Pick<Operation, 'input' | 'upload'>) => ({
  body: wholeObject(input?.body ?? upload),
  query: wholeObject(input?.query),
})

/** Where a schema takes fields that it does not name. */
export const openObjectsIn = (schema: Schema | undefined, at = ''): string[] => {
  if (!schema) return []
  const element = elementOf(schema)
  if (element) return openObjectsIn(element, `${at}/0`)
  const object = objectOf(schema)
  if (!object) return []
  const inner = Object.entries(object.shape).flatMap(([name, field]) => openObjectsIn(field, `${at}/${name}`))
  return isStrict(object) ? inner : [at, ...inner]
}

type Range = { [bound in 'minimum' | 'exclusiveMinimum' | 'maximum' | 'exclusiveMaximum']?: number }
const beyondBounds = (schema: Schema): number[] => {
  const { type, ...range } = z.toJSONSchema(schema)
  const { minimum = NaN, exclusiveMinimum, maximum = NaN, exclusiveMaximum } = range as Range
  const step = type === 'integer' ? 1 : 0.001
  const [below, above] = [exclusiveMinimum ?? minimum - step, exclusiveMaximum ?? maximum + step]
  // Integers are safe ones by themselves.
  if (!(below >= Number.MIN_SAFE_INTEGER && above <= Number.MAX_SAFE_INTEGER))
    throw new Error('a number without bounds')
  return [below, above]
}
/** What a field never takes: the next number beyond each bound, an unknown choice, a text for a yes or no. */
const outside = (field: Schema): unknown[] => {
  const schema = bare(field)
  const { type } = schema._zod.def
  if (type === 'number') return beyondBounds(schema)
  if (type === 'enum') return ['unfit']
  return type === 'boolean' || type === 'literal' ? ['yes'] : []
}

const unfit: unknown[] = [{ unfit: [true] }, 'unfit '.repeat(2_000), [[{ unfit: true }]], 7.5, -1]
const unfitTexts = ['unfit'.repeat(2_000), '-1']
/** Whether a schema refuses a value, and says so of this field. */
const refuses = (schema: z.ZodObject, value: object, name: string) =>
  schema.safeParse(value).error?.issues.some(({ path }) => path[0] === name) === true

/** A field of another kind, one that lacks, one that is not known. */
const brokenObjects = (schema: z.ZodObject, value: Fields, at: string): Broken[] => {
  const broken: Broken[] = isStrict(schema) ? [{ pointer: `${at}/unknown`, value: { ...value, unknown: 1 } }] : []
  for (const [name, field] of Object.entries(schema.shape)) {
    const { [name]: part, ...others } = value
    const pointer = `${at}/${name}`
    const other = unfit.find((candidate) => refuses(schema, { ...value, [name]: candidate }, name))
    if (other !== undefined) broken.push({ pointer, value: { ...value, [name]: other } })
    if (refuses(schema, others, name)) broken.push({ pointer, value: others })
    for (const inner of brokenValues(field, part, pointer))
      broken.push({ pointer: inner.pointer, value: { ...value, [name]: inner.value } })
  }
  return broken
}
const brokenValues = (schema: Schema, value: unknown, at: string): Broken[] => {
  const broken = outside(schema).map((wrong) => ({ pointer: at, value: wrong }))
  const [object, element] = [objectOf(schema), elementOf(schema)]
  if (object) broken.push(...brokenObjects(object, (value ?? {}) as Fields, at))
  if (element) {
    const [first, ...others] = (value ?? []) as unknown[]
    for (const inner of brokenValues(element, first, `${at}/0`))
      broken.push({ pointer: inner.pointer, value: [inner.value, ...others] })
  }
  return broken
}

const brokenQueries = (schema: z.ZodObject): { pointer: string; query: [string, string] }[] => {
  const pairs = Object.entries(schema.shape).flatMap(([name, field]) =>
    [...outside(field).map(String), unfitTexts.find((text) => refuses(schema, { [name]: text }, name))].map(
      (text): [string, string | undefined] => [name, text],
    ),
  )
  if (isStrict(schema)) pairs.push(['unknown', '1'])
  return pairs.flatMap(([name, text]) =>
    text === undefined ? [] : [{ pointer: `/query/${name}`, query: [name, text] as [string, string] }],
  )
}

export const breaksOf = (operation: Pick<Operation, 'input' | 'upload'>, body: unknown = {}): Break[] => {
  const parts = partsOf(operation)
  return [
    ...(parts.body ? brokenObjects(parts.body, body as Fields, '') : []).map(({ pointer, value }) => ({
      pointer,
      body: value,
    })),
    ...(parts.query ? brokenQueries(parts.query) : []),
  ]
}
