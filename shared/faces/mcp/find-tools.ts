import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import { fail, toFailureJson } from '#kit'
import { createToolSearch, findableStep } from '../../pack-server.ts'
import type { Findable, ToolSearch } from '../../pack-server.ts'
import type { LookupTool } from '../../runtime/lookups/waterfall/tools.ts'
import { failureResult } from './failure.ts'
import type { StepTool } from './tools.ts'

/** No integration is called "find", so no step's tool has this name. */
export const findToolsName = 'find_tools'
const maxListedTools = 5

/** Finds tools that are not listed, for hosts that load tools on demand. */
export const findToolsTool: Tool = {
  name: findToolsName,
  title: 'Find Tools',
  description:
    'Searches all tools of this server, including those not listed, and returns their full definitions; call them by name.',
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string', description: 'What the tool has to do, in plain words.' } },
    required: ['query'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: {
      tools: { type: 'array', description: 'The best first.', items: { type: 'object' } },
      names: { type: 'array', description: 'If none was found: the names of all tools.', items: { type: 'string' } },
    },
    required: ['tools'],
  },
  annotations: {
    title: 'Find Tools',
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
}

export type ToFind = StepTool | LookupTool
export const isStepTool = (tool: ToFind): tool is StepTool => 'loadedStep' in tool

const aboutOf = (tool: ToFind): Findable =>
  isStepTool(tool)
    ? findableStep(tool.loadedStep)
    : {
        title: tool.title,
        keywords: tool.keywords,
        purpose: tool.purpose,
        otherTexts: [tool.group, ...Object.keys(tool.input['properties'] ?? {})],
        effect: 'read',
        vocabulary: {},
        required: ((tool.input['required'] ?? []) as string[]).length,
      }

/** Searches over all tools of the pack, so that the weight of a word does not depend on the caller. */
export const searchOf = (tools: ToFind[]): ToolSearch<ToFind> => createToolSearch(tools, aboutOf)

/** `define`: returns the tools as the caller sees them, without those it cannot use. */
export const answerFindTools = async (
  { search, tools }: { search: ToolSearch<ToFind>; tools: ToFind[] },
  args: Record<string, unknown>,
  define: (matchingTools: ToFind[]) => Promise<Tool[]>,
): Promise<CallToolResult> => {
  const { query, ...otherArguments } = args
  const [other] = Object.keys(otherArguments)
  if (typeof query !== 'string' || query.trim() === '' || query.length > 500 || other !== undefined) {
    const [at, message] =
      other === undefined
        ? ['query', '"query" must be 1 to 500 characters: what the tool has to do.']
        : [other, `"${other.slice(0, 60)}" is not a field of "Find Tools". Its fields: query.`]
    return failureResult(
      toFailureJson(fail('invalid_input', message!, { errors: [{ pointer: `/${at}`, message: message! }] })),
    )
  }
  const foundTools = (await define(search.find(query, (tool) => tools.includes(tool))))
    .slice(0, maxListedTools)
    .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
  const result =
    foundTools.length > 0
      ? { tools: foundTools }
      : { tools: foundTools, names: (await define(tools)).map(({ name }) => name) }
  return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result }
}
