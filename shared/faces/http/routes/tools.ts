import { failField, visibleJson, z } from '#kit'
import { agentView, stepManifest } from '../../../pack.ts'
import { agentDocument } from '../../../pack-server.ts'
import type { AgentView } from '../../../runtime/catalogue/agent-view.ts'
import { id } from '../bounds.ts'
import { signalClientAbort } from '../client-abort.ts'
import { sendFailure } from '../parts.ts'
import type { Routes } from '../parts.ts'
import { providerFailures, responses, tokenOnly } from '../responses.ts'
import { runHeaders } from '../schemas.ts'

const body = z.looseObject({
  connection: z.string().min(1).max(256).optional().describe('Id or name of the connection; absent: the default connection of the integration'),
})
const document = z.looseObject({ openapi: z.string() })

const words = (text: string) =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)

/** Steps as agents that read OpenAPI call them: flat bodies, answers in the fields that agents need. */
export const toolRoutes: Routes = (app, { pack, addressOf }) => {
  const views = new Map<string, AgentView>()

  const find = (tool: string) => {
    const found = pack.registry.byTool(tool)
    if (!found) throw failField('tool', `There is no tool "${tool.slice(0, 64)}". GET /v1/steps lists all.`, 'not_found')
    const view = views.get(tool) ?? agentView(found.loaded.integration.id, stepManifest(found, []))
    views.set(tool, view)
    return { found, view }
  }

  app.post(
    '/v1/tools/:tool',
    {
      config: { access: ['run'] },
      schema: {
        operationId: 'callTool',
        tags: ['Steps'],
        summary: 'Run a step as a tool of an agent',
        description:
          'Runs a step by the name of its tool, such as `work_board_create_card`. The body is the fields of the step and `connection`; the response is the result, with the fields that agents need. Tools that read take `fields`, which asks for more. `/openapi/{integration}.json` has one operation for each tool.',
        params: z.object({ tool: id }),
        headers: runHeaders.omit({ prefer: true }),
        body,
        response: responses({ description: 'The result', schema: z.unknown() }, providerFailures, { body: true }),
      },
    },
    async (request, reply) => {
      const { connection, ...args } = request.body
      const { found, view } = find(request.params.tool)
      const { input, narrow } = view.read(args)
      const outcome = await pack.steps.run(request.caller, {
        integration: found.loaded.integration.id,
        step: found.step.id,
        connection,
        input,
        hasTool: () => true,
        idempotencyKey: request.headers['idempotency-key'],
        startId: request.headers['start-id'],
        signal: signalClientAbort(reply),
      })
      request.runId = outcome.meta.runId
      if (!outcome.ok) return sendFailure(request, reply, outcome.failure, { runId: request.runId })
      return reply.send(visibleJson(narrow(outcome.value)) as never)
    },
  )
  app.get(
    '/openapi/:integration.json',
    {
      config: { access: ['read', 'run'] },
      schema: {
        operationId: 'getAgentOpenApi',
        tags: ['Catalogue'],
        summary: 'Get the tools of an integration as an OpenAPI document',
        description:
          'A document for importers that make one tool of each operation: the steps of one tool set, with flat bodies and short descriptions, and nothing else.',
        security: tokenOnly,
        params: z.object({ integration: id }),
        querystring: z.strictObject({
          set: z.string().min(1).max(64).optional().describe('Tool set; absent: core'),
          tools: z.string().min(1).max(4000).optional().describe('Only these tools, by name, with commas between them; instead of a set'),
        }),
        response: responses({ description: 'OpenAPI 3.1', schema: document }, ['not_found']),
      },
    },
    async (request) => {
      const { set, tools } = request.query
      const manifest = await pack.integrations.manifest(request.params.integration)
      return agentDocument(manifest, { set, tools: tools === undefined ? undefined : words(tools), server: addressOf(request) || '/' }) as never
    },
  )
}
