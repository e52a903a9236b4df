import { z } from '#kit'
import { id } from '../bounds.ts'
import { maxDeliveryBytes } from '../../../pack.ts'
import { responses } from '../responses.ts'
import { given, readLabels } from '../filter.ts'
import type { Routes } from '../parts.ts'
import { listOf, page } from '../schemas.ts'
import {
  deliveryPreview,
  deliveryPreviewBody,
  event,
  eventDetail,
  eventFilter,
  eventReplayed,
  gap,
  gapFilter,
  hook,
  hookFilter,
  pruned,
  start,
  startDetail,
  startFilter,
  startReplay,
  startsReplay,
  startsReplayed,
  undecodable,
} from '../trigger-schemas.ts'

const byId = z.object({ id })
const reading = { access: ['subscriptions', 'read'] as ('subscriptions' | 'read')[] }
const writing = { access: ['subscriptions'] as 'subscriptions'[] }
const newestFirst = 'Newest first'

const hookRoutes: Routes = (app, { pack }) => {
  const tags = ['Hooks']
  app.get(
    '/v1/hooks',
    {
      config: reading,
      schema: {
        operationId: 'listHooks',
        tags,
        summary: 'List our webhooks at providers',
        description:
          'The webhooks registered at providers for this tenant, with their state, failures and last delivery. Subscriptions that watch the same thing share one.',
        querystring: hookFilter,
        response: responses({ description: newestFirst, schema: listOf(hook) }),
      },
    },
    async ({ caller, query: { limit, cursor, label, ...asked } }) => pack.hooks.list(caller, { limit, cursor }, given({ ...asked, labels: readLabels(label) })),
  )
  app.post(
    '/v1/hooks/prune',
    {
      config: writing,
      schema: {
        operationId: 'pruneHooks',
        tags,
        summary: 'Remove all our webhooks from providers, before uninstalling',
        description:
          'Pauses the subscriptions that depend on webhooks and removes every webhook of this tenant from its provider. Run it before uninstalling. Safe to repeat.',
        response: responses({ description: 'What was done', schema: pruned }),
      },
    },
    async ({ caller }) => pack.hooks.prune(caller),
  )
  app.get(
    '/v1/gaps',
    {
      config: reading,
      schema: {
        operationId: 'listGaps',
        tags: ['Events'],
        summary: 'List periods whose events cannot be recovered',
        description: 'Periods for which events were missed and could not be recovered from the provider, with the reason for each.',
        querystring: gapFilter,
        response: responses({ description: newestFirst, schema: listOf(gap) }),
      },
    },
    async ({ caller, query: { limit, cursor, label, ...asked } }) => pack.gaps.list(caller, { limit, cursor }, given({ ...asked, labels: readLabels(label) })),
  )
}

const deliveryRoutes: Routes = (app, { pack: { deliveries } }) => {
  app.post(
    '/v1/deliveries/preview',
    {
      config: reading,
      // Text of a whole delivery may double in JSON.
      bodyLimit: 2 * maxDeliveryBytes,
      schema: {
        operationId: 'previewDelivery',
        tags: ['Events'],
        summary: 'Show what a delivery would start',
        description:
          'Decodes the body of a delivery and says for every subscription of the connection whether its events would start it, and if not, why. Nothing is stored or started. Where a match needs data from the provider, up to five reads are made if the token has the scope `subscriptions`; otherwise the result is `unknown`.',
        body: deliveryPreviewBody,
        response: responses({ description: 'Its events, with every subscription', schema: deliveryPreview }, ['not_found', 'not_connected', 'conflict'], {
          body: true,
        }),
      },
    },
    async ({ caller, body }) => deliveries.preview(caller, body),
  )
}

const eventRoutes: Routes = (app, { pack: { events } }) => {
  const tags = ['Events']
  const ofConnection = z.strictObject({
    connection: id.optional().describe('Id of the connection, if several received the event; absent: the last one to receive it'),
  })
  app.get(
    '/v1/events',
    {
      config: reading,
      schema: {
        operationId: 'listEvents',
        tags,
        summary: 'List events',
        description: 'Events decoded from deliveries, polls and recovery, newest first, each with what it started.',
        querystring: eventFilter(events.aliases),
        response: responses({ description: newestFirst, schema: listOf(event) }),
      },
    },
    async ({ caller, query: { limit, cursor, externalId, label, ...asked } }) =>
      events.withStarts(caller, await events.list(caller, { limit, cursor }, given(asked), given({ externalId, labels: readLabels(label) }))),
  )
  app.get(
    '/v1/undecodable',
    {
      config: reading,
      schema: {
        operationId: 'listUndecodable',
        tags,
        summary: 'List deliveries that could not be decoded',
        description: 'Deliveries with a valid signature whose content could not be read as an event. They start nothing. Please report them with their reason.',
        querystring: page,
        response: responses({ description: newestFirst, schema: listOf(undecodable) }),
      },
    },
    async ({ caller, query }) => events.undecodable(caller, query),
  )
  app.get(
    '/v1/events/:id',
    {
      config: reading,
      schema: {
        operationId: 'getEvent',
        tags,
        summary: 'Get an event with its payload and starts',
        description: 'One event with the payload the provider sent, what it changed, and the starts it led to with their attempts.',
        params: byId,
        querystring: ofConnection,
        response: responses({ description: 'The event', schema: eventDetail }, ['not_found']),
      },
    },
    async ({ caller, params, query }) => events.get(caller, params.id, query.connection),
  )
  app.post(
    '/v1/events/:id/replay',
    {
      config: writing,
      schema: {
        operationId: 'replayEvent',
        tags,
        summary: 'Send the starts of an event again, and match subscriptions that have none',
        description:
          'Calls the agents of this event again with their original start keys, so that an agent that has seen a key can ignore it. Subscriptions without a start for the event are matched again.',
        params: byId,
        querystring: ofConnection,
        response: responses({ description: 'What was done', schema: eventReplayed }, ['not_found']),
      },
    },
    async ({ caller, params, query }) => events.replay(caller, params.id, query.connection),
  )
}

const startRoutes: Routes = (app, { pack: { starts } }) => {
  const tags = ['Starts']
  app.get(
    '/v1/starts',
    {
      config: reading,
      schema: {
        operationId: 'listStarts',
        tags,
        summary: 'List agent starts',
        description: 'Agent starts, newest first, with attempts and the last response of the agent. Use state=dead to list those that were given up.',
        querystring: startFilter,
        response: responses({ description: newestFirst, schema: listOf(start) }),
      },
    },
    async ({ caller, query: { limit, cursor, label, ...asked } }) => starts.list(caller, { limit, cursor }, given({ ...asked, labels: readLabels(label) })),
  )
  app.get(
    '/v1/starts/:id',
    {
      config: reading,
      schema: {
        operationId: 'getStart',
        tags,
        summary: 'Get a start with its data',
        description: 'One agent start with its attempts and the data that was or will be sent to the agent.',
        params: byId,
        response: responses({ description: 'The start', schema: startDetail }, ['not_found']),
      },
    },
    async ({ caller, params }) => starts.get(caller, params.id),
  )
  app.post(
    '/v1/starts/:id/replay',
    {
      config: writing,
      schema: {
        operationId: 'replayStart',
        tags,
        summary: 'Send an ended start again with the same start key',
        description:
          'Sends a start that has ended once more. It keeps its start key, so that an agent that has processed it can ignore it; `force` gives it a new one.',
        params: byId,
        body: startReplay,
        response: responses({ description: 'The start', schema: start }, ['not_found', 'conflict'], { body: true }),
      },
    },
    async ({ caller, params, body }) => starts.replay(caller, params.id, { force: body?.force }),
  )
  app.post(
    '/v1/starts/replay',
    {
      config: writing,
      schema: {
        operationId: 'replayStarts',
        tags,
        summary: 'Send all dead or missed starts of a subscription again',
        description: 'Sends all dead or missed starts of one subscription again, each with its original start key.',
        body: startsReplay,
        response: responses({ description: 'How many were sent again', schema: startsReplayed }, ['not_found'], { body: true }),
      },
    },
    async ({ caller, body }) => starts.replayAll(caller, body),
  )
}

/** Hooks, gaps, events and starts. */
export const inboxRoutes: Routes = (app, parts) => {
  for (const addRoutes of [hookRoutes, deliveryRoutes, eventRoutes, startRoutes]) addRoutes(app, parts)
}
