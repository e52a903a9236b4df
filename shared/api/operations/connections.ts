import { z } from '#kit'
import { app, newApp } from '../resources/app.ts'
import { connectionNameFilter, connectionNames } from '../resources/connection-name.ts'
import { connectionLimits, connectionUsage } from '../resources/connection-report.ts'
import {
  connectRequest,
  connectStarted,
  connection,
  connectionChanges,
  connectionFilter,
  newConnection,
} from '../resources/connection.ts'
import { byId, integrationPath } from '../resources/fields.ts'
import { listOf } from '../resources/page.ts'
import { checkHeaders, wireCheck } from '../resources/wire-check.ts'
import { defineOperations } from '../operation.ts'

/** Failures of an operation that verifies a new credential at the provider. */
const verificationFailures = [
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
] as const

export const connectionOperations = defineOperations({
  listConnections: {
    method: 'GET',
    path: '/v1/connections',
    tag: 'Connections',
    summary: 'List connections',
    description: 'The connections of this tenant, without secrets. Filter by integration, external id or label.',
    input: { query: connectionFilter },
    output: { description: 'Newest first', schema: listOf(connection) },
    failures: [],
  },
  createConnection: {
    method: 'POST',
    path: '/v1/connections',
    tag: 'Connections',
    summary: 'Connect an account by its secrets',
    description:
      'Connects an account by its secrets. They are checked with a free request where the provider has one, stored sealed, and never returned.',
    input: { body: newConnection },
    output: {
      status: 201,
      description: 'The connection; unverified if the provider has no free test',
      schema: connection,
    },
    failures: verificationFailures,
  },
  authorizeConnection: {
    method: 'POST',
    path: '/v1/connections/authorize',
    tag: 'Connections',
    summary: 'Start connecting an account in the browser of its owner',
    description:
      'Starts connecting an account in a browser and returns the address to open there. Use it for OAuth, or when the owner of the account should enter the secrets. With `person` it becomes the account of that end user of your platform.',
    input: { body: connectRequest },
    output: {
      status: 201,
      description: 'url: a page of this server, valid once and until expiresAt',
      schema: connectStarted,
    },
    failures: ['conflict', 'not_found', 'wire_unset'],
  },
  getConnection: {
    method: 'GET',
    path: '/v1/connections/{id}',
    tag: 'Connections',
    summary: 'Get a connection',
    description: 'One connection: state, masked secrets, policy and labels.',
    input: { params: byId },
    output: { description: 'The connection', schema: connection },
    failures: ['not_found'],
  },
  changeConnection: {
    method: 'PATCH',
    path: '/v1/connections/{id}',
    tag: 'Connections',
    summary: 'Change a connection: name, policy, labels, state or secrets',
    description:
      'Changes the given fields and leaves the others as they are. New secrets must belong to the same account.',
    input: { params: byId, body: connectionChanges },
    output: { description: 'The changed connection', schema: connection },
    failures: verificationFailures,
  },
  removeConnection: {
    method: 'DELETE',
    path: '/v1/connections/{id}',
    tag: 'Connections',
    summary: 'Remove a connection and its secrets',
    description:
      'Removes a connection, its secrets and its webhooks at the provider. Its subscriptions are paused. This cannot be undone.',
    input: { params: byId },
    output: { status: 204, description: 'Removed' },
    failures: ['not_found'],
  },
  testConnection: {
    method: 'POST',
    path: '/v1/connections/{id}/test',
    tag: 'Connections',
    summary: 'Test a connection with a free request',
    description:
      'Sends a free request to the provider and stores the resulting `state`. If the provider has no free request, the state stays as it is.',
    input: { params: byId },
    output: { description: 'The changed connection', schema: connection },
    failures: verificationFailures,
  },
  getConnectionLimits: {
    method: 'GET',
    path: '/v1/connections/{id}/limits',
    tag: 'Connections',
    summary: 'Get the remaining rate limits of a connection',
    description:
      'The rate limits of the provider as this process counts them for one connection, the waiting calls, and whether the provider is failing. Sends nothing to the provider.',
    input: { params: byId },
    output: { description: 'As counted by the process that answers', schema: connectionLimits },
    failures: ['not_found', 'wire_unset'],
  },
  getConnectionUsage: {
    method: 'GET',
    path: '/v1/connections/{id}/usage',
    tag: 'Connections',
    summary: 'Get what uses a connection and how its last runs ended',
    description:
      'The tokens that are bound to a connection, its newest successful run and its newest failed one. Its subscriptions: GET /v1/subscriptions?connection={id}.',
    input: { params: byId },
    output: { description: 'Tokens and last runs', schema: connectionUsage },
    failures: ['not_found'],
  },
  listConnectionNames: {
    method: 'GET',
    path: '/v1/connections/{id}/names',
    tag: 'Connections',
    summary: 'Find things of a connection by name',
    description:
      'What things of a connection are called, as learned from its events, runs and choices: at most 10,000, each for 30 days after it was last seen. For filters by name. Sends nothing to the provider.',
    input: { params: byId, query: connectionNameFilter },
    output: { description: 'Newest first', schema: connectionNames },
    failures: ['not_found'],
  },
  checkConnectionWire: {
    method: 'POST',
    path: '/v1/connections/{id}/wire-check',
    tag: 'Connections',
    summary: 'Try the endpoints of the wire profile',
    description:
      'Tries each endpoint of the wire profile in force with its probe and says what that showed. Probes that may cost credits are sent only with spend: true, which needs a token that may run API Call; with an `Idempotency-Key`, a repeat never sends them again. An integration whose profile has no endpoints returns an empty list.',
    input: {
      params: byId,
      headers: checkHeaders,
      body: () =>
        z.strictObject({ spend: z.boolean().optional().describe('Also send the probes that may cost credits') }),
    },
    output: { description: 'One result per endpoint', schema: wireCheck },
    failures: ['not_found', 'not_connected', 'conflict', 'outcome_unknown'],
  },
  getApp: {
    method: 'GET',
    path: '/v1/apps/{integration}',
    tag: 'Apps',
    summary: 'Get the app registered at the provider',
    description:
      'The application registered at the provider for this integration: key, and the last characters of each secret.',
    input: { params: integrationPath },
    output: { description: 'The app; key is null if none is set', schema: app },
    failures: ['not_found'],
  },
  putApp: {
    method: 'PUT',
    path: '/v1/apps/{integration}',
    tag: 'Apps',
    summary: 'Set the app key and secrets',
    description:
      'Stores the key and secrets of the application registered at the provider. They are used for OAuth and to verify webhook signatures. The previous secret keeps verifying deliveries unless keepPrevious is false.',
    input: { params: integrationPath, body: newApp },
    output: { description: 'The changed app', schema: app },
    failures: ['not_found'],
  },
})
