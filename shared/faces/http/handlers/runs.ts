import { omitUndefined, readLabels } from '../filter.ts'
import type { runOperations } from '../../../api/operations/runs.ts'
import type { Handlers } from '../operations.ts'
import type { HttpDependencies } from '../parts.ts'

export const runHandlers = ({ pack }: HttpDependencies): Handlers<typeof runOperations> => ({
  listRuns: async ({ caller, query: { limit, cursor, label, ...query } }) =>
    pack.runs.list(caller, { limit, cursor }, omitUndefined({ ...query, labels: readLabels(label) })),
  getRun: async ({ caller, params }) => pack.runs.get(caller, params.id),
  cancelRun: async ({ caller, params }, reply) => reply.code(202).send(await pack.runs.cancel(caller, params.id)),
  getUsage: async ({ caller, query: { days, person } }) => {
    const [items, spent, { items: budgets }] = await Promise.all([
      pack.runs.usage(caller, days, person),
      pack.ledger.spent(caller, days, person),
      pack.budgets.list(caller),
    ])
    const isShown = ({ scope, subject }: (typeof budgets)[number]) =>
      person === undefined || (scope === 'person' && subject === person)
    return { items, spent, budgets: budgets.filter(isShown) }
  },
})
