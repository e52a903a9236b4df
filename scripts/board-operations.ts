/**
 * Derives the board's operations, as API Call knows them, from the vendor's OpenAPI file with the corrections of
 * `board-parameters.ts`. Compares the result with integrations/work-board/operations-table.ts, or writes that file with
 * --write.
 *
 *   node scripts/board-operations.ts [--write] [path of the OpenAPI JSON, else from BOARD_OPENAPI]
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { deriveParameters } from './board-parameters.ts'
import type { OpenApi, Parameter } from './board-parameters.ts'

type Schema = {
  $ref?: string
  type?: string
  format?: string
  enum?: (string | null)[]
  oneOf?: Schema[]
  anyOf?: Schema[]
  items?: Schema
}
type Described = { name: string; in: string; schema: Schema; style?: string; explode?: boolean }
type Operation = {
  summary?: string
  parameters?: Described[]
  requestBody?: { content?: Record<string, { schema?: { properties?: Record<string, Schema> } }> }
}

/** Effects that differ from what the HTTP method suggests. */
const effects: { [operation: string]: string } = {
  'GET /enterprises/{id}/organizations/bulk/{idOrganizations}': 'update',
  'POST /boards/{id}/markedAsViewed': 'update',
  'POST /cards/{id}/markAssociatedNotificationsRead': 'update',
  'POST /lists/{id}/archiveAllCards': 'update',
  'POST /lists/{id}/moveAllCards': 'update',
  'POST /notifications/all/read': 'update',
}

/**
 * Corrections where the file's type is narrower than what the service accepts: according to its own texts, or because
 * JSON has a form for it.
 */
const types: { [parameter: string]: string } = {
  'POST /customFields options': ':any',
  'PUT /notifications/{id}/unread value': ':any',
}

/** Lists for which the file names only some of the accepted values; treated as if it named none. */
const incomplete = new Set(['ListFields', 'MemberFields', 'OrganizationFields'])

/** Values to add to those that the file names. */
const more: { [list: string]: (values: string[]) => string[] } = {
  Color: (values) => [...values, ...values.flatMap((value) => [`${value}_light`, `${value}_dark`])],
}

const refName = (schema: Schema | undefined) => schema?.$ref?.slice(schema.$ref.lastIndexOf('/') + 1)

/** The choices of a schema, with the list's name when several operations share it. */
const listed = (schema: Schema | undefined, schemas: Record<string, Schema>): { name?: string; values: string[] } => {
  if (schema === undefined) return { values: [] }
  const name = refName(schema)
  if (name !== undefined) {
    const { values: listedValues } = incomplete.has(name) ? { values: [] } : listed(schemas[name], schemas)
    const values = more[name]?.(listedValues) ?? listedValues
    return values.length > 0 ? { name, values } : { values }
  }
  if (schema.enum) return { values: [...new Set(schema.enum.filter((value) => value !== null))] }
  if (schema.items) return listed(schema.items, schemas)
  const choices = schema.oneOf ?? schema.anyOf ?? []
  const choiceLists = choices.map((choice) => listed(choice, schemas)).filter(({ values }) => values.length > 0)
  // Choices next to a free text do not limit it, so they count as none.
  return choiceLists.length === 1 && choices.every((choice) => choice.type !== 'string' || choice.enum)
    ? choiceLists[0]!
    : { values: [] }
}

const typeOf = (name: string, type: string, list: boolean): string => {
  const kinds = type
    .replaceAll('[]', '')
    .split('|')
    .map((kind) => (kind === 'id' ? 'string' : kind))
    .filter((kind) => kind !== 'null')
  const kind = new Set(kinds).size > 1 || name === 'pos' ? 'any' : kinds[0]!
  return `${kind === 'string' ? '' : `:${kind}`}${list && kind !== 'any' ? '[]' : ''}`
}

/** Comma-separated names are lists, whatever type the file gives them. */
const isList = (name: string, parameter: Parameter, described: Described | undefined) =>
  parameter.type.split('|').includes('string[]') ||
  parameter.type === 'id[]' ||
  parameter.type === 'object[]' ||
  (/(^|_)fields$/i.test(name) && parameter.in === 'query') ||
  (described?.style === 'form' &&
    described.explode === false &&
    /string|id/.test(parameter.type) &&
    !/^id[A-Z]\w*[^s]$/.test(name))

const render = (file: OpenApi) => {
  const schemas = (file.components?.schemas ?? {}) as Record<string, Schema>
  const shared = new Map<string, string>()
  const lines: string[] = []
  const table = deriveParameters(file)
  for (const [path, item] of Object.entries(file.paths)) {
    for (const method of ['get', 'post', 'put', 'delete'] as const) {
      const operation = item[method] as Operation | undefined
      const key = `${method.toUpperCase()} ${path.replace(/\/$/, '')}`
      const parameters = table[key]
      if (!operation || !parameters) continue
      const described = [...((item.parameters ?? []) as Described[]), ...(operation.parameters ?? [])]
      const bodySchema = operation.requestBody?.content?.['application/json']?.schema?.properties ?? {}
      const show = ([name, parameter]: [string, Parameter]): string[] => {
        const source = described.find(
          (candidate) => candidate.name === name && (candidate.in === 'path') === (parameter.in === 'path'),
        )
        const { name: choicesName, values } = listed(source?.schema ?? bodySchema[name], schemas)
        if (choicesName !== undefined) shared.set(choicesName, values.join(','))
        const choices =
          values.length === 0 ? '' : `=${choicesName === undefined ? values.join(',') : `$${choicesName}`}`
        if (parameter.in === 'path') return choices === '' ? [] : [`{${name}}${choices}`]
        const type = types[`${key} ${name}`] ?? typeOf(name, parameter.type, isList(name, parameter, source))
        return [`${name}${parameter.required ? '!' : ''}${type}${parameter.in === 'body' ? '@body' : ''}${choices}`]
      }
      const entries = Object.entries(parameters).toSorted(
        ([, parameter], [, other]) => Number(other.required) - Number(parameter.required),
      )
      const template = `/1${path.replace(/\/$/, '').replaceAll('${', '{')}`
      const effect = effects[key] === undefined ? '' : ` ~${effects[key]}`
      lines.push(
        `${method.toUpperCase()} ${template}${effect} | ${(operation.summary ?? '').replace(/\.$/, '')} | ${entries.flatMap(show).join(' ')}`.trimEnd(),
      )
    }
  }
  return `// Made by scripts/board-operations.ts from the vendor's description of the API. The notation is that of operations.ts.

/** Choices that several parameters share. */
export const choices: { [name: string]: string } = {
${[...shared].map(([name, values]) => `  ${name}: '${values}',`).join('\n')}
}

/** One operation per line, so that a change of the vendor's shows as a change of its line. */
export const table = \`
${lines.join('\n')}
\`
`
}

const target = fileURLToPath(new URL('../integrations/work-board/operations-table.ts', import.meta.url))

const main = (args: string[], fallback: string | undefined): number => {
  const source = args.find((arg) => !arg.startsWith('--')) ?? fallback
  if (source === undefined || !existsSync(source)) {
    console.log(
      `board-operations: skipped, ${source === undefined ? 'no OpenAPI file given (argument or BOARD_OPENAPI)' : `${source} is not here`}`,
    )
    return 0
  }
  const derived = render(JSON.parse(readFileSync(source, 'utf8')) as OpenApi)
  if (args.includes('--write')) {
    writeFileSync(target, derived)
    console.log('board-operations: written')
    return 0
  }
  const isEqual = readFileSync(target, 'utf8') === derived
  console.log(
    `board-operations: the committed table is ${isEqual ? 'equal' : 'different; run with --write and look at the changes'}`,
  )
  return isEqual ? 0 : 1
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2), process.env.BOARD_OPENAPI)
