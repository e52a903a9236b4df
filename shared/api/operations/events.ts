import { deliveryPreview, deliveryPreviewBody } from '../resources/delivery-preview.ts'
import { event, eventConnection, eventDetail, eventFilter, eventReplayed, undecodable } from '../resources/event.ts'
import { byId } from '../resources/fields.ts'
import { listOf, page } from '../resources/page.ts'
import { gap, gapFilter } from '../resources/gap.ts'
import { hook, hookFilter, pruned } from '../resources/hook.ts'
import { start, startDetail, startFilter, startReplay, startsReplay, startsReplayed } from '../resources/start.ts'
import { defineOperations } from '../operation.ts'

export const eventOperations = defineOperations({
  listHooks: {
    method: 'GET',
    path: '/v1/hooks',
    tag: 'Hooks',
    summary: 'List our webhooks at providers',
    description:
      'The webhooks registered at providers for this tenant, with their state, failures and last delivery. Subscriptions that watch the same thing share one.',
    input: { query: hookFilter },
    output: { description: 'Newest first', schema: listOf(hook) },
    failures: [],
  },
  pruneHooks: {
    method: 'POST',
    path: '/v1/hooks/prune',
    tag: 'Hooks',
    summary: 'Remove all our webhooks from providers, before uninstalling',
    description:
      'Pauses the subscriptions that depend on webhooks and removes every webhook of this tenant from its provider. Run it before uninstalling. Safe to repeat.',
    output: { description: 'What was done', schema: pruned },
    failures: [],
  },
  listGaps: {
    method: 'GET',
    path: '/v1/gaps',
    tag: 'Events',
    summary: 'List periods whose events cannot be recovered',
    description:
      'Periods for which events were missed and could not be recovered from the provider, with the reason for each.',
    input: { query: gapFilter },
    output: { description: 'Newest first', schema: listOf(gap) },
    failures: [],
  },
  previewDelivery: {
    method: 'POST',
    path: '/v1/deliveries/preview',
    tag: 'Events',
    summary: 'Show what a delivery would start',
    description:
      'Decodes the body of a delivery and says for every subscription of the connection whether its events would start it, and if not, why. Nothing is stored or started. Where a match needs data from the provider, up to five reads are made if the token has the scope `subscriptions`; otherwise the result is `unknown`.',
    input: { body: deliveryPreviewBody },
    output: { description: 'Its events, with every subscription', schema: deliveryPreview },
    failures: ['not_found', 'not_connected', 'conflict'],
  },
  listEvents: {
    method: 'GET',
    path: '/v1/events',
    tag: 'Events',
    summary: 'List events',
    description: 'Events decoded from deliveries, polls and recovery, newest first, each with what it started.',
    input: { query: eventFilter },
    output: { description: 'Newest first', schema: listOf(event) },
    failures: [],
  },
  listUndecodable: {
    method: 'GET',
    path: '/v1/undecodable',
    tag: 'Events',
    summary: 'List deliveries that could not be decoded',
    description:
      'Deliveries with a valid signature whose content could not be read as an event. They start nothing. Please report them with their reason.',
    input: { query: page },
    output: { description: 'Newest first', schema: listOf(undecodable) },
    failures: [],
  },
  getEvent: {
    method: 'GET',
    path: '/v1/events/{id}',
    tag: 'Events',
    summary: 'Get an event with its payload and starts',
    description:
      'One event with the payload the provider sent, what it changed, and the starts it led to with their attempts.',
    input: { params: byId, query: eventConnection },
    output: { description: 'The event', schema: eventDetail },
    failures: ['not_found'],
  },
  replayEvent: {
    method: 'POST',
    path: '/v1/events/{id}/replay',
    tag: 'Events',
    summary: 'Send the starts of an event again, and match subscriptions that have none',
    description:
      'Calls the agents of this event again with their original start keys, so that an agent that has seen a key can ignore it. Subscriptions without a start for the event are matched again.',
    input: { params: byId, query: eventConnection },
    output: { description: 'What was done', schema: eventReplayed },
    failures: ['not_found'],
  },
  listStarts: {
    method: 'GET',
    path: '/v1/starts',
    tag: 'Starts',
    summary: 'List agent starts',
    description:
      'Agent starts, newest first, with attempts and the last response of the agent. Use state=dead to list those that were given up.',
    input: { query: startFilter },
    output: { description: 'Newest first', schema: listOf(start) },
    failures: [],
  },
  getStart: {
    method: 'GET',
    path: '/v1/starts/{id}',
    tag: 'Starts',
    summary: 'Get a start with its data',
    description: 'One agent start with its attempts and the data that was or will be sent to the agent.',
    input: { params: byId },
    output: { description: 'The start', schema: startDetail },
    failures: ['not_found'],
  },
  replayStart: {
    method: 'POST',
    path: '/v1/starts/{id}/replay',
    tag: 'Starts',
    summary: 'Send an ended start again with the same start key',
    description:
      'Sends a start that has ended once more. It keeps its start key, so that an agent that has processed it can ignore it; `force` gives it a new one.',
    input: { params: byId, body: startReplay },
    output: { description: 'The start', schema: start },
    failures: ['not_found', 'conflict'],
  },
  replayStarts: {
    method: 'POST',
    path: '/v1/starts/replay',
    tag: 'Starts',
    summary: 'Send all dead or missed starts of a subscription again',
    description: 'Sends all dead or missed starts of one subscription again, each with its original start key.',
    input: { body: startsReplay },
    output: { description: 'How many were sent again', schema: startsReplayed },
    failures: ['not_found'],
  },
  stream: {
    method: 'GET',
    path: '/v1/stream',
    tag: 'Events',
    summary: 'Stream events and changed starts as server-sent events',
    description:
      'A server-sent event stream of new events and changed starts of this tenant. It starts with what happens after the request and does not replay earlier changes.',
    output: {
      description:
        'A stream until either side ends it: "event: event" with an Event, "event: start" with a Start. After an interruption, list events and starts to find what was missed',
      content: 'text/event-stream',
    },
    failures: [],
  },
})
