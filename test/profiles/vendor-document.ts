import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'

/** The vendor's own OpenAPI document of version 3, without its tables: what requests and answers look like. */

export type Schema = {
  [word: string]: unknown
  properties?: Record<string, Schema>
  items?: Schema
  $ref?: string
  allOf?: Schema[]
  required?: string[]
}
type Operation = { request?: Schema; answer?: Schema }
const document = JSON.parse(readFileSync(new URL('lusha-v3-document.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}
export const { schemas } = document.components

/** By "METHOD /path". */
export const operations = new Map(
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
  ),
)

/** The parts of an object, as one. */
const joined = (parts: Schema[]): Schema => {
  const whole = parts.map(({ $ref, ...own }) => ($ref === undefined ? own : schemas[$ref.split('/').at(-1)!]!))
  const properties = Object.assign({}, ...whole.map((part) => part.properties)) as Record<string, Schema>
  return { type: 'object', properties, required: whole.flatMap(({ required = [] }) => required) }
}

/** The schema, with references replaced, and closed: the document leaves unknown properties open. */
export const closed = (schema: Schema): Schema => {
  const { $ref, allOf } = schema
  if ($ref !== undefined) return closed(schemas[$ref.split('/').at(-1)!]!)
  if (allOf !== undefined) return closed(joined(allOf))
  const { properties, items, nullable, additionalProperties, ...others } = schema
  return {
    ...others,
    ...(nullable === true && typeof schema['type'] === 'string' ? { type: [schema['type'], 'null'] } : {}),
    ...(items ? { items: closed(items) } : {}),
    ...(properties
      ? {
          properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, closed(part)])),
          additionalProperties:
            typeof additionalProperties === 'object' && additionalProperties !== null
              ? closed(additionalProperties as Schema)
              : false,
        }
      : {}),
  }
}

type Wrong = { instancePath: string; message: string; params: { additionalProperty?: string } }
const Ajv = createRequire(createRequire(import.meta.url).resolve('fastify'))('ajv') as new (options: object) => {
  compile(schema: object): ((value: unknown) => boolean) & { errors?: Wrong[] }
}
const formats = {
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\dT/,
  email: /^\S+@\S+$/,
  uri: /^https?:\/\//,
  uuid: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
}
export const compile = (schema: Schema) => new Ajv({ strict: false, allErrors: true, formats }).compile(closed(schema))
