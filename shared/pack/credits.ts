import { createBudgets } from '../runtime/credits/budgets.ts'
import { createLedger } from '../runtime/credits/ledger.ts'
import { createStoredResults } from '../runtime/lookups/stored-results.ts'
import { createPeopleList } from '../runtime/people/people.ts'
import type { OpenedConnections } from './connections.ts'
import type { Foundation } from './foundation.ts'
import type { OpenedSteps } from './steps.ts'

/** Opens budgets, the ledger and the stored results of lookups, as callers use them. */
export const openCredits = ({
  store,
  clock,
  registry,
  pricing,
  flush,
}: Pick<Foundation, 'store' | 'clock' | 'registry' | 'pricing' | 'flush'>) => ({
  budgets: createBudgets({
    store,
    clock,
    requireIntegration: (id) => registry.integration(id),
    tokenName: async (tenant, id) => (await store.tokens.get(tenant, id))?.name,
    flush,
  }),
  ledger: createLedger({ store, registry, clock, pricing, flush }),
  cache: createStoredResults({ store, requireIntegration: (id) => registry.integration(id) }),
})

/** Opens the list of people, with what each has and uses. */
export const openPeople = (
  { store }: Pick<Foundation, 'store'>,
  { verbs }: Pick<OpenedConnections, 'verbs'>,
  { usageOfPeople }: Pick<OpenedSteps, 'usageOfPeople'>,
  { budgets }: Pick<ReturnType<typeof openCredits>, 'budgets'>,
) => createPeopleList({ store, connections: verbs.list, budgets: budgets.list, usage: usageOfPeople })
