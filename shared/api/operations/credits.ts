import { z } from '#kit'
import { budget, budgetChanges, newBudget } from '../resources/budget.ts'
import { byId, id } from '../resources/fields.ts'
import { listOf } from '../resources/page.ts'
import { ledgerFilter, ledgerRow, resolution } from '../resources/ledger.ts'
import { defineOperations } from '../operation.ts'

export const creditOperations = defineOperations({
  clearCache: {
    method: 'DELETE',
    path: '/v1/cache',
    tag: 'Credits',
    summary: 'Remove stored results of lookups',
    description:
      'Removes the results that lookups are answered from while they are fresh: those of a connection, of an integration, or with all=true all that the token may see. A token that is bound to steps or a tool set cannot do it. The next lookups ask the provider, and may cost credits. One person is forgotten by POST /v1/privacy/erase.',
    input: {
      query: () =>
        z.strictObject({
          connection: id.optional(),
          integration: id.optional(),
          all: z
            .enum(['true', 'false'])
            .optional()
            .describe('true: all of them, where neither a connection nor an integration is given'),
        }),
    },
    output: { description: 'How many were removed', schema: () => z.object({ removed: z.int() }) },
    failures: ['invalid_input', 'not_found'],
  },
  listBudgets: {
    method: 'GET',
    path: '/v1/budgets',
    tag: 'Credits',
    summary: 'List budgets',
    description:
      'Budgets of the tenant, its connections and its tokens, each with what is spent, reserved and left in its present period.',
    output: { description: 'Oldest first', schema: () => z.object({ items: z.array(budget()) }) },
    failures: [],
  },
  getBudget: {
    method: 'GET',
    path: '/v1/budgets/{id}',
    tag: 'Credits',
    summary: 'Get a budget',
    description: 'One budget with what is spent, reserved and left in its present period.',
    input: { params: byId },
    output: { description: 'The budget', schema: budget },
    failures: ['not_found'],
  },
  createBudget: {
    method: 'POST',
    path: '/v1/budgets',
    tag: 'Credits',
    summary: 'Create a budget',
    description:
      'A limit of credits. A run that might exceed it fails with budget_exceeded before anything is sent. What was spent in the present period before counts too. A token that is bound to steps or connections cannot create one.',
    input: { body: newBudget },
    output: { status: 201, description: 'The budget', schema: budget },
    failures: ['not_found', 'conflict'],
  },
  patchBudget: {
    method: 'PATCH',
    path: '/v1/budgets/{id}',
    tag: 'Credits',
    summary: 'Change a budget',
    description: 'Changes the credits or the warning of a budget, for the present period too.',
    input: { params: byId, body: budgetChanges },
    output: { description: 'The budget', schema: budget },
    failures: ['not_found'],
  },
  removeBudget: {
    method: 'DELETE',
    path: '/v1/budgets/{id}',
    tag: 'Credits',
    summary: 'Remove a budget',
    description: 'Removes the limit. The ledger keeps what was spent.',
    input: { params: byId },
    output: { status: 204, description: 'Removed' },
    failures: ['not_found'],
  },
  listLedger: {
    method: 'GET',
    path: '/v1/ledger',
    tag: 'Credits',
    summary: 'List the ledger of credits',
    description: 'What runs reserved, spent and released, newest first. Rows are only added.',
    input: { query: ledgerFilter },
    output: { description: 'Newest first', schema: listOf(ledgerRow) },
    failures: [],
  },
  resolveLedgerEntry: {
    method: 'POST',
    path: '/v1/ledger/{id}/resolve',
    tag: 'Credits',
    summary: 'Say what a run of unknown outcome has cost',
    description:
      'Closes an entry of unknown outcome: the given credits count as spent, and the rest of what it had reserved is free again. A token that is bound to steps or connections cannot do it.',
    input: { params: byId, body: resolution },
    output: { description: 'The rows of the entry', schema: () => z.object({ items: z.array(ledgerRow()) }) },
    failures: ['not_found', 'conflict'],
  },
})
