import { z } from '#kit'
import { id, tenantId } from '../bounds.ts'
import { responses } from '../responses.ts'
import type { Routes } from '../parts.ts'
import { pageOf } from '../paging.ts'
import { listOf, createdToken, newTenant, newToken, page, tenant, token } from '../schemas.ts'

const viewTenant = <T extends { createdAt: number }>(row: T) => ({ ...row, createdAt: new Date(row.createdAt).toISOString() })

const tags = ['Admin']
const config = { access: ['admin' as const] }

const tenantRoutes: Routes = (app, { pack }) => {
  app.get(
    '/v1/admin/tenants',
    {
      config,
      schema: {
        operationId: 'listTenants',
        tags,
        summary: 'List tenants',
        description: 'Every tenant of this installation, newest first. Needs the scope admin.',
        querystring: page,
        response: responses({ description: 'Newest first', schema: listOf(tenant) }),
      },
    },
    async ({ query }) => pageOf((await pack.tenants.list()).map(viewTenant), query),
  )
  app.post(
    '/v1/admin/tenants',
    {
      config,
      schema: {
        operationId: 'createTenant',
        tags,
        summary: 'Add a tenant',
        description: 'Creates a tenant: a customer or team whose connections, subscriptions and runs no other tenant sees. Needs the scope admin.',
        body: newTenant,
        response: responses({ status: 201, description: 'The tenant', schema: tenant }, ['conflict'], { body: true }),
      },
    },
    async (request, reply) => reply.code(201).send(viewTenant(await pack.tenants.create(request.body, request.caller))),
  )
}

const tokenRoutes: Routes = (app, { pack }) => {
  app.get(
    '/v1/admin/tokens',
    {
      config,
      schema: {
        operationId: 'listTokens',
        tags,
        summary: 'List the tokens of a tenant',
        description: 'The tokens of a tenant without their text, including revoked ones. Needs the scope admin.',
        querystring: z.strictObject({ ...page.shape, tenant: tenantId }),
        response: responses({ description: 'Newest first', schema: listOf(token) }),
      },
    },
    async ({ query }) => pageOf(await pack.tokens.list(query.tenant), query),
  )
  app.post(
    '/v1/admin/tokens',
    {
      config,
      schema: {
        operationId: 'createToken',
        tags,
        summary: 'Create a token; its text is returned only once',
        description:
          'Creates an API token, optionally limited to scopes, steps, connections and an expiry. Its text appears only in this response. Needs the scope admin.',
        // The tenant is in the body: one in the URL, as in the other routes of tokens, is not to be ignored.
        querystring: z.strictObject({}),
        body: newToken,
        response: responses({ status: 201, description: 'The token', schema: createdToken }, ['not_found'], { body: true }),
      },
    },
    async (request, reply) => {
      const { tenant: owner, expiresAt, ...given } = request.body
      const created = await pack.tokens.create(owner, { ...given, ...(expiresAt === undefined ? {} : { expiresAt: Date.parse(expiresAt) }) }, request.caller)
      return reply.code(201).send(created)
    },
  )
  app.delete(
    '/v1/admin/tokens/:id',
    {
      config,
      schema: {
        operationId: 'revokeToken',
        tags,
        summary: 'Revoke a token',
        description: 'Revokes a token. Requests with it are refused at once. Needs the scope admin.',
        params: z.object({ id }),
        querystring: z.strictObject({ tenant: tenantId }),
        response: responses({ status: 204, description: 'Revoked' }, ['not_found']),
      },
    },
    async (request, reply) => {
      await pack.tokens.revoke(request.query.tenant, request.params.id, request.caller)
      return reply.code(204).send()
    },
  )
}

/** The operator's routes: tenants and the tokens of each. */
export const adminRoutes: Routes = (app, parts) => {
  tenantRoutes(app, parts)
  tokenRoutes(app, parts)
}
