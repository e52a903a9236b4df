import { fail, failField, inputJsonSchema } from '#kit'
import type { KeySets } from '#kit'
import type { LoadedStep, Registry } from '../catalogue/registry.ts'
import type { BulkJobOrder } from '../ports/index.ts'
import { fieldReader, matchColumns } from '../tables/columns.ts'
import type { Table, TableRow } from '../tables/table.ts'

export type Kind = BulkJobOrder['kind']

/** Other headers used for a field, without spaces and punctuation. */
const otherNames: { [field: string]: string[] } = {
  email: ['emailaddress', 'workemail', 'mail'],
  linkedinUrl: ['linkedin', 'linkedinprofile', 'profileurl'],
  linkedin: ['linkedinurl', 'companylinkedin'],
  company: ['companyname', 'employer', 'organisation', 'organization'],
  companyDomain: ['domain', 'website'],
  name: ['company', 'companyname', 'organisation', 'organization'],
  domain: ['companydomain'],
  firstName: ['givenname', 'forename'],
  lastName: ['surname', 'familyname'],
}

const listOf = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ')

/**
 * The step that looks up one person or company: that of the named integration, or of the only one that has such a step.
 */
export const findStep = (registry: Registry, kind: Kind, integration: string | undefined): LoadedStep => {
  const all = (integration === undefined ? registry.all : [registry.integration(integration)]).flatMap(({ steps }) =>
    [...steps.values()].filter(({ step }) => step.lookup === kind),
  )
  const [only] = all
  if (only && all.length === 1) return only
  if (only)
    throw failField(
      'integration',
      `Several integrations look up a ${kind}. Give one: ${all.map(({ loaded }) => loaded.integration.id).join(', ')}.`,
    )
  throw failField(
    'integration',
    `"${integration ?? ''}" has no step that looks up a ${kind}.`,
    integration === undefined ? 'not_found' : 'invalid_input',
  )
}

type FieldSchema = { title?: string; type?: string }
const schemaOf = ({ step }: LoadedStep) => {
  const schema = inputJsonSchema(step.input) as {
    properties?: { [field: string]: FieldSchema }
    'x-key-sets'?: KeySets
  }
  return { fields: schema.properties ?? {}, keySets: schema['x-key-sets']?.sets ?? [] }
}

/** `identifiersOnly`: the other columns of a list contain earlier results, not what to look for. */
const guessMap = (loadedStep: LoadedStep, table: Table, identifiersOnly: boolean): { [field: string]: string } => {
  const { fields, keySets } = schemaOf(loadedStep)
  const isMappable = (field: string) => !identifiersOnly || keySets.some((set) => set.includes(field))
  return matchColumns(
    table.columns,
    Object.entries(fields).flatMap(([field, { title = field, type }]) =>
      type === 'array' || !isMappable(field) ? [] : [[field, [field, title, ...(otherNames[field] ?? [])]] as const],
    ),
  )
}

/**
 * Maps fields of the step to columns: as requested, otherwise by the names of the columns. @throws Failure
 * `invalid_input` naming the field or column
 */
export const resolveMap = (
  loadedStep: LoadedStep,
  table: Table,
  request: {
    map?: { [field: string]: string } | undefined
    values: { [field: string]: unknown }
    identifiersOnly?: boolean
  },
) => {
  const { fields, keySets } = schemaOf(loadedStep)
  const map = request.map ?? guessMap(loadedStep, table, request.identifiersOnly ?? false)
  for (const field of [...Object.keys(map), ...Object.keys(request.values)]) {
    if (!(field in fields))
      throw failField(
        `/map/${field}`,
        `There is no field "${field}". The fields are: ${Object.keys(fields).join(', ')}.`,
      )
  }
  for (const [field, column] of Object.entries(map)) {
    if (table.find(column) !== undefined) continue
    throw failField(
      `/map/${field}`,
      `The file has no column "${column}" for "${field}". Its columns are: ${listOf(table.columns.slice(0, 50))}.`,
    )
  }
  const fieldNames = new Set([...Object.keys(map), ...Object.keys(request.values)])
  if (keySets.length > 0 && !keySets.some((set) => set.every((field) => fieldNames.has(field)))) {
    const sets = keySets.map((set) => set.join(' + ')).join(', ')
    throw fail(
      'invalid_input',
      `No row can be looked up: map columns to one of: ${sets}. The columns are: ${listOf(table.columns.slice(0, 50))}.`,
      {
        errors: [{ pointer: '/map', message: `Map columns to one of: ${sets}.` }],
      },
    )
  }
  return map
}

/** Returns a function that builds the step's input from a row. Empty cells are omitted. */
export const inputsOf = (order: Pick<BulkJobOrder, 'map' | 'values'>, table: Table) => {
  const read = fieldReader(table, order.map)
  return (row: TableRow): Record<string, unknown> => ({ ...order.values, ...read(row) })
}
