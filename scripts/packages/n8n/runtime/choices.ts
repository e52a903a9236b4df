import type {
  FieldType,
  ILoadOptionsFunctions,
  INodeListSearchResult,
  INodePropertyOptions,
  ResourceMapperFields,
} from 'n8n-workflow'
import type { FormOf } from './client'
import { connect, explain } from './connect'
import { unwrap } from './read-input'

type Of = Omit<FormOf, 'id'>
type Values = Record<string, unknown>

/** The most choices in a list without search; any other value can be given by an expression. */
const maxChoices = 1000

const own = new Set(['resource', 'operation', 'event', 'connection', 'more', 'options', 'testWith', 'specify'])

const isFilled = (value: unknown) =>
  value !== undefined &&
  value !== null &&
  value !== '' &&
  !(typeof value === 'string' && value.startsWith('=')) &&
  !(Array.isArray(value) && value.length === 0)

/** The fields filled in so far, without expressions: those are evaluated when the workflow runs, not here. */
const filled = (parameters: Values): Values => {
  const { more } = parameters
  const fields = Object.entries({ ...parameters, ...(more as Values | undefined) }).filter(([name]) => !own.has(name))
  return Object.fromEntries(fields.map(([name, value]) => [name, unwrap(value)]).filter(([, value]) => isFilled(value)))
}

const ask = async (
  context: ILoadOptionsFunctions,
  of: Of,
  field: string,
  search: { query?: string | undefined; cursor?: string | undefined },
) => {
  const parameters = (context.getCurrentNodeParameters() ?? {}) as Values
  const id = String(parameters[of.kind === 'step' ? 'operation' : 'event'])
  const connection = isFilled(parameters['connection']) ? String(parameters['connection']) : undefined
  const client = await connect(context)
  return await client
    .options({ ...of, id }, { field, connection, values: filled(parameters), ...search })
    .catch((error: unknown) => Promise.reject(explain(context, error)))
}

/** n8n loads choices as soon as a node is opened, also if it has no credential yet: there is nothing to load then. */
const hasCredential = (context: ILoadOptionsFunctions) => context.getNode().credentials?.['toolyardApi'] !== undefined

/**
 * Whether the fields that the choices depend on are filled in. One with an expression is not: it has a value only when
 * the workflow runs.
 */
const hasNeeds = (context: ILoadOptionsFunctions, needs: string[]) => {
  const parameters = (context.getCurrentNodeParameters() ?? {}) as Values
  const values = { ...parameters, ...(parameters['more'] as Values | undefined) }
  return needs.every((name) => isFilled(unwrap(values[name])))
}

export const loadConnections = (integration: string) =>
  async function (this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
    if (!hasCredential(this)) return [{ name: 'Default', value: '' }]
    const client = await connect(this)
    const connections = await client
      .connections(integration)
      .catch((error: unknown) => Promise.reject(explain(this, error)))
    const options = connections.map(({ id, name, state }) => ({
      name: state === 'connected' || state === 'unverified' ? name : `${name} (${state})`,
      value: id,
    }))
    return [{ name: 'Default', value: '' }, ...options]
  }

/** All choices of a list, from every page, because it cannot be searched on the server. */
export const loadChoices = (of: Of, field: string, needs: string[] = []) =>
  async function (this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
    if (!hasCredential(this) || !hasNeeds(this, needs)) return []
    const found: INodePropertyOptions[] = []
    let cursor: string | undefined
    do {
      const page = await ask(this, of, field, { cursor })
      found.push(...page.options.map(({ value, label, hint }) => ({ name: label, value, description: hint })))
      cursor = page.next
    } while (cursor !== undefined && found.length < maxChoices)
    return found
  }

/** Choices of a locator, searched on the server and loaded page by page. */
export const searchChoices = (of: Of, field: string) =>
  async function (this: ILoadOptionsFunctions, query?: string, cursor?: string): Promise<INodeListSearchResult> {
    const { options, next } = await ask(this, of, field, { query: query === '' ? undefined : query, cursor })
    return {
      results: options.map(({ value, label, hint }) => ({
        name: hint === undefined ? label : `${label} (${hint})`,
        value,
      })),
      paginationToken: next,
    }
  }

type AccountField = {
  name: string
  title: string
  control: string
  required: boolean
  choices?: string[]
  labels?: Record<string, string>
}

const mapperTypes: Record<string, FieldType> = {
  number: 'number',
  switch: 'boolean',
  'date-time': 'dateTime',
  choice: 'options',
}

/**
 * Fields that the account defines, such as custom fields, each with an input of its type. `needs`: by step, the fields
 * to fill first.
 */
export const mapFields = (integration: string, needs: Record<string, string[]>) =>
  async function (this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
    const parameters = (this.getCurrentNodeParameters() ?? {}) as Values
    const step = String(parameters['operation'])
    if (!hasCredential(this) || !hasNeeds(this, needs[step] ?? [])) return { fields: [] }
    const connection = isFilled(parameters['connection']) ? String(parameters['connection']) : undefined
    const client = await connect(this)
    const { layout } = await client
      .fields(integration, step, { connection, values: filled(parameters) })
      .catch((error: unknown) => Promise.reject(explain(this, error)))
    return {
      fields: (layout.fields as AccountField[]).map(({ name, title, control, required, choices, labels }) => ({
        id: name,
        displayName: title,
        required,
        display: true,
        defaultMatch: false,
        canBeUsedToMatch: false,
        type: mapperTypes[control] ?? 'string',
        ...(choices ? { options: choices.map((value) => ({ name: labels?.[value] ?? value, value })) } : {}),
      })),
    }
  }
