import { z } from '#kit'
import type { FailureCode } from '#kit'
import { answers } from '../responses.ts'
import { given, readLabels } from '../filter.ts'
import type { Routes } from '../parts.ts'
import { pageOf } from '../paging.ts'
import { app as appSchema, appGiven, connection, connectionChanges, connectBegun, connectWanted, listOf, newConnection, page } from '../schemas.ts'

const byId = z.object({ id: z.string() })
const filter = z.strictObject({
  ...page.shape,
  integration: z.string().optional(),
  externalId: z.string().optional(),
  label: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe('name:value; give it several times to narrow further'),
})
/** A credential is tried out at the provider when it is given. */
const proving: FailureCode[] = [
  'conflict',
  'not_found',
  'not_connected',
  'access_denied',
  'rate_limited',
  'rejected',
  'wire_unset',
  'provider_failed',
  'bad_reply',
  'unreachable',
]

const tags = ['Connections']

const collectionRoutes: Routes = (app, { pack: { connections } }) => {
  app.get(
    '/v1/connections',
    {
      config: { access: ['connections', 'read'] },
      schema: {
        operationId: 'listConnections',
        tags,
        summary: 'Connected accounts',
        description: 'The connected accounts of this tenant, without secrets. Filter by integration, external id or label.',
        querystring: filter,
        response: answers({ description: 'Newest first', schema: listOf(connection) }),
      },
    },
    async ({ caller, query }) => {
      const { integration, externalId, label } = query
      return pageOf(await connections.list(caller, given({ integration, externalId, labels: readLabels(label) })), query)
    },
  )
  app.post(
    '/v1/connections',
    {
      config: { access: ['connections'] },
      schema: {
        operationId: 'createConnection',
        tags,
        summary: 'Connect an account by its secrets',
        description: 'Connects an account by its secrets. They are checked with a free request where the provider has one, stored sealed, and never returned.',
        body: newConnection,
        response: answers({ status: 201, description: 'The account; unverified where the provider has no free test', schema: connection }, proving, {
          body: true,
        }),
      },
    },
    async (request, reply) => {
      const made = await connections.create(request.caller, request.body)
      return reply.code(201).header('location', `/v1/connections/${made.id}`).send(made)
    },
  )
}

const authorizeRoutes: Routes = (app, { pack: { connections } }) => {
  app.post(
    '/v1/connections/authorize',
    {
      config: { access: ['connections'] },
      schema: {
        operationId: 'authorizeConnection',
        tags,
        summary: 'Begin connecting an account in the browser of the person who has it',
        description:
          'Starts connecting an account in a browser and returns the address to open there. Use it for OAuth, or when the person who owns the account should enter the secrets.',
        body: connectWanted,
        response: answers(
          { status: 201, description: 'url: our page, good once and for ten minutes', schema: connectBegun },
          ['conflict', 'not_found', 'wire_unset'],
          { body: true },
        ),
      },
    },
    async (request, reply) => reply.code(201).send(await connections.authorize(request.caller, request.body)),
  )
}

const memberRoutes: Routes = (app, { pack: { connections } }) => {
  app.get(
    '/v1/connections/:id',
    {
      config: { access: ['connections', 'read'] },
      schema: {
        operationId: 'getConnection',
        tags,
        summary: 'One account',
        description: 'One connected account: state, masked secrets, policy and labels.',
        params: byId,
        response: answers({ description: 'The account', schema: connection }, ['not_found']),
      },
    },
    async ({ caller, params }) => connections.get(caller, params.id),
  )
  app.patch(
    '/v1/connections/:id',
    {
      config: { access: ['connections'] },
      schema: {
        operationId: 'changeConnection',
        tags,
        summary: 'Rename, narrow, label, disable, or give new secrets of the same account',
        description: 'Changes the given fields and leaves the others as they are. New secrets must belong to the same account.',
        params: byId,
        body: connectionChanges,
        response: answers({ description: 'The account as it is now', schema: connection }, proving, { body: true }),
      },
    },
    async ({ caller, params, body }) => connections.patch(caller, params.id, body),
  )
  app.delete(
    '/v1/connections/:id',
    {
      config: { access: ['connections'] },
      schema: {
        operationId: 'removeConnection',
        tags,
        summary: 'Forget an account and its secrets',
        description: 'Removes a connection, its secrets and its webhooks at the provider. Its subscriptions are paused. This cannot be undone.',
        params: byId,
        response: answers({ status: 204, description: 'Forgotten' }, ['not_found']),
      },
    },
    async (request, reply) => {
      await connections.remove(request.caller, request.params.id)
      return reply.code(204).send()
    },
  )
  app.post(
    '/v1/connections/:id/test',
    {
      config: { access: ['connections'] },
      schema: {
        operationId: 'testConnection',
        tags,
        summary: 'Try the account with a request that is free; `state` tells the result',
        description: 'Sends a free request to the provider and stores the resulting state. A connection whose provider has no free request keeps its state.',
        params: byId,
        response: answers({ description: 'The account as it is now', schema: connection }, proving),
      },
    },
    async ({ caller, params }) => connections.test(caller, params.id),
  )
}

const appRoutes: Routes = (app, { pack }) => {
  const params = z.object({ integration: z.string() })
  app.get(
    '/v1/apps/:integration',
    {
      config: { access: ['connections', 'read'] },
      schema: {
        operationId: 'getApp',
        tags: ['Apps'],
        summary: 'Our registration at the provider',
        description: 'The application registered at the provider for this integration: key, and the last characters of each secret.',
        params,
        response: answers({ description: 'key null: none yet', schema: appSchema }, ['not_found']),
      },
    },
    async (request) => pack.apps.get(request.caller, request.params.integration),
  )
  app.put(
    '/v1/apps/:integration',
    {
      config: { access: ['connections'] },
      schema: {
        operationId: 'putApp',
        tags: ['Apps'],
        summary: 'Set the app key and secret; the secret before stays valid for deliveries',
        description:
          'Stores the key and secrets of the application registered at the provider. They are used for OAuth and to verify webhook signatures. The previous secret keeps verifying deliveries unless keepPrevious is false.',
        params,
        body: appGiven,
        response: answers({ description: 'As it is now', schema: appSchema }, ['not_found'], { body: true }),
      },
    },
    async (request) => pack.apps.put(request.caller, request.params.integration, request.body),
  )
}

/** Accounts and apps. Secrets go in and never come out. */
export const connectionRoutes: Routes = (app, parts) => {
  for (const addRoutes of [collectionRoutes, authorizeRoutes, memberRoutes, appRoutes]) addRoutes(app, parts)
}
