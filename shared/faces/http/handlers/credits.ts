import { omitUndefined } from '../filter.ts'
import type { creditOperations } from '../../../api/operations/credits.ts'
import type { Handlers } from '../operations.ts'
import type { HttpDependencies } from '../parts.ts'

export const creditHandlers = ({ pack }: HttpDependencies): Handlers<typeof creditOperations> => ({
  clearCache: async ({ caller, query: { all, ...which } }) =>
    pack.cache.clear(caller, { ...which, all: all === 'true' }),
  listBudgets: async ({ caller }) => pack.budgets.list(caller),
  getBudget: async ({ caller, params: { id } }) => pack.budgets.get(caller, id),
  createBudget: async ({ caller, body }, reply) => reply.code(201).send(await pack.budgets.create(caller, body)),
  patchBudget: async ({ caller, params: { id }, body }) => pack.budgets.patch(caller, id, body),
  removeBudget: async ({ caller, params: { id } }, reply) => {
    await pack.budgets.remove(caller, id)
    return reply.code(204).send()
  },
  listLedger: async ({ caller, query: { limit, cursor, unresolved, ...query } }) =>
    pack.ledger.list(
      caller,
      { limit, cursor },
      { ...omitUndefined(query), ...(unresolved === 'true' ? { unresolved: true } : {}) },
    ),
  resolveLedgerEntry: async ({ caller, params: { id }, body }) => pack.ledger.resolve(caller, id, body.credits),
})
