import { failField, visibleJson } from '#kit'
import { agentView, stepManifest } from '../../../pack.ts'
import { agentDocument } from '../../../pack-server.ts'
import type { AgentView } from '../../../runtime/catalogue/agent-view.ts'
import { signalClientAbort } from '../client-abort.ts'
import { readHeaderText } from '../header-text.ts'
import { sendFailure } from '../parts.ts'
import type { toolOperations } from '../../../api/operations/tools.ts'
import type { Handlers } from '../operations.ts'
import type { HttpDependencies } from '../parts.ts'

const words = (text: string) =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)

/** Steps for agents that read OpenAPI: flat request bodies, and responses with only the fields that agents need. */
export const toolHandlers = ({ pack, addressOf }: HttpDependencies): Handlers<typeof toolOperations> => {
  const views = new Map<string, AgentView>()

  const find = (tool: string) => {
    const loadedStep = pack.registry.byTool(tool)
    if (!loadedStep)
      throw failField('tool', `There is no tool "${tool.slice(0, 64)}". GET /v1/steps lists all.`, 'not_found')
    const view = views.get(tool) ?? agentView(loadedStep.loaded.integration.id, stepManifest(loadedStep, []))
    views.set(tool, view)
    return { found: loadedStep, view }
  }

  return {
    callTool: async (request, reply) => {
      const { connection, ...args } = request.body
      const { person } = request.headers
      const { found: loadedStep, view } = find(request.params.tool)
      const { input, narrow } = view.read(args)
      const outcome = await pack.steps.run(request.caller, {
        integration: loadedStep.loaded.integration.id,
        step: loadedStep.step.id,
        connection,
        person: person === undefined ? undefined : readHeaderText('Person', person, 'r%C3%A9mi'),
        input,
        hasTool: () => true,
        idempotencyKey: request.headers['idempotency-key'],
        startId: request.headers['start-id'],
        signal: signalClientAbort(reply),
      })
      request.runId = outcome.meta.runId
      if (!outcome.ok) return sendFailure(request, reply, outcome.failure, { runId: request.runId })
      return reply.send(visibleJson(narrow(outcome.value)))
    },
    getAgentOpenApi: async (request) => {
      const { set, tools } = request.query
      const manifest = await pack.integrations.manifest(request.params.integration)
      return agentDocument(manifest, {
        set,
        tools: tools === undefined ? undefined : words(tools),
        server: addressOf(request) || '/',
      }) as never
    },
  }
}
