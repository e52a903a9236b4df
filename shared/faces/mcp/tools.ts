import { createHash } from 'node:crypto'
import type { Tool, ToolAnnotations } from '@modelcontextprotocol/server'
import type { Effect, JsonSchema } from '#kit'
import { agentView, profileNames, stepManifest } from '../../pack.ts'
import type { AgentView } from '../../runtime/catalogue/agent-view.ts'
import type { LoadedStep, Registry } from '../../runtime/catalogue/registry.ts'
import { notesField } from './tool-result.ts'
import type { ResultShape } from './tool-result.ts'

/** A step as a tool. */
export type StepTool = {
  name: string
  loadedStep: LoadedStep
  effect: Effect | 'by-method'
  view: AgentView
  shape: ResultShape
  /** The tool as listed, with or without the argument that selects the connection. */
  listed(options: { canChoose: boolean }): Tool
  /** The same tool with its rarely used fields, as Find Tools shows it. */
  whole(options: { canChoose: boolean }): Tool
  /** The same tool under the wire profile of that name; null: the operator's profile. Each is built once. */
  under(profile: string | null): StepTool
}

/** An update may overwrite existing data, so in the protocol's sense it is as destructive as a deletion. */
const hints: Record<StepTool['effect'], ToolAnnotations> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  create: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  update: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  delete: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  'by-method': { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
}

/** Hosts run read-only tools without asking anybody, which must not spend an account's credits. */
export const paidHints: ToolAnnotations = { readOnlyHint: false, destructiveHint: false, idempotentHint: false }

const connectionArgument: JsonSchema = { type: 'string', description: 'Connection to use, if there are several.' }
/** The descriptions are short, because a truncated result explains how to use these arguments. */
const adjustingArguments = (list: string | undefined): Record<string, JsonSchema> => ({
  maxBytes: { type: 'integer', description: 'Maximum bytes of the result.' },
  ...(list === undefined ? {} : { from: { type: 'integer', description: 'First entry to show.' } }),
})

/** The main list of an output: its only top-level array, or the body of an API call. */
const listIn = (schema: JsonSchema, isGeneric: boolean) => {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  const arrays = properties.filter(([, part]) => part.type === 'array')
  return isGeneric ? 'body' : arrays.length === 1 ? arrays[0]![0] : undefined
}

const notes = {
  type: 'array',
  items: { type: 'string' },
  description: 'Notes of this server: what was cut and how to get it, and that the other text was written by others.',
}

/** The output schema of a tool: the output of the step or the requests of a dry run, and our notes. */
export const dryRunOutput = (schema: JsonSchema): Tool['outputSchema'] => {
  const { required = [], properties = {}, ...otherKeywords } = schema
  const dryRun = {
    type: 'object',
    description: 'Only in a dry run: the requests that would be sent, the price, and whether the list is complete.',
  }
  return {
    ...otherKeywords,
    type: 'object',
    properties: { ...(properties as JsonSchema), dryRun, [notesField]: notes },
    anyOf: [{ required }, { required: ['dryRun'] }],
  } as Tool['outputSchema']
}

const makeTool = (loadedStep: LoadedStep): StepTool => {
  const { step, loaded, tool: name } = loadedStep
  const { id, title } = loaded.integration
  const manifest = stepManifest(loadedStep, [])
  const view = agentView(id, manifest)
  const { output: schema } = view
  const { effect, cost, legacy } = manifest
  const isAdjustable = effect === 'read' || effect === 'by-method'
  const list = listIn(schema, effect === 'by-method')
  const added = isAdjustable ? adjustingArguments(list) : {}
  for (const taken of ['connection', ...Object.keys(added)])
    if (taken in (manifest.input.properties as object))
      throw new TypeError(`${name} has a field "${taken}", which is reserved for tools`)
  if (notesField in ((manifest.output.properties ?? {}) as JsonSchema))
    throw new TypeError(`${name} returns a field "${notesField}", which is reserved for tools`)
  const rule = manifest.input['x-key-sets']
  const listed = (canChoose: boolean, schemaOfInput: JsonSchema): Tool => ({
    name,
    title: `${title}: ${step.title}`,
    description: view.description,
    inputSchema: {
      ...schemaOfInput,
      type: 'object',
      properties: {
        ...(schemaOfInput.properties as object),
        ...added,
        ...(canChoose ? { connection: connectionArgument } : {}),
      },
    } as Tool['inputSchema'],
    outputSchema: dryRunOutput(schema),
    annotations: {
      title: `${title}: ${step.title}`,
      ...(effect === 'read' && cost ? paidHints : hints[effect]),
      openWorldHint: true,
    },
    _meta: {
      'toolyard/integration': id,
      'toolyard/step': step.id,
      ...(rule === undefined ? {} : { 'toolyard/keySets': rule }),
      ...(view.rare.length > 0 ? { 'toolyard/rareFields': view.rare } : {}),
      ...(cost ? { 'toolyard/price': cost } : {}),
      ...(legacy ? { 'toolyard/legacy': legacy } : {}),
    },
  })
  const [choosing, bound] = [listed(true, view.input), listed(false, view.input)]
  const toolsByProfile = new Map<string, StepTool>()
  const tool: StepTool = {
    name,
    loadedStep,
    effect,
    view,
    shape: {
      schema,
      list,
      narrowing: ['fields', 'limit', 'cursor'].filter((field) => field in (view.wholeInput.properties as object)),
      isAdjustable,
    },
    listed: ({ canChoose }) => (canChoose ? choosing : bound),
    whole: ({ canChoose }) => listed(canChoose, view.wholeInput),
    under(profile) {
      if (profile === null) return tool
      // A profile that no longer exists has no tools of its own; a call reports that.
      if (!profileNames(loaded.integration).includes(profile)) return tool
      const other = toolsByProfile.get(profile) ?? makeTool(loaded.withProfile(profile).steps.get(step.id)!)
      toolsByProfile.set(profile, other)
      return other
    },
  }
  return tool
}

/**
 * All tools of a pack by name, in the order of integrations and their steps. Created once, because the list must not
 * change between two requests.
 */
export const makeTools = (registry: Registry): Map<string, StepTool> =>
  new Map(
    registry.all.flatMap((loaded) =>
      [...loaded.steps.values()].map((loadedStep) => [loadedStep.tool, makeTool(loadedStep)] as const),
    ),
  )

export const isHash = (text: string) => /^[0-9a-f]{64}$/.test(text)
/** Identifies this exact list, so that a host can ask its user again if the tools change after approval. */
export const hashOf = (tools: Tool[]) => createHash('sha256').update(JSON.stringify(tools)).digest('hex')
