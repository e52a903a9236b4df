import { fail } from '#kit'
import type { privacyOperations } from '../../../api/operations/privacy.ts'
import type { Handlers } from '../operations.ts'
import type { HttpDependencies } from '../parts.ts'

export const privacyHandlers = ({ pack }: HttpDependencies): Handlers<typeof privacyOperations> => ({
  listSuppressions: async ({ caller, query: { tenant, ...page } }) =>
    pack.suppressions.list({ ...caller, tenant }, page),
  addSuppressions: async ({ caller, body: { tenant, entries: personIdentifiers, source } }) =>
    pack.suppressions.add({ ...caller, tenant }, personIdentifiers, source),
  removeSuppressions: async ({ caller, body: { tenant, entries: personIdentifiers } }) =>
    pack.suppressions.remove({ ...caller, tenant }, personIdentifiers),
  removeSuppression: async ({ caller, params: { id }, query: { tenant } }, reply) => {
    if (!(await pack.suppressions.removeById({ ...caller, tenant }, id)))
      throw fail('not_found', 'There is no such entry in the suppression list.')
    return reply.code(204).send(null)
  },
  exportPerson: async ({ caller, body: { tenant, identifiers: personIdentifiers } }) =>
    pack.privacy.export({ ...caller, tenant }, personIdentifiers),
  erasePerson: async ({ caller, body: { tenant, identifiers: personIdentifiers, suppress } }) =>
    pack.privacy.erase({ ...caller, tenant }, personIdentifiers, { suppress }),
})
