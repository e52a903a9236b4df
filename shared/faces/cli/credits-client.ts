import type { BudgetChanges, BudgetView, NewBudget } from '../../runtime/credits/budgets.ts'
import type { LedgerAsked, LedgerView } from '../../runtime/credits/ledger.ts'
import type { ClearCache } from '../../runtime/lookups/stored-results.ts'
import type { Listed } from '../../runtime/ports/index.ts'
import type { Ask } from './request.ts'
import { query } from './trigger-client.ts'
import type { Paging } from './trigger-client.ts'

/** The verbs about budgets and the ledger. All throw Failure. */
export const creditVerbs = (ask: Ask) => {
  const at = (...parts: string[]) => ['v1', ...parts.map(encodeURIComponent)].join('/')
  return {
    budgets: async (): Promise<BudgetView[]> => (await ask<{ items: BudgetView[] }>(at('budgets'))).items,
    addBudget: (budget: NewBudget): Promise<BudgetView> => ask(at('budgets'), { method: 'post', json: budget }),
    changeBudget: (id: string, changes: BudgetChanges): Promise<BudgetView> => ask(at('budgets', id), { method: 'patch', json: changes }),
    removeBudget: (id: string): Promise<void> => ask(at('budgets', id), { method: 'delete' }),
    clearCache: (which: ClearCache): Promise<{ removed: number }> =>
      ask(at('cache'), { method: 'delete', ...query({ ...which, ...(which.all ? { all: 'true' } : { all: undefined }) }) }),
    ledger: (page: Paging, { unresolved, ...filter }: LedgerAsked): Promise<Listed<LedgerView>> =>
      ask(at('ledger'), query({ ...page, ...filter, ...(unresolved ? { unresolved: 'true' } : {}) })),
    resolve: async (entry: string, credits: number): Promise<LedgerView[]> =>
      (await ask<{ items: LedgerView[] }>(at('ledger', entry, 'resolve'), { method: 'post', json: { credits } })).items,
  }
}
export type CreditVerbs = ReturnType<typeof creditVerbs>
