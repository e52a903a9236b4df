/**
 * Derives the parameters of each operation of the board's API from the vendor's OpenAPI file and corrects that file's
 * known errors. Compares the result with test/work-board/parameters.json, or writes that file with --write.
 *
 *   node scripts/board-parameters.ts [--write] [path of the OpenAPI JSON, else from BOARD_OPENAPI]
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export type Parameter = { in: 'path' | 'query' | 'body'; type: string; required: boolean }
/**
 * Parameters by operation, such as `GET /cards/{id}`. In a type, `id` means 24 hexadecimal characters, `[]` a list and
 * `|` a choice.
 */
export type ParameterTable = { [operation: string]: { [name: string]: Parameter } }

type Schema = {
  $ref?: string
  type?: string
  oneOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
}
type DescribedParameter = { name: string; in: string; required?: boolean; schema: Schema }
type Operation = { parameters?: DescribedParameter[]; requestBody?: { content?: Record<string, { schema?: Schema }> } }
type PathItem = { parameters?: DescribedParameter[] } & { [method in 'get' | 'post' | 'put' | 'delete']?: Operation }
export type OpenApi = { paths: Record<string, PathItem>; components?: { schemas?: Record<string, Schema> } }

type Correction = { operation: string; because: string; remove?: true; set?: { [name: string]: Parameter } }
const query = (type: string): Parameter => ({ in: 'query', type, required: false })

const cardListing = {
  limit: query('integer'),
  before: query('string'),
  since: query('string'),
  fields: query('string'),
  filter: query('string'),
}

/** Known errors of the file about parameters, according to recordings of the live service and the file's own texts. */
export const corrections: Correction[] = [
  {
    operation: 'GET /lists/{id}/cards',
    because: 'it names no parameters, but the service takes these',
    set: cardListing,
  },
  {
    operation: 'GET /boards/{id}/cards',
    because: 'it names no parameters, but the service takes these',
    set: { ...cardListing, customFieldItems: query('boolean') },
  },
  {
    operation: 'GET /cards/{id}/actions',
    because: 'it names only filter and page, but the service takes what it takes for a board',
    set: { limit: query('integer'), before: query('string'), since: query('string') },
  },
  {
    operation: 'PUT /lists/{id}/closed',
    because: 'the value is typed as an id, but is a boolean',
    set: { value: query('boolean') },
  },
  {
    operation: 'PUT /boards/{id}',
    because: 'subscribed is typed as an id, but is a boolean',
    set: { subscribed: query('boolean') },
  },
  {
    operation: 'PUT /cards/{id}',
    because:
      'its text says lists of ids, and null for no date or cover, where the types say one id or text; it lacks the reminder',
    set: {
      idMembers: query('id[]'),
      idLabels: query('id[]'),
      due: query('string|null'),
      start: query('string|null'),
      idAttachmentCover: query('id|null'),
      dueReminder: query('integer|null'),
    },
  },
  {
    operation: 'POST /cards',
    because: 'it lacks the reminder, which cards of the service have',
    set: { dueReminder: query('integer') },
  },
  {
    operation: 'POST /labels',
    because: 'the file knows ten colours; a label may have none, which is null',
    set: { color: { ...query('null|string'), required: true } },
  },
  {
    operation: 'PUT /labels/{id}',
    because: 'the file knows ten colours; a label may have none, which is null',
    set: { color: query('null|string') },
  },
  {
    operation: 'POST /customFields',
    because: 'options is typed as a text, but is a list of objects in the guide on custom fields',
    set: { options: { in: 'body', type: 'object[]', required: false } },
  },
  {
    operation: 'POST /customFields/{id}/options',
    because: 'it names no body, but clients of the service send this one',
    set: {
      value: { in: 'body', type: 'object', required: true },
      color: { in: 'body', type: 'string', required: false },
      pos: { in: 'body', type: 'number|string', required: false },
    },
  },
  { operation: 'PUT /tokens/{token}/webhooks/{idWebhook}', because: 'the service answers 404', remove: true },
]

const schemaName = (ref: string) => ref.slice(ref.lastIndexOf('/') + 1)

const typeOf = (schema: Schema, schemas: Record<string, Schema>, depth = 0): string => {
  if (depth > 8) return 'string'
  if (schema.$ref !== undefined) {
    const name = schemaName(schema.$ref)
    const target = schemas[name]
    if (name === 'TrelloID' || target === undefined) return 'id'
    const type = typeOf(target, schemas, depth + 1)
    // The file gives some `fields` parameters the type of the record they choose from; they are comma-separated names.
    return type === 'object' ? 'string' : type
  }
  if (schema.oneOf !== undefined)
    return [...new Set(schema.oneOf.map((choice) => typeOf(choice, schemas, depth + 1)))].sort().join('|')
  if (schema.type === 'array') return `${typeOf(schema.items ?? {}, schemas, depth + 1)}[]`
  return schema.type ?? 'string'
}

const bodyParameters = (operation: Operation, schemas: Record<string, Schema>): [string, Parameter][] => {
  const schema = operation.requestBody?.content?.['application/json']?.schema
  if (schema === undefined) return []
  const choices = schema.oneOf ?? [schema]
  return choices.flatMap((choice) =>
    Object.entries(choice.properties ?? {}).map(([name, inner]): [string, Parameter] => [
      name,
      {
        in: 'body',
        type: typeOf(inner, schemas),
        required: choices.length === 1 && (choice.required ?? []).includes(name),
      },
    ]),
  )
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : a > b ? 1 : 0)

const parametersOf = (item: PathItem, operation: Operation, schemas: Record<string, Schema>) => {
  const described = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(
    (parameter): [string, Parameter] => [
      parameter.name,
      {
        in: parameter.in === 'path' ? 'path' : 'query',
        type: typeOf(parameter.schema, schemas),
        required: parameter.required ?? false,
      },
    ],
  )
  return Object.fromEntries([...described, ...bodyParameters(operation, schemas)].sort(byName))
}

/** The corrected table. @throws Error when a correction names an operation that the file does not have */
export const deriveParameters = (file: OpenApi, corrected: Correction[] = corrections): ParameterTable => {
  const schemas = file.components?.schemas ?? {}
  const table: ParameterTable = {}
  for (const [path, item] of Object.entries(file.paths)) {
    for (const method of ['get', 'post', 'put', 'delete'] as const) {
      const operation = item[method]
      if (operation)
        table[`${method.toUpperCase()} ${path.replace(/\/$/, '')}`] = parametersOf(item, operation, schemas)
    }
  }
  for (const { operation, because, remove, set } of corrected) {
    const operationParameters = table[operation]
    if (operationParameters === undefined)
      throw new Error(
        `The file has no ${operation} to correct (${because}). Look whether the correction is still needed.`,
      )
    if (remove) delete table[operation]
    else table[operation] = Object.fromEntries(Object.entries({ ...operationParameters, ...set }).sort(byName))
  }
  return Object.fromEntries(Object.entries(table).sort(byName))
}

/** One operation per line, so that a change by the vendor shows as one changed line. */
export const renderTable = (table: ParameterTable) =>
  `{\n${Object.entries(table)
    .map(([operation, parameters]) => `  ${JSON.stringify(operation)}: ${JSON.stringify(parameters)}`)
    .join(',\n')}\n}\n`

const changes = (committed: ParameterTable, derived: ParameterTable) =>
  [...new Set([...Object.keys(committed), ...Object.keys(derived)])].sort().flatMap((operation) => {
    const [before, after] = [committed[operation], derived[operation]]
    if (before === undefined) return [`+ ${operation}`]
    if (after === undefined) return [`- ${operation}`]
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [`~ ${operation}`]
  })

const target = fileURLToPath(new URL('../test/work-board/parameters.json', import.meta.url))

const main = (args: string[], fallback: string | undefined): number => {
  const source = args.find((arg) => !arg.startsWith('--')) ?? fallback
  if (source === undefined || !existsSync(source)) {
    console.log(
      `board-parameters: skipped, ${source === undefined ? 'no OpenAPI file given (argument or BOARD_OPENAPI)' : `${source} is not here`}`,
    )
    return 0
  }
  const derived = deriveParameters(JSON.parse(readFileSync(source, 'utf8')) as OpenApi)
  const count = Object.keys(derived).length
  if (args.includes('--write')) {
    writeFileSync(target, renderTable(derived))
    console.log(`board-parameters: ${count} operations written`)
    return 0
  }
  const differing = changes(JSON.parse(readFileSync(target, 'utf8')) as ParameterTable, derived)
  if (differing.length === 0) {
    console.log(`board-parameters: ${count} operations, equal to the committed table`)
    return 0
  }
  console.error(
    `board-parameters: the committed table differs in ${differing.length} operations; look at them, then run with --write:\n${differing.join('\n')}`,
  )
  return 1
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2), process.env.BOARD_OPENAPI)
