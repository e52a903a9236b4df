import { createHash } from 'node:crypto'
import type { Tool, ToolAnnotations } from '@modelcontextprotocol/server'
import { outputJsonSchema } from '#kit'
import type { Effect, JsonSchema } from '#kit'
import { describeTool, toolInput } from '../../pack.ts'
import type { LoadedStep, Registry } from '../../runtime/catalogue/registry.ts'
import { answerBytes, notesField } from './answer.ts'
import type { AnswerShape } from './answer.ts'

/** A step as a tool. */
export type StepTool = {
  name: string
  found: LoadedStep
  effect: Effect | 'by-method'
  shape: AnswerShape
  /** As it is listed, with or without the argument that chooses the account. */
  listed(options: { canChoose: boolean }): Tool
}

const hints: Record<StepTool['effect'], ToolAnnotations> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  create: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  update: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  delete: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  'by-method': { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
}

const connectionArgument = (title: string): JsonSchema => ({
  type: 'string',
  title: 'Account',
  description: `Name or id of the ${title} account to use; only needed where several are connected.`,
})
const adjusting = (list: string | undefined): Record<string, JsonSchema> => ({
  maxBytes: {
    type: 'integer',
    minimum: answerBytes.least,
    maximum: answerBytes.most,
    title: 'Most bytes',
    description: `Most bytes of the answer, ${answerBytes.usual} when left out. What does not fit is cut, and "${notesField}" says what.`,
  },
  ...(list === undefined
    ? {}
    : {
        from: {
          type: 'integer',
          minimum: 0,
          title: 'From entry',
          description: `Continues a cut answer: leaves out that many entries of "${list}" from its start.`,
        },
      }),
})

/** The list of an answer: its one array at the top, or the body of a generic call. */
const listIn = (schema: JsonSchema, isGeneric: boolean) => {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  const arrays = properties.filter(([, part]) => part.type === 'array')
  return isGeneric ? 'body' : arrays.length === 1 ? arrays[0]![0] : undefined
}

/** Without "anything may follow", which is the rule anyway: written out it is noise, and some hosts stumble over it. */
const tidy = (schema: JsonSchema): JsonSchema =>
  Object.fromEntries(
    Object.entries(schema).flatMap(([word, part]) => {
      if (word === 'additionalProperties' && (part === true || JSON.stringify(part) === '{}')) return []
      if (word === 'properties')
        return [[word, Object.fromEntries(Object.entries(part as Record<string, JsonSchema>).map(([name, inner]) => [name, tidy(inner)]))]]
      return [[word, word === 'items' ? tidy(part as JsonSchema) : part]]
    }),
  )

const notes = {
  type: 'array',
  items: { type: 'string' },
  description: 'Words of this server about the answer: what was cut and how to get it, and that the rest was written by others.',
}

/** The output schema as tools show it: the step's own, or the requests of a dry run; and our own words about either. */
const outputSchema = (schema: JsonSchema): Tool['outputSchema'] => {
  const { required = [], properties = {}, ...rest } = schema
  const dryRun = { type: 'object', description: 'Only in a dry run: the requests that would be sent, the price, and whether these are all.' }
  return {
    ...rest,
    type: 'object',
    properties: { ...(properties as JsonSchema), dryRun, [notesField]: notes },
    anyOf: [{ required }, { required: ['dryRun'] }],
  } as Tool['outputSchema']
}

const makeTool = (found: LoadedStep): StepTool => {
  const { step, loaded, tool: name } = found
  const { title } = loaded.integration
  const input = tidy(toolInput(found))
  const schema = tidy(outputJsonSchema(step.output))
  const effect = typeof step.effect === 'function' ? 'by-method' : step.effect
  const isAdjustable = effect === 'read' || effect === 'by-method'
  const list = listIn(schema, effect === 'by-method')
  const own = input.properties as Record<string, JsonSchema>
  const added = isAdjustable ? adjusting(list) : {}
  for (const taken of ['connection', ...Object.keys(added)])
    if (taken in own) throw new TypeError(`${name} has a field "${taken}", which tools need for themselves`)
  if (notesField in ((schema.properties ?? {}) as JsonSchema)) throw new TypeError(`${name} gives a field "${notesField}", which tools need for themselves`)
  const { description: _, ...plain } = input
  const listed = (canChoose: boolean): Tool => ({
    name,
    title: `${title}: ${step.title}`,
    description: describeTool(found, input),
    inputSchema: {
      ...plain,
      type: 'object',
      properties: { ...own, ...added, ...(canChoose ? { connection: connectionArgument(title) } : {}) },
    } as Tool['inputSchema'],
    outputSchema: outputSchema(schema),
    annotations: { title: `${title}: ${step.title}`, ...hints[effect], openWorldHint: true },
    _meta: {
      'toolyard/integration': loaded.integration.id,
      'toolyard/step': step.id,
      ...(typeof step.cost === 'object' ? { 'toolyard/price': step.cost } : {}),
      ...(step.legacy ? { 'toolyard/legacy': step.legacy } : {}),
    },
  })
  const [choosing, bound] = [listed(true), listed(false)]
  return {
    name,
    found,
    effect,
    shape: { schema, list, narrowing: ['fields', 'limit', 'cursor'].filter((field) => field in own), isAdjustable },
    listed: ({ canChoose }) => (canChoose ? choosing : bound),
  }
}

/** All tools of a pack by name, in the order of integrations and their steps. Made once: a list must not change from one look to the next. */
export const makeTools = (registry: Registry): Map<string, StepTool> =>
  new Map(registry.all.flatMap((loaded) => [...loaded.steps.values()].map((found) => [found.tool, makeTool(found)] as const)))

export const isHash = (text: string) => /^[0-9a-f]{64}$/.test(text)
/** Names this very list, so that a host can ask its user again when tools changed after they were approved. */
export const hashOf = (tools: Tool[]) => createHash('sha256').update(JSON.stringify(tools)).digest('hex')
