import { describeKeySets, failField } from '#kit'
import type { JsonSchema, KeySets } from '#kit'
import { keptOf, narrow, narrowSchema } from './agent-result.ts'
import { describeCost } from './describe-cost.ts'
import type { StepManifest } from './manifest.ts'
import { toolName } from './tool-name.ts'

type Properties = Record<string, JsonSchema>
type Input = Record<string, unknown>

/** A step as an agent sees it: a short description, the input fields it needs and only the useful part of results. */
export type AgentView = {
  description: string
  /** Without fields marked `rare`, which are still accepted; with a `fields` argument if the result can be widened. */
  input: JsonSchema
  /** `input` with all fields. */
  wholeInput: JsonSchema
  output: JsonSchema
  /** Fields that `input` leaves out. */
  rare: string[]
  /**
   * Splits an agent's arguments into the input of the step and a function that narrows its output.
   * @throws Failure `invalid_input` for wrong `fields`
   */
  read(args: unknown): { input: Input; narrow: Narrow }
}
export type Narrow = (output: unknown) => unknown

/**
 * Keywords left out for agents: titles are for people, key sets are described in words, and a text that is too long is
 * refused with its limit. An open `additionalProperties` is left out too: it is the default, and some hosts fail on it.
 */
const dropped = new Set(['title', 'x-key-sets', 'minLength', 'maxLength', 'maxItems'])
const tidy = (schema: JsonSchema): JsonSchema =>
  Object.fromEntries(
    Object.entries(schema).flatMap(([word, part]) => {
      if (dropped.has(word)) return []
      if (word === 'additionalProperties' && (part === true || JSON.stringify(part) === '{}')) return []
      if (word === 'properties') return [[word, tidyAll(part as Properties)]]
      if (word === 'anyOf') return [[word, (part as JsonSchema[]).map(tidy)]]
      return [[word, word === 'items' ? tidy(part as JsonSchema) : part]]
    }),
  )
const tidyAll = (properties: Properties): Properties =>
  Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, tidy(part)]))

const fieldsArgument: JsonSchema = {
  type: 'string',
  description: 'More fields of the result, comma-separated, or "all".',
}

const rareOf = ({ fields, input }: StepManifest) =>
  Object.keys((input.properties ?? {}) as Properties).filter(
    (name) => fields[name]?.rare === true && !((input.required ?? []) as string[]).includes(name),
  )

/** The "one of" rule, without sets that need a field left out of the schema. */
const describeRule = ({ input }: StepManifest, rare: string[]): string => {
  const said = typeof input.description === 'string' ? input.description : ''
  const rule = input['x-key-sets'] as KeySets | undefined
  const sets = rule?.sets.filter((set) => !set.some((name) => rare.includes(name))) ?? []
  return rule && said === describeKeySets(rule) && sets.length > 0 ? describeKeySets({ ...rule, sets }) : said
}

const describe = (integration: string, step: StepManifest, rare: string[]): string => {
  const { purpose, price, cost, legacy, deprecated, ready } = step
  const other = deprecated ?? legacy
  return [
    purpose,
    describeRule(step, rare),
    price !== null ? `Price: ${price}.` : cost !== null ? describeCost(cost) : '',
    other ? `${deprecated ? 'Deprecated' : 'Legacy'}: use ${toolName(integration, other.use)}.` : '',
    ready ? '' : 'Not ready: the operator has yet to set it up.',
  ]
    .filter(Boolean)
    .join(' ')
}

const inputOf = (input: JsonSchema, rare: string[], canWiden: boolean): JsonSchema => {
  const {
    description: _,
    additionalProperties,
    properties = {},
    ...otherKeywords
  } = tidy(input) as JsonSchema & { properties?: Properties }
  const shown = Object.entries(properties).filter(([name]) => !rare.includes(name))
  // The step's default for `fields` does not apply: without `fields`, an agent gets the narrowed result.
  const { default: __, ...own } = properties.fields ?? {}
  return {
    ...otherKeywords,
    properties: {
      ...Object.fromEntries(shown),
      ...('fields' in properties ? { fields: own } : canWiden ? { fields: fieldsArgument } : {}),
    },
    ...(rare.length > 0 ? {} : { additionalProperties }),
  }
}

const readNames = (value: unknown): string[] => {
  if (value === undefined || value === null) return []
  if (typeof value !== 'string' || !/^[\w.,\s-]{1,1000}$/.test(value))
    throw failField(
      'fields',
      '"fields" takes names of fields of the result with commas between them, such as "name,url", or "all".',
    )
  return value.split(/[,\s]+/).filter(Boolean)
}

/** Builds the agent's view of a step from its manifest alone. `integration`: id of the integration. */
export const agentView = (integration: string, step: StepManifest): AgentView => {
  const { agentFields, effect } = step
  const rare = rareOf(step)
  const kept = agentFields === null ? undefined : keptOf(agentFields)
  const hasOwn = 'fields' in ((step.input.properties ?? {}) as Properties)
  const canWiden = kept !== undefined && !hasOwn && effect === 'read'
  return {
    description: describe(integration, step, rare),
    input: inputOf(step.input, rare, canWiden),
    wholeInput: inputOf(step.input, [], canWiden),
    output: tidy(kept === undefined ? step.output : narrowSchema(step.output, kept)),
    rare,
    read(args) {
      // Arguments that are no object are refused by the step itself.
      const { fields, ...otherArguments } = (typeof args === 'object' && args !== null ? args : {}) as Input
      const input = (canWiden && fields !== undefined ? otherArguments : args) as Input
      // Where `fields` belongs to the step, the step itself refuses any type but text.
      const names = canWiden ? readNames(fields) : hasOwn && typeof fields === 'string' ? fields.split(/[,\s]+/) : []
      const isWhole = kept === undefined || names.includes('all')
      const more = new Set(names)
      return { input, narrow: (output) => (isWhole ? output : narrow(output, kept, more)) }
    },
  }
}
