import { z } from '#kit'
import { answers, providerFailures } from '../responses.ts'
import { given, readLabels } from '../filter.ts'
import { signalClientAbort } from '../client-abort.ts'
import type { Routes } from '../parts.ts'
import { listOf, optionPage, optionsBody } from '../schemas.ts'
import { newSubscription, onceHeader, recovered, sample, subscription, subscriptionChanges, subscriptionFilter, tested } from '../trigger-schemas.ts'

const tags = ['Subscriptions']
const byId = z.object({ id: z.string() })
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
        summary: "The choices of a field of a trigger's config, from the connected account",
        description: "Loads the choices of one field of a trigger's configuration from the connected account.",
        params: z.object({ integration: z.string(), trigger: z.string() }),
        body: optionsBody,
        response: answers({ description: 'Choices; next while there are more', schema: optionPage }, providerFailures, { body: true }),
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
        summary: 'Triggers attached to agents',
        description: 'Subscriptions of this tenant, newest first, with their state and how events are delivered.',
        querystring: subscriptionFilter,
        response: answers({ description: 'Newest first', schema: listOf(subscription) }),
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
        summary: 'Attach a trigger to an agent; answers when the provider will tell of events, or says why it will not',
        description:
          'Attaches a trigger to an agent. The answer comes once events can arrive, by webhook or polling. When no `agent.secret` is given one is created, and shown only in this answer.',
        headers: onceHeader,
        body: newSubscription,
        response: answers({ status: 201, description: 'The subscription; agent.secret is shown this once', schema: subscription }, providerFailures, {
          body: true,
        }),
      },
    },
    async (request, reply) => {
      const made = await subscriptions.create(request.caller, { ...request.body, idempotencyKey: request.headers['idempotency-key'] })
      return reply.code(201).header('location', `/v1/subscriptions/${made.id}`).send(made)
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
        summary: 'One subscription',
        description: 'One subscription with its configuration, state and delivery method.',
        params: byId,
        response: answers({ description: 'The subscription', schema: subscription }, ['not_found']),
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
        summary: 'Change what it watches, its agent, options or marks; pause it or let it go on',
        description:
          'Changes the given fields and leaves the others as they are; `config` and `options` are replaced as a whole. Set `paused` to pause or resume it.',
        params: byId,
        body: subscriptionChanges,
        response: answers({ description: 'As it is now', schema: subscription }, providerFailures, { body: true }),
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
        summary: 'Detach it at once; safe to repeat, and does not wait for the provider',
        description: 'Ends a subscription. Its agent is not called again; unused webhooks are removed from the provider in the background.',
        params: byId,
        response: answers({ status: 204, description: 'Detached' }, ['not_found']),
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
        summary: 'Start nothing until it is resumed',
        description: 'Pauses a subscription. Events that happen meanwhile start nothing.',
        params: byId,
        response: answers({ description: 'As it is now', schema: subscription }, ['not_found']),
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
        summary: 'Go on from now; what happened while it was paused starts nothing',
        description: 'Resumes a paused subscription from now on. Events from the pause start nothing.',
        params: byId,
        response: answers({ description: 'As it is now', schema: subscription }, providerFailures),
      },
    },
    async ({ caller, params }) => subscriptions.resume(caller, params.id),
  )
  app.post(
    '/v1/subscriptions/:id/test',
    {
      config: writing,
      schema: {
        operationId: 'testSubscription',
        tags,
        summary: 'Start the agent once with a sample, marked as a test',
        description: 'Calls the agent once with sample data, marked `test: true`, to check the address and the signature.',
        params: byId,
        response: answers({ description: 'The start that was made', schema: tested }, providerFailures),
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
        summary: 'List what happened at the provider since it was last listed, right now',
        description: 'Reads what happened at the provider since it was last listed, and starts agents for events that were missed.',
        params: byId,
        response: answers({ description: 'What was found', schema: recovered }, providerFailures),
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
        summary: 'What the agent would get, without waiting for an event',
        description: 'Returns what the agent would receive for this subscription, from recent events or the documented example. Nothing is started.',
        params: byId,
        response: answers({ description: 'Of the newest event that fits, else of the example', schema: sample }, providerFailures),
      },
    },
    async ({ caller, params }) => subscriptions.sample(caller, params.id),
  )
}

/** Triggers attached to agents. */
export const subscriptionRoutes: Routes = (app, parts) => {
  for (const addRoutes of [optionRoutes, collectionRoutes, memberRoutes, verbRoutes]) addRoutes(app, parts)
}
