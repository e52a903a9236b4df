import fc from 'fast-check'
import type { Arbitrary } from 'fast-check'

export type Schema = Record<string, any>

const texts = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.constantFrom(
    '',
    ' ',
    '..',
    '/',
    '\u0000',
    '%00',
    '\u202e',
    '\ud83d\ude00',
    '__proto__',
    'null',
    '-1',
    '1e309',
    '{{x}}',
    'x'.repeat(3_000),
  ),
)

const formatted: Record<string, Arbitrary<string>> = {
  'date-time': fc
    .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((at) => at.toISOString()),
  date: fc
    .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((at) => at.toISOString().slice(0, 10)),
  uri: fc.webUrl(),
  email: fc.emailAddress(),
}

const stringOf = ({ pattern, format, minLength, maxLength }: Schema): Arbitrary<string> => {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern as string))
  if (format !== undefined && formatted[format as string]) return formatted[format as string]!
  const min = (minLength as number | undefined) ?? 0
  return fc.string({ minLength: min, maxLength: Math.max(min, Math.min(maxLength ?? 40, 40)) })
}

const numberOf = ({ type, minimum, maximum, exclusiveMinimum }: Schema): Arbitrary<number> => {
  const min = Math.max(minimum ?? exclusiveMinimum ?? -1_000, -1e9)
  const max = Math.min(maximum ?? 1_000_000, 1e9)
  return type === 'integer'
    ? fc.integer({ min: Math.ceil(min), max: Math.floor(max) })
    : fc.double({ min, max, noNaN: true })
}

/** A schema with what is allowed by it, as far as an OpenAPI document of ours goes. */
export const allowedBy = (schema: Schema, schemas: Schema, depth = 0): Arbitrary<unknown> => {
  if (typeof schema.$ref === 'string')
    return allowedBy(schemas[schema.$ref.split('/').at(-1)!] as Schema, schemas, depth + 1)
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]))
  const choices = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  if (choices) return fc.oneof(...choices.map((choice) => allowedBy(choice, schemas, depth + 1)))
  if (schema.type === 'string') return stringOf(schema)
  if (schema.type === 'integer' || schema.type === 'number') return numberOf(schema)
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.type === 'null') return fc.constant(null)
  if (schema.type === 'array')
    return fc.array(allowedBy((schema.items ?? {}) as Schema, schemas, depth + 1), {
      minLength: schema.minItems ?? 0,
      maxLength: Math.min(schema.maxItems ?? 3, 3),
    })
  if (schema.type === 'object') return objectOf(schema, schemas, depth)
  return depth > 6 ? fc.constant(null) : fc.jsonValue({ maxDepth: 2 })
}

const objectOf = (
  { properties = {}, required = [], additionalProperties }: Schema,
  schemas: Schema,
  depth: number,
): Arbitrary<unknown> => {
  const knownProperties = Object.fromEntries(
    Object.entries(properties as Record<string, Schema>).map(([name, part]) => [
      name,
      allowedBy(part, schemas, depth + 1),
    ]),
  )
  const object = fc.record(knownProperties, { requiredKeys: required as string[] })
  if (typeof additionalProperties !== 'object') return object
  const more = fc.dictionary(
    fc.string({ minLength: 1, maxLength: 10 }),
    allowedBy(additionalProperties as Schema, schemas, depth + 1),
    { maxKeys: 2 },
  )
  return fc.tuple(object, more).map(([own, extraProperties]) => ({ ...extraProperties, ...own }))
}

/** Near to what is allowed: a field gone, a field too many, or something else in its place, at any depth. */
export const nearTo = (allowed: Arbitrary<unknown>): Arbitrary<unknown> =>
  fc
    .tuple(allowed, fc.nat(), fc.constantFrom('drop', 'add', 'swap', 'text'), fc.jsonValue({ maxDepth: 1 }), texts)
    .map(([value, at, how, other, text]) => {
      const copy = structuredClone(value)
      const places: [Record<string, unknown>, string][] = []
      const walk = (part: unknown) => {
        if (typeof part !== 'object' || part === null) return
        for (const name of Object.keys(part)) {
          places.push([part as Record<string, unknown>, name])
          walk((part as Record<string, unknown>)[name])
        }
      }
      walk(copy)
      const place = places[at % Math.max(1, places.length)]
      if (!place) return other
      const [holder, name] = place
      if (how === 'drop') delete holder[name]
      else if (how === 'swap') holder[name] = other
      else if (how === 'text') holder[name] = text
      else Object.defineProperty(holder, text, { value: other, enumerable: true, configurable: true, writable: true })
      return copy
    })
