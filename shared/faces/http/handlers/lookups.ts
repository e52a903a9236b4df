import { lookupTools } from '../../../pack.ts'
import { signalClientAbort } from '../client-abort.ts'
import { sendFailure } from '../parts.ts'
import type { lookupOperations } from '../../../api/operations/lookups.ts'
import type { Handlers } from '../operations.ts'
import type { HttpDependencies } from '../parts.ts'

export const lookupHandlers = ({ pack }: HttpDependencies): Handlers<typeof lookupOperations> => {
  const tools = lookupTools(pack.registry)
  return {
    listLookups: async () => ({
      items: tools.map(
        ({ id, kind: recordKind, name: named, title, group, purpose, integrations, input, output, example }) => ({
          id,
          kind: recordKind,
          name: named,
          title,
          group,
          purpose,
          integrations,
          input,
          output,
          example,
        }),
      ),
    }),
    lookUp: async (request, reply) => {
      const outcome = await pack.lookups.run(request.caller, {
        ...request.params,
        ...request.body,
        idempotencyKey: request.headers['idempotency-key'],
        startId: request.headers['start-id'],
        signal: signalClientAbort(reply),
      })
      if (!request.body.dryRun) request.runId = outcome.meta.runId
      if (!outcome.ok) return sendFailure(request, reply, outcome.failure, { runId: request.runId })
      return reply.send({ output: outcome.value, meta: outcome.meta })
    },
  }
}
