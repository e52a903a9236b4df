import { z } from '#kit'
import { given } from '../filter.ts'
import { id } from '../bounds.ts'
import { responses } from '../responses.ts'
import type { Routes } from '../parts.ts'
import { budget, budgetChanges, ledgerFilter, ledgerRow, newBudget, resolution } from '../schemas-credits.ts'
import { listOf } from '../schemas.ts'

const tags = ['Credits']
const params = z.object({ id })
const read = { access: ['read' as const] }
const write = { access: ['connections' as const] }

const cacheRoutes: Routes = (app, { pack: { cache } }) => {
  app.delete(
    '/v1/cache',
    {
      config: write,
      schema: {
        operationId: 'clearCache',
        tags,
        summary: 'Remove stored results of lookups',
        description:
          'Removes the results that lookups are answered from while they are fresh: those of a connection, of an integration, or with all=true all that the token may see. A token that is bound to steps or a tool set cannot do it. The next lookups ask the provider, and may cost credits. One person is forgotten by POST /v1/privacy/erase.',
        querystring: z.strictObject({
          connection: id.optional(),
          integration: id.optional(),
          all: z.enum(['true', 'false']).optional().describe('true: all of them, where neither a connection nor an integration is given'),
        }),
        response: responses({ description: 'How many were removed', schema: z.object({ removed: z.int() }) }, ['invalid_input', 'not_found']),
      },
    },
    async ({ caller, query: { all, ...which } }) => cache.clear(caller, { ...which, all: all === 'true' }),
  )
}

const budgetRoutes: Routes = (app, { pack: { budgets } }) => {
  app.get(
    '/v1/budgets',
    {
      config: read,
      schema: {
        operationId: 'listBudgets',
        tags,
        summary: 'List budgets',
        description: 'Budgets of the tenant, its connections and its tokens, each with what is spent, reserved and left in its present period.',
        response: responses({ description: 'Oldest first', schema: z.object({ items: z.array(budget) }) }),
      },
    },
    async ({ caller }) => budgets.list(caller),
  )
  app.get(
    '/v1/budgets/:id',
    {
      config: read,
      schema: {
        operationId: 'getBudget',
        tags,
        summary: 'Get a budget',
        description: 'One budget with what is spent, reserved and left in its present period.',
        params,
        response: responses({ description: 'The budget', schema: budget }, ['not_found']),
      },
    },
    async ({ caller, params: { id } }) => budgets.get(caller, id),
  )
  app.post(
    '/v1/budgets',
    {
      config: write,
      schema: {
        operationId: 'createBudget',
        tags,
        summary: 'Create a budget',
        description:
          'A limit of credits. A run that might exceed it fails with budget_exceeded before anything is sent. What was spent in the present period before counts too. A token that is bound to steps or connections cannot create one.',
        body: newBudget,
        response: responses({ status: 201, description: 'The budget', schema: budget }, ['not_found', 'conflict'], { body: true }),
      },
    },
    async ({ caller, body }, reply) => reply.code(201).send(await budgets.create(caller, body)),
  )
  app.patch(
    '/v1/budgets/:id',
    {
      config: write,
      schema: {
        operationId: 'patchBudget',
        tags,
        summary: 'Change a budget',
        description: 'Changes the credits or the warning of a budget, for the present period too.',
        params,
        body: budgetChanges,
        response: responses({ description: 'The budget', schema: budget }, ['not_found'], { body: true }),
      },
    },
    async ({ caller, params: { id }, body }) => budgets.patch(caller, id, body),
  )
  app.delete(
    '/v1/budgets/:id',
    {
      config: write,
      schema: {
        operationId: 'removeBudget',
        tags,
        summary: 'Remove a budget',
        description: 'Removes the limit. The ledger keeps what was spent.',
        params,
        response: responses({ status: 204, description: 'Removed' }, ['not_found']),
      },
    },
    async ({ caller, params: { id } }, reply) => {
      await budgets.remove(caller, id)
      return reply.code(204).send()
    },
  )
}

const ledgerRoutes: Routes = (app, { pack: { ledger } }) => {
  app.get(
    '/v1/ledger',
    {
      config: read,
      schema: {
        operationId: 'listLedger',
        tags,
        summary: 'List the ledger of credits',
        description: 'What runs reserved, spent and released, newest first. Rows are only added.',
        querystring: ledgerFilter,
        response: responses({ description: 'Newest first', schema: listOf(ledgerRow) }),
      },
    },
    async ({ caller, query: { limit, cursor, unresolved, ...asked } }) =>
      ledger.list(caller, { limit, cursor }, { ...given(asked), ...(unresolved === 'true' ? { unresolved: true } : {}) }),
  )
  app.post(
    '/v1/ledger/:id/resolve',
    {
      config: write,
      schema: {
        operationId: 'resolveLedgerEntry',
        tags,
        summary: 'Say what a run of unknown outcome has cost',
        description:
          'Closes an entry of unknown outcome: the given credits count as spent, and the rest of what it had reserved is free again. A token that is bound to steps or connections cannot do it.',
        params,
        body: resolution,
        response: responses({ description: 'The rows of the entry', schema: z.object({ items: z.array(ledgerRow) }) }, ['not_found', 'conflict'], {
          body: true,
        }),
      },
    },
    async ({ caller, params: { id }, body }) => ledger.resolve(caller, id, body.credits),
  )
}

/** Budgets and the ledger. */
export const creditRoutes: Routes = (app, parts) => {
  cacheRoutes(app, parts)
  budgetRoutes(app, parts)
  ledgerRoutes(app, parts)
}
