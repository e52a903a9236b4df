import type { peopleOperations } from '../../../api/operations/people.ts'
import type { Handlers } from '../operations.ts'
import type { HttpDependencies } from '../parts.ts'

export const peopleHandlers = ({ pack }: HttpDependencies): Handlers<typeof peopleOperations> => ({
  listPeople: ({ caller, query: { limit, cursor } }) => pack.people.list(caller, { limit, cursor }),
  getPerson: ({ caller, params: { id } }) => pack.people.get(caller, id),
})
