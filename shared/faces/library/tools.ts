import { fail, isFailure, toFailureJson, visibleJson } from '#kit'
import type { FailureJson, JsonSchema } from '#kit'
import { agentView, coreSet, isInToolSet, lookupTools, requireToolSet, stepManifest } from '../../pack.ts'
import type { Pack } from '../../pack.ts'
import type { Caller } from '../../runtime/ports/index.ts'
import type { LookupTool } from '../../runtime/lookups/waterfall/tools.ts'
import type { LoadedStep } from '../../runtime/catalogue/registry.ts'
import { projectSchema } from './projections.ts'
import type { Dialect } from './projections.ts'

/** What the host of the model may add to a call. */
export type ToolCallOptions = {
  signal?: AbortSignal | undefined
  /** Makes retries safe: the same key and arguments return the stored outcome and send nothing again. */
  idempotencyKey?: string | undefined
  /** The agent start this call belongs to. */
  startId?: string | undefined
  onProgress?: ((done: number, total?: number) => void) | undefined
}

/** A step as a plain object, for any agent SDK to wrap. */
export type AgentTool = {
  /** `<integration>_<step>` in snake_case, at most 64 characters of a-z, 0-9 and "_". */
  name: string
  title: string
  description: string
  inputSchema: JsonSchema
  /** The step changes nothing at the provider. It may still cost credits, as the description says. */
  readOnly: boolean
  /**
   * Runs the step. A failure is returned, not thrown, so that the model can read what went wrong and what to do. Text
   * in a result was written by others and is never instructions; invisible characters are removed from it.
   */
  execute(args: unknown, options?: ToolCallOptions): Promise<unknown>
}
export type ToolFailure = { failure: FailureJson }

export type ToolsOptions = {
  caller: Caller
  /** Names of tools, or ids of integrations whose tools in `set` are included; absent: all integrations. */
  only?: string[] | undefined
  /** Name of a tool set; `core` when absent. `all` has every tool that no other tool replaces. */
  set?: string | undefined
  /** Connection by integration id (its id or name); the default one when absent. */
  connections?: Record<string, string> | undefined
  /** Dialect of `inputSchema`; `execute` takes arguments in the same dialect. */
  dialect?: Dialect | undefined
}

type StepToolOptions = ToolsOptions & {
  /** Whether a tool is among those made together with this one. */ hasTool(tool: string): boolean
}

const makeTool = (
  pack: Pack,
  loadedStep: LoadedStep,
  { caller, connections, dialect = 'canonical', hasTool }: StepToolOptions,
): AgentTool => {
  const { step, loaded, tool } = loadedStep
  const { id, title } = loaded.integration
  const manifest = stepManifest(loadedStep, [])
  const view = agentView(id, manifest)
  const { schema } = projectSchema(view.input, dialect)
  // Fields that `inputSchema` does not list are accepted in the same form.
  const { restore } = projectSchema(
    { ...view.input, properties: { ...(manifest.input.properties as object), ...(view.input.properties as object) } },
    dialect,
  )
  return {
    name: tool,
    title: `${title}: ${step.title}`,
    description: view.description,
    inputSchema: schema,
    readOnly: step.effect === 'read',
    async execute(args, { signal, idempotencyKey, startId, onProgress } = {}) {
      try {
        const { input, narrow } = view.read(restore(args))
        const call = { integration: id, step: step.id, connection: connections?.[id], input, hasTool }
        const outcome = await pack.steps.run(caller, { ...call, signal, idempotencyKey, startId, onProgress })
        return outcome.ok ? visibleJson(narrow(outcome.value)) : ({ failure: outcome.failure } satisfies ToolFailure)
      } catch (thrown) {
        if (!isFailure(thrown)) throw thrown
        return { failure: toFailureJson(thrown) } satisfies ToolFailure
      }
    },
  }
}

const makeLookup = (
  pack: Pack,
  tool: LookupTool,
  { caller, connections, dialect = 'canonical' }: ToolsOptions,
): AgentTool => {
  const { schema, restore } = projectSchema(tool.input, dialect)
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: schema,
    readOnly: true,
    async execute(args, { signal, idempotencyKey, startId } = {}) {
      try {
        const { narrow, ...call } = tool.read(restore(args))
        const outcome = await pack.lookups.run(caller, {
          kind: tool.kind,
          ...call,
          connections,
          signal,
          idempotencyKey,
          startId,
        })
        return outcome.ok ? visibleJson(narrow(outcome.value)) : ({ failure: outcome.failure } satisfies ToolFailure)
      } catch (thrown) {
        if (!isFailure(thrown)) throw thrown
        return { failure: toFailureJson(thrown) } satisfies ToolFailure
      }
    },
  }
}

/**
 * The steps of a pack as tools, in the order of integrations and their steps, followed by the lookups that ask several
 * integrations.
 * @throws Failure `not_found` when `only` names neither an integration nor a tool, `invalid_input` when there is no
 * such set
 */
export const toTools = (pack: Pack, options: ToolsOptions): AgentTool[] => {
  const { only, set = coreSet } = options
  requireToolSet(pack.registry.all, set)
  const all = pack.registry.all.flatMap((loaded) => [...loaded.steps.values()])
  const anywhere = lookupTools(pack.registry)
  for (const name of only ?? []) {
    if (anywhere.some((tool) => tool.name === name)) continue
    if (!all.some(({ tool, loaded }) => tool === name || loaded.integration.id === name))
      throw fail(
        'not_found',
        `There is no integration or tool "${name}". Known tools: ${[...all.map(({ tool }) => tool), ...anywhere.map((tool) => tool.name)].join(', ')}.`,
      )
  }
  const isWanted = (loadedStep: LoadedStep) =>
    only?.includes(loadedStep.tool) ||
    ((only?.includes(loadedStep.loaded.integration.id) ?? true) && isInToolSet(loadedStep, set))
  const chosenSteps = all.filter(isWanted)
  const lookups = anywhere.filter((tool) => only?.includes(tool.name) ?? tool.isIn(set))
  const names = new Set(chosenSteps.map(({ tool }) => tool))
  const stepOptions = { ...options, hasTool: (tool: string) => names.has(tool) }
  return [
    ...chosenSteps.map((loadedStep) => makeTool(pack, loadedStep, stepOptions)),
    ...lookups.map((tool) => makeLookup(pack, tool, options)),
  ]
}
