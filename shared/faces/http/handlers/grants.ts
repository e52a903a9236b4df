import type { grantOperations } from '../../../api/operations/grants.ts'
import type { Handlers } from '../operations.ts'
import type { HttpDependencies } from '../parts.ts'

export const grantHandlers = ({ pack }: HttpDependencies): Handlers<typeof grantOperations> => ({
  listGrants: ({ caller, query: { limit, cursor, person } }) => pack.grants.list(caller, { limit, cursor, person }),
  getGrant: ({ caller, params: { id } }) => pack.grants.get(caller, id),
  narrowGrant: ({ caller, params: { id }, body }) => pack.grants.patch(caller, id, body),
  endGrant: async ({ caller, params: { id } }, reply) => {
    await pack.grants.remove(caller, id)
    return reply.code(204).send()
  },
})
