import { z } from '#kit'
import type { FailureCode } from '#kit'
import { id, labelFilter } from '../bounds.ts'
import { responses } from '../responses.ts'
import { given, readLabels } from '../filter.ts'
import type { Routes } from '../parts.ts'
import { pageOf } from '../paging.ts'
import { connectionLimits, connectionUsage } from '../report-schemas.ts'
import {
  app as appSchema,
  checkHeaders,
  newApp,
  connection,
  connectionChanges,
  connectStarted,
  connectRequest,
  listOf,
  newConnection,
  page,
  wireCheck,
} from '../schemas.ts'

const byId = z.object({ id })
const filter = z.strictObject({
  ...page.shape,
  integration: id.optional(),
  externalId: id.optional(),
  label: labelFilter.optional().describe('name:value; repeat it to narrow further'),
})
/** A new credential is verified at the provider. */
const verificationFailures: FailureCode[] = [
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
        summary: 'List connections',
        description: 'The connections of this tenant, without secrets. Filter by integration, external id or label.',
        querystring: filter,
        response: responses({ description: 'Newest first', schema: listOf(connection) }),
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
        response: responses(
          { status: 201, description: 'The connection; unverified if the provider has no free test', schema: connection },
          verificationFailures,
          {
            body: true,
          },
        ),
      },
    },
    async (request, reply) => {
      const created = await connections.create(request.caller, request.body)
      return reply.code(201).header('location', `/v1/connections/${created.id}`).send(created)
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
        summary: 'Start connecting an account in the browser of its owner',
        description:
          'Starts connecting an account in a browser and returns the address to open there. Use it for OAuth, or when the owner of the account should enter the secrets. With `externalId` the connection belongs to that person of your platform.',
        body: connectRequest,
        response: responses(
          { status: 201, description: 'url: a page of this server, valid once and until expiresAt', schema: connectStarted },
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
        summary: 'Get a connection',
        description: 'One connection: state, masked secrets, policy and labels.',
        params: byId,
        response: responses({ description: 'The connection', schema: connection }, ['not_found']),
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
        summary: 'Change a connection: name, policy, labels, state or secrets',
        description: 'Changes the given fields and leaves the others as they are. New secrets must belong to the same account.',
        params: byId,
        body: connectionChanges,
        response: responses({ description: 'The changed connection', schema: connection }, verificationFailures, { body: true }),
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
        summary: 'Remove a connection and its secrets',
        description: 'Removes a connection, its secrets and its webhooks at the provider. Its subscriptions are paused. This cannot be undone.',
        params: byId,
        response: responses({ status: 204, description: 'Removed' }, ['not_found']),
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
        summary: 'Test a connection with a free request',
        description: 'Sends a free request to the provider and stores the resulting `state`. If the provider has no free request, the state stays as it is.',
        params: byId,
        response: responses({ description: 'The changed connection', schema: connection }, verificationFailures),
      },
    },
    async ({ caller, params }) => connections.test(caller, params.id),
  )
}

const reportRoutes: Routes = (app, { pack: { connections } }) => {
  app.get(
    '/v1/connections/:id/limits',
    {
      config: { access: ['connections', 'read'] },
      schema: {
        operationId: 'getConnectionLimits',
        tags,
        summary: 'Get the remaining rate limits of a connection',
        description:
          'The rate limits of the provider as this process counts them for one connection, the waiting calls, and whether the provider is failing. Sends nothing to the provider.',
        params: byId,
        response: responses({ description: 'As counted by the process that answers', schema: connectionLimits }, ['not_found', 'wire_unset']),
      },
    },
    async ({ caller, params }) => connections.limits(caller, params.id),
  )
  app.get(
    '/v1/connections/:id/usage',
    {
      config: { access: ['connections', 'read'] },
      schema: {
        operationId: 'getConnectionUsage',
        tags,
        summary: 'Get what uses a connection and how its last runs ended',
        description:
          'The tokens that are bound to a connection, its newest successful run and its newest failed one. Its subscriptions: GET /v1/subscriptions?connection={id}.',
        params: byId,
        response: responses({ description: 'Tokens and last runs', schema: connectionUsage }, ['not_found']),
      },
    },
    async ({ caller, params }) => connections.usage(caller, params.id),
  )
}

const wireCheckRoutes: Routes = (app, { pack: { connections } }) => {
  app.post(
    '/v1/connections/:id/wire-check',
    {
      config: { access: ['connections'] },
      schema: {
        operationId: 'checkConnectionWire',
        tags,
        summary: 'Try the endpoints of the wire profile',
        description:
          'Tries each endpoint of the wire profile in force with its probe and says what that showed. Probes that may cost credits are sent only with spend: true, which needs a token that may run API Call; with an `Idempotency-Key`, a repeat never sends them again. An integration whose profile has no endpoints returns an empty list.',
        params: byId,
        headers: checkHeaders,
        body: z.strictObject({ spend: z.boolean().optional().describe('Also send the probes that may cost credits') }),
        response: responses({ description: 'One result per endpoint', schema: wireCheck }, ['not_found', 'not_connected', 'conflict', 'outcome_unknown'], {
          body: true,
        }),
      },
    },
    async ({ caller, params, body, headers }) => connections.wireCheck(caller, params.id, { ...body, idempotencyKey: headers['idempotency-key'] }),
  )
}

const appRoutes: Routes = (app, { pack }) => {
  const params = z.object({ integration: id })
  app.get(
    '/v1/apps/:integration',
    {
      config: { access: ['connections', 'read'] },
      schema: {
        operationId: 'getApp',
        tags: ['Apps'],
        summary: 'Get the app registered at the provider',
        description: 'The application registered at the provider for this integration: key, and the last characters of each secret.',
        params,
        response: responses({ description: 'The app; key is null if none is set', schema: appSchema }, ['not_found']),
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
        summary: 'Set the app key and secrets',
        description:
          'Stores the key and secrets of the application registered at the provider. They are used for OAuth and to verify webhook signatures. The previous secret keeps verifying deliveries unless keepPrevious is false.',
        params,
        body: newApp,
        response: responses({ description: 'The changed app', schema: appSchema }, ['not_found'], { body: true }),
      },
    },
    async (request) => pack.apps.put(request.caller, request.params.integration, request.body),
  )
}

/** Connections and apps. Secrets are never returned. */
export const connectionRoutes: Routes = (app, parts) => {
  for (const addRoutes of [collectionRoutes, authorizeRoutes, memberRoutes, reportRoutes, wireCheckRoutes, appRoutes]) addRoutes(app, parts)
}
