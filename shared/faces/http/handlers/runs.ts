import { omitUndefined, readLabels } from '../filter.ts'
import type { runOperations } from '../../../api/operations/runs.ts'
import type { UsageFilter } from '../../../api/resources/usage.ts'
import type { Handlers } from '../operations.ts'
import type { HttpDependencies } from '../parts.ts'

const spanOf = ({ days, since, until }: UsageFilter) => (since === undefined ? days : { since, until })
const sinceOf = ({ days, since }: UsageFilter, now: number) =>
  since ?? new Date(now - days * 86_400_000).toISOString().slice(0, 10)

export const runHandlers = ({ pack }: HttpDependencies): Handlers<typeof runOperations> => ({
  listRuns: async ({ caller, query: { limit, cursor, label, ...query } }) =>
    pack.runs.list(caller, { limit, cursor }, omitUndefined({ ...query, labels: readLabels(label) })),
  getRun: async ({ caller, params }) => pack.runs.get(caller, params.id),
  cancelRun: async ({ caller, params }, reply) => reply.code(202).send(await pack.runs.cancel(caller, params.id)),
  getUsage: async ({ caller, query: { by, ...filter } }) => {
    const { person } = filter
    const span = spanOf(filter)
    const [items, spent, { items: budgets }, totals] = await Promise.all([
      pack.runs.usage(caller, span, person),
      pack.ledger.spent(caller, span, person),
      pack.budgets.list(caller),
      by === undefined ? undefined : pack.runs.totals(caller, { by, span, person }),
    ])
    const isShown = ({ scope, subject }: (typeof budgets)[number]) =>
      person === undefined || (scope === 'person' && subject === person)
    return {
      since: sinceOf(filter, Date.now()),
      until: filter.until ?? null,
      ...(totals ? { totals } : {}),
      items,
      spent,
      budgets: budgets.filter(isShown),
    }
  },
  exportUsage: async ({ caller, query: { by, ...filter } }, reply) => {
    const { person } = filter
    const text = await pack.runs.exportTotals(caller, { by, span: spanOf(filter), person })
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename="usage-by-${by}.csv"`)
      .send(text)
  },
})
