import { createBudgets } from '../runtime/credits/budgets.ts'
import { createLedger } from '../runtime/credits/ledger.ts'
import { createStoredResults } from '../runtime/lookups/stored-results.ts'
import type { Foundation } from './foundation.ts'

/** Opens budgets, the ledger and the stored results of lookups, as callers use them. */
export const openCredits = ({
  store,
  clock,
  registry,
  flush,
}: Pick<Foundation, 'store' | 'clock' | 'registry' | 'flush'>) => ({
  budgets: createBudgets({
    store,
    clock,
    requireIntegration: (id) => registry.integration(id),
    hasToken: async (tenant, id) => (await store.tokens.get(tenant, id)) !== undefined,
    flush,
  }),
  ledger: createLedger({ store, registry, clock, flush }),
  cache: createStoredResults({ store, requireIntegration: (id) => registry.integration(id) }),
})
