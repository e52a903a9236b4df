import { omitUndefined, readLabels } from '../filter.ts'
import { pageOf } from '../cut-page.ts'
import type { connectionOperations } from '../../../api/operations/connections.ts'
import type { Handlers } from '../operations.ts'
import type { HttpDependencies } from '../parts.ts'

export const connectionHandlers = ({ pack }: HttpDependencies): Handlers<typeof connectionOperations> => ({
  listConnections: async ({ caller, query }) => {
    const { integration, externalId, person, label } = query
    return pageOf(
      await pack.connections.list(
        caller,
        omitUndefined({ integration, externalId, person, labels: readLabels(label) }),
      ),
      query,
    )
  },
  createConnection: async (request, reply) => {
    const created = await pack.connections.create(request.caller, request.body)
    return reply.code(201).header('location', `/v1/connections/${created.id}`).send(created)
  },
  authorizeConnection: async (request, reply) =>
    reply.code(201).send(await pack.connections.authorize(request.caller, request.body)),
  getConnection: async ({ caller, params }) => pack.connections.get(caller, params.id),
  changeConnection: async ({ caller, params, body }) => pack.connections.patch(caller, params.id, body),
  removeConnection: async (request, reply) => {
    await pack.connections.remove(request.caller, request.params.id)
    return reply.code(204).send()
  },
  testConnection: async ({ caller, params }) => pack.connections.test(caller, params.id),
  getConnectionLimits: async ({ caller, params }) => pack.connections.limits(caller, params.id),
  getConnectionUsage: async ({ caller, params }) => pack.connections.usage(caller, params.id),
  listConnectionNames: async ({ caller, params, query }) => pack.connections.names(caller, params.id, query),
  checkConnectionWire: async ({ caller, params, body, headers }) =>
    pack.connections.wireCheck(caller, params.id, { ...body, idempotencyKey: headers['idempotency-key'] }),
  getApp: async (request) => pack.apps.get(request.caller, request.params.integration),
  putApp: async (request) => pack.apps.put(request.caller, request.params.integration, request.body),
})
