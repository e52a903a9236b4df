import { failField } from '#kit'
import type { JsonSchema } from '#kit'
import { agentView } from './agent-view.ts'
import type { Manifest, StepManifest } from './manifest.ts'

export type AgentDocument = Record<string, unknown> & { paths: Record<string, unknown> }
/** `tools`: tool names; absent: the tools of `set` (default `core`). `server`: base URL that the calls go to. */
export type AgentDocumentOptions = { set?: string | undefined; tools?: string[] | undefined; server: string }

const json = (schema: JsonSchema) => ({ 'application/json': { schema } })

const connection: JsonSchema = { type: 'string', description: 'Connection to use, if there are several.' }

const problem: JsonSchema = {
  type: 'object',
  description: 'Why a call failed.',
  properties: {
    code: { type: 'string', description: 'What kind of failure it is, such as invalid_input or not_connected.' },
    detail: { type: 'string', description: 'What is wrong and what to do.' },
    retryable: { type: 'boolean', description: 'Whether the same call may be repeated unchanged.' },
    retryAfterMs: { type: 'number', description: 'How long to wait before that, in ms.' },
  },
  required: ['code', 'detail', 'retryable'],
}

/**
 * GPT actions and Microsoft 365 Copilot ask before every call of a POST operation, unless this says that it changes
 * nothing; a lookup that costs credits is still asked for.
 */
const consequence = ({ effect, cost }: StepManifest) =>
  effect === 'read' && cost === null ? { 'x-openai-isConsequential': false } : {}

const operationOf = (manifest: Manifest, step: StepManifest) => {
  const { description, input, output } = agentView(manifest.id, step)
  const properties = { ...(input.properties as object), ...(step.connection ? { connection } : {}) }
  const body = { ...input, type: 'object', properties }
  return {
    post: {
      operationId: step.tool,
      summary: step.title,
      description,
      ...consequence(step),
      requestBody: { required: true, content: json(body) },
      responses: {
        200: { description: 'The result, with the fields that agents need.', content: json(output) },
        default: {
          description: 'The call failed: code, sentence and remedy.',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
    },
  }
}

const chosen = ({ id, steps, toolSets }: Manifest, { set = 'core', tools }: AgentDocumentOptions): StepManifest[] => {
  if (tools !== undefined) {
    const unknown = tools.filter((name) => !steps.some(({ tool }) => tool === name))
    if (unknown.length > 0)
      throw failField(
        'tools',
        `${id} has no tool ${unknown.map((name) => `"${name.slice(0, 80)}"`).join(', ')}. It has: ${steps.map(({ tool }) => tool).join(', ')}.`,
      )
    return steps.filter(({ tool }) => tools.includes(tool))
  }
  const toolSet = toolSets.find((candidate) => candidate.id === set)
  if (!toolSet)
    throw failField(
      'set',
      `${id} has no tool set "${set.slice(0, 64)}". It has: ${toolSets.map((candidate) => candidate.id).join(', ')}.`,
    )
  return steps.filter((step) => toolSet.steps.includes(step.id))
}

/**
 * The steps of an integration as an OpenAPI document, for importers that create one tool per operation: flat bodies, no
 * header arguments, short descriptions. Derived from the manifest alone.
 * @throws Failure `invalid_input` for a tool set or a tool that the integration does not have
 */
export const agentDocument = (manifest: Manifest, options: AgentDocumentOptions): AgentDocument => ({
  openapi: '3.1.0',
  info: {
    title: `${manifest.title}: tools`,
    version: manifest.version,
    description: manifest.summary,
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: options.server }],
  security: [{ token: [] }],
  paths: Object.fromEntries(
    chosen(manifest, options).map((step) => [`/v1/tools/${step.tool}`, operationOf(manifest, step)]),
  ),
  components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } }, schemas: { Problem: problem } },
})
