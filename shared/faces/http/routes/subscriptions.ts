import { z } from '#kit'
import { id } from '../bounds.ts'
import { responses, providerFailures } from '../responses.ts'
import { given, readLabels } from '../filter.ts'
import { signalClientAbort } from '../client-abort.ts'
import type { Routes } from '../parts.ts'
import { listOf, optionPage, optionsBody } from '../schemas.ts'
import {
  agentTested,
  askedAgentTest,
  newSubscription,
  onceHeader,
  recovered,
  sample,
  secretRotation,
  subscription,
  subscriptionChanges,
  subscriptionDetail,
  subscriptionFilter,
  tested,
} from '../trigger-schemas.ts'

const tags = ['Subscriptions']
const byId = z.object({ id })
const reading = { access: ['subscriptions', 'read'] as ('subscriptions' | 'read')[] }
const writing = { access: ['subscriptions'] as 'subscriptions'[] }

const optionRoutes: Routes = (app, { pack }) => {
  app.post(
    '/v1/triggers/:integration/:trigger/options',
    {
      config: { access: ['subscriptions', 'run'] },
      schema: {
        operationId: 'loadTriggerOptions',
        tags,
        summary: "Load the choices of a trigger's config field",
        description: "Loads the choices of one field of a trigger's configuration from the connected account.",
        params: z.object({ integration: id, trigger: id }),
        body: optionsBody,
        response: responses({ description: 'Choices; next if there are more', schema: optionPage }, providerFailures, { body: true }),
      },
    },
    async (request, reply) => pack.triggers.options(request.caller, { ...request.params, ...request.body, signal: signalClientAbort(reply) }),
  )
}

const collectionRoutes: Routes = (app, { pack: { subscriptions } }) => {
  app.get(
    '/v1/subscriptions',
    {
      config: reading,
      schema: {
        operationId: 'listSubscriptions',
        tags,
        summary: 'List subscriptions',
        description: 'Subscriptions of this tenant, newest first, with their state and how events are delivered.',
        querystring: subscriptionFilter,
        response: responses({ description: 'Newest first', schema: listOf(subscription) }),
      },
    },
    async ({ caller, query: { limit, cursor, label, ...asked } }) =>
      subscriptions.list(caller, { limit, cursor }, given({ ...asked, labels: readLabels(label) })),
  )
  app.post(
    '/v1/subscriptions',
    {
      config: writing,
      schema: {
        operationId: 'createSubscription',
        tags,
        summary: 'Attach a trigger to an agent',
        description:
          'Attaches a trigger to an agent. It responds once events can be received, by webhook or polling, or with the reason why they cannot. Without `agent.secret` a secret is created and returned only in this response.',
        headers: onceHeader,
        body: newSubscription,
        response: responses({ status: 201, description: 'The subscription; agent.secret is returned only here', schema: subscription }, providerFailures, {
          body: true,
        }),
      },
    },
    async (request, reply) => {
      const created = await subscriptions.create(request.caller, { ...request.body, idempotencyKey: request.headers['idempotency-key'] })
      return reply.code(201).header('location', `/v1/subscriptions/${created.id}`).send(created)
    },
  )
}

const memberRoutes: Routes = (app, { pack: { subscriptions } }) => {
  app.get(
    '/v1/subscriptions/:id',
    {
      config: reading,
      schema: {
        operationId: 'getSubscription',
        tags,
        summary: 'Get a subscription',
        description: 'One subscription with its configuration, state and delivery method, and its webhooks, last event, last start and gaps.',
        params: byId,
        response: responses({ description: 'The subscription', schema: subscriptionDetail }, ['not_found']),
      },
    },
    async ({ caller, params }) => subscriptions.get(caller, params.id),
  )
  app.patch(
    '/v1/subscriptions/:id',
    {
      config: writing,
      schema: {
        operationId: 'changeSubscription',
        tags,
        summary: 'Change, pause or resume a subscription',
        description:
          'Changes the given fields and leaves the others as they are; `config` and `options` are replaced as a whole. Set `paused` to pause or resume it.',
        params: byId,
        body: subscriptionChanges,
        response: responses({ description: 'The changed subscription', schema: subscription }, providerFailures, { body: true }),
      },
    },
    async ({ caller, params, body }) => subscriptions.patch(caller, params.id, body),
  )
  app.delete(
    '/v1/subscriptions/:id',
    {
      config: writing,
      schema: {
        operationId: 'removeSubscription',
        tags,
        summary: 'Remove a subscription',
        description:
          'Ends a subscription at once. Its agent is not called again; unused webhooks are removed from the provider in the background. Safe to repeat.',
        params: byId,
        response: responses({ status: 204, description: 'Removed' }, ['not_found']),
      },
    },
    async (request, reply) => {
      await subscriptions.remove(request.caller, request.params.id)
      return reply.code(204).send()
    },
  )
}

const verbRoutes: Routes = (app, { pack: { subscriptions } }) => {
  app.post(
    '/v1/subscriptions/:id/pause',
    {
      config: writing,
      schema: {
        operationId: 'pauseSubscription',
        tags,
        summary: 'Pause a subscription',
        description: 'Pauses a subscription. Events that happen meanwhile start nothing.',
        params: byId,
        response: responses({ description: 'The changed subscription', schema: subscription }, ['not_found']),
      },
    },
    async ({ caller, params }) => subscriptions.pause(caller, params.id),
  )
  app.post(
    '/v1/subscriptions/:id/resume',
    {
      config: writing,
      schema: {
        operationId: 'resumeSubscription',
        tags,
        summary: 'Resume a subscription',
        description:
          'Resumes a paused subscription from now on. Events from the pause start nothing. One in state `paused_agent` loses nothing: what waited is sent, and what was given up since its agent failed is sent again.',
        params: byId,
        response: responses({ description: 'The changed subscription', schema: subscription }, providerFailures),
      },
    },
    async ({ caller, params }) => subscriptions.resume(caller, params.id),
  )
  app.post(
    '/v1/subscriptions/:id/rotate-secret',
    {
      config: writing,
      schema: {
        operationId: 'rotateSubscriptionSecret',
        tags,
        summary: 'Rotate the secret that signs the starts of a subscription',
        description:
          'Replaces the secret of the agent. Until the overlap ends, each start is signed with both, so that the agent can switch without refusing a start.',
        params: byId,
        body: secretRotation,
        response: responses({ description: 'The subscription; agent.secret is returned only here', schema: subscription }, ['not_found'], { body: true }),
      },
    },
    async ({ caller, params, body }) => subscriptions.rotateSecret(caller, params.id, body),
  )
  app.post(
    '/v1/subscriptions/:id/test',
    {
      config: writing,
      schema: {
        operationId: 'testSubscription',
        tags,
        summary: 'Start the agent once with sample data',
        description: 'Calls the agent once with sample data, marked `test: true`, to check the address and the signature.',
        params: byId,
        response: responses({ description: 'The start', schema: tested }, providerFailures),
      },
    },
    async ({ caller, params }) => subscriptions.test(caller, params.id),
  )
  app.post(
    '/v1/subscriptions/:id/recover',
    {
      config: writing,
      schema: {
        operationId: 'recoverSubscription',
        tags,
        summary: 'Recover missed events now',
        description: 'Reads the history at the provider since it was last read, and starts agents for events that were missed.',
        params: byId,
        response: responses({ description: 'What was found', schema: recovered }, providerFailures),
      },
    },
    async ({ caller, params }) => subscriptions.recover(caller, params.id),
  )
  app.get(
    '/v1/subscriptions/:id/sample',
    {
      config: writing,
      schema: {
        operationId: 'sampleSubscription',
        tags,
        summary: 'Get a sample of what the agent would receive',
        description: 'Returns what the agent would receive for this subscription, from recent events or the documented example. Nothing is started.',
        params: byId,
        response: responses({ description: 'From the newest matching event, otherwise from the example', schema: sample }, providerFailures),
      },
    },
    async ({ caller, params }) => subscriptions.sample(caller, params.id),
  )
}

const agentRoutes: Routes = (app, { pack: { agents } }) => {
  app.post(
    '/v1/agents/test',
    {
      config: writing,
      schema: {
        operationId: 'testAgent',
        tags,
        summary: 'Test the address of an agent',
        description:
          'Calls an address once as a start would, to see whether an agent takes starts there: before a trigger is attached (`url`), or for a subscription. The call is signed and has no event; its `type` is `agent.test`, and `data.test` is true. An address that cannot be attached is not tested either. The agent has 30 s to answer. A tenant may run four tests at once.',
        body: askedAgentTest,
        response: responses({ description: 'What the agent answered', schema: agentTested }, ['not_found', 'unavailable'], { body: true }),
      },
    },
    async ({ caller, body }) => agents.test(caller, body),
  )
}

/** Subscriptions: triggers attached to agents. */
export const subscriptionRoutes: Routes = (app, parts) => {
  for (const addRoutes of [optionRoutes, collectionRoutes, memberRoutes, verbRoutes, agentRoutes]) addRoutes(app, parts)
}
