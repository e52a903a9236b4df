/**
 * Builds `manifests/operations.ts`, which the client of the HTTP API is made of: how each operation is requested, and
 * the types of its input and answer, made from the contract.
 */
import { z } from '#kit'
import type { Integration, JsonSchema } from '#kit'
import type { Operation } from '../shared/api/operation.ts'
import { operations } from '../shared/api/operations/index.ts'
import { aliasesOf } from '../shared/api/resources/fields.ts'
import type { Aliases, Make } from '../shared/api/resources/fields.ts'
import { comment, createTypes, indent, keyOf, pascal } from './step-types.ts'
import type { Render } from './step-types.ts'

/** Puts what a reference names in its place; a schema within itself is any value. */
const inline = (part: unknown, definitions: Record<string, unknown>, within: string[] = []): unknown => {
  if (Array.isArray(part)) return part.map((item) => inline(item, definitions, within))
  if (typeof part !== 'object' || part === null) return part
  const { $ref } = part as { $ref?: string }
  if ($ref === undefined)
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, inline(value, definitions, within)]))
  const name = $ref.replace('#/$defs/', '')
  return within.includes(name) ? {} : inline(definitions[name], definitions, [...within, name])
}

const jsonSchema = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema => {
  const { $defs = {}, ...whole } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  const { anyOf, ...plain } = inline(whole, $defs) as JsonSchema & { anyOf?: JsonSchema[] }
  // A body that may be absent.
  const bodies = anyOf?.filter(({ type }) => type !== 'null')
  return bodies?.length === 1 ? bodies[0]! : anyOf ? { ...plain, anyOf } : plain
}

const propertiesOf = (schema: JsonSchema | undefined) => (schema?.properties ?? {}) as Record<string, JsonSchema>
const requiredOf = (schema: JsonSchema | undefined) => (schema?.required ?? []) as string[]

/** The options of a call, by the header of the operation that each sets. */
const optionOf: Record<string, string> = {
  'idempotency-key': 'idempotencyKey',
  'start-id': 'startId',
  prefer: 'background',
  person: 'person',
  'file-name': 'content',
}

/** Parameters, query and body of an operation as one object. A field of the query that the body has too is the same. */
const inputOf = ({ input: { params, query, body } = {}, upload }: Operation, aliases: Aliases): JsonSchema => {
  const parts = [query, upload ?? body, params].flatMap((make: Make | undefined) =>
    make ? [jsonSchema(make(aliases), 'input')] : [],
  )
  const isOpen = parts.some(({ additionalProperties: more }) => typeof more === 'object')
  return {
    type: 'object',
    properties: Object.assign({}, ...parts.map(propertiesOf)) as JsonSchema,
    required: parts.flatMap(requiredOf),
    additionalProperties: isOpen,
  }
}

const answerOf = ({ output: { schema, content } }: Operation, aliases: Aliases, render: Render, name: string) => {
  if (schema) return render(jsonSchema(schema(aliases), 'output'), 'answered', name)
  if (content === undefined) return 'undefined'
  return content.startsWith('text/') && content !== 'text/event-stream' ? 'string' : 'Response'
}

const optionsOf = ({ input: { headers } = {} }: Operation, aliases: Aliases): string[] =>
  headers ? Object.keys(propertiesOf(jsonSchema(headers(aliases), 'input'))).map((name) => optionOf[name]!) : []

const quoted = (names: string[]) => names.map((name) => `'${name}'`)

const typeOf = (operation: Operation, aliases: Aliases, render: Render): string => {
  const name = pascal(operation.id.replaceAll(/[A-Z]/g, ' $&'))
  const options = optionsOf(operation, aliases)
  const lines = [
    `input: ${render(inputOf(operation, aliases), 'given', `${name}Input`)}`,
    `answer: ${answerOf(operation, aliases, render, `${name}Answer`)}`,
    `options: ${options.length === 0 ? 'never' : quoted(options).join(' | ')}`,
  ]
  return `${comment(operation.summary)}${keyOf(operation.id)}: {\n  ${lines.map((line) => indent(line, '  ')).join('\n  ')}\n}`
}

const routeOf = (operation: Operation, aliases: Aliases): string => {
  const { id, method, path, input: { query, body } = {}, output, upload } = operation
  const queryNames = query ? Object.keys(propertiesOf(jsonSchema(query(aliases), 'input'))) : []
  const options = quoted(optionsOf(operation, aliases))
  const fields = [
    `method: '${method}'`,
    `path: '${path}'`,
    ...(upload || body ? [`body: '${upload ? 'file' : 'json'}'`] : []),
    ...(queryNames.length > 0 && (upload || body) ? [`query: [${quoted(queryNames).join(', ')}]`] : []),
    ...(output.schema ? [] : [`answer: '${answerOf(operation, aliases, () => '', '').toLowerCase()}'`]),
    ...(options.length > 0 ? [`options: [${options.join(', ')}]`] : []),
  ]
  return `${keyOf(id)}: { ${fields.join(', ')} },`
}

/** The text of `manifests/operations.ts`. */
export const operationTypes = (integrations: readonly Integration[]): string => {
  const aliases = aliasesOf(integrations)
  const all: Operation[] = Object.values(operations)
  const { count, render, declarations } = createTypes()
  for (const operation of all) typeOf(operation, aliases, count)
  const types = all.map((operation) => typeOf(operation, aliases, render))
  return [
    '// Built by `npm run manifests`.\n',
    `${comment('Input and answer of each operation, and the options that a call of it takes.')}export type OperationTypes = {\n  ${types.map((text) => indent(text, '  ')).join('\n  ')}\n}\n`,
    ...declarations,
    `${comment('How an operation is requested. `query`: its fields that go into the query although it has a body.')}export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  body?: 'json' | 'file'
  query?: readonly string[]
  answer?: 'string' | 'response' | 'undefined'
  options?: readonly string[]
}

export const routes: { readonly [Id in keyof OperationTypes]: Route } = {
  ${all.map((operation) => routeOf(operation, aliases)).join('\n  ')}
}\n`,
  ].join('\n')
}
