import { fail } from '#kit'
import type { privacyOperations } from '../../../api/operations/privacy.ts'
import type { Handlers } from '../operations.ts'
import type { Parts } from '../parts.ts'

export const privacyHandlers = ({ pack }: Parts): Handlers<typeof privacyOperations> => ({
  listSuppressions: async ({ caller, query: { tenant, ...page } }) => pack.suppressions.list({ ...caller, tenant }, page),
  addSuppressions: async ({ caller, body: { tenant, entries: given, source } }) => pack.suppressions.add({ ...caller, tenant }, given, source),
  removeSuppressions: async ({ caller, body: { tenant, entries: given } }) => pack.suppressions.remove({ ...caller, tenant }, given),
  removeSuppression: async ({ caller, params: { id }, query: { tenant } }, reply) => {
    if (!(await pack.suppressions.removeById({ ...caller, tenant }, id))) throw fail('not_found', 'There is no such entry in the suppression list.')
    return reply.code(204).send(null)
  },
  exportPerson: async ({ caller, body: { tenant, identifiers: given } }) => pack.privacy.export({ ...caller, tenant }, given),
  erasePerson: async ({ caller, body: { tenant, identifiers: given, suppress } }) => pack.privacy.erase({ ...caller, tenant }, given, { suppress }),
})
