import type { peopleListOperations } from '../../../api/operations/people-lists.ts'
import { omitUndefined } from '../filter.ts'
import type { Handlers } from '../operations.ts'
import type { HttpDependencies } from '../parts.ts'

export const peopleListHandlers = ({ pack }: HttpDependencies): Handlers<typeof peopleListOperations> => ({
  createPeopleList: async ({ caller, body, headers }, reply) => {
    const made = await pack.peopleLists.create(caller, { ...body, idempotencyKey: headers['idempotency-key'] })
    return reply.code(201).header('location', `/v1/people-lists/${made.id}`).send(made)
  },
  listPeopleLists: ({ caller, query: { limit, cursor, person } }) =>
    pack.peopleLists.list(caller, { limit, ...omitUndefined({ cursor }) }, omitUndefined({ person })),
  getPeopleList: ({ caller, params: { id }, query }) => pack.peopleLists.get(caller, id, omitUndefined(query)),
  deletePeopleList: async ({ caller, params: { id } }, reply) => {
    await pack.peopleLists.remove(caller, id)
    return reply.code(204).send(null)
  },
})
