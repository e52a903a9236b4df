import { agentTested, newAgentTest } from '../resources/agent.ts'
import { agentFilter, listedAgent } from '../resources/listed-agent.ts'
import { byId, triggerPath } from '../resources/fields.ts'
import { listOf } from '../resources/page.ts'
import { optionPage, optionsBody } from '../resources/form.ts'
import { secretRotation } from '../resources/secret-rotation.ts'
import {
  newSubscription,
  onceHeader,
  recovered,
  subscription,
  subscriptionChanges,
  subscriptionDetail,
  subscriptionFilter,
  subscriptionSample,
  tested,
} from '../resources/subscription.ts'
import { defineOperations, providerFailures } from '../operation.ts'

export const subscriptionOperations = defineOperations({
  loadTriggerOptions: {
    method: 'POST',
    path: '/v1/triggers/{integration}/{trigger}/options',
    tag: 'Subscriptions',
    summary: "Load the choices of a trigger's config field",
    description: "Loads the choices of one field of a trigger's configuration from the connected account.",
    input: { params: triggerPath, body: optionsBody },
    output: { description: 'Choices; next if there are more', schema: optionPage },
    failures: providerFailures,
  },
  listSubscriptions: {
    method: 'GET',
    path: '/v1/subscriptions',
    tag: 'Subscriptions',
    summary: 'List subscriptions',
    description: 'Subscriptions of this tenant, newest first, with their state and how events are delivered.',
    input: { query: subscriptionFilter },
    output: { description: 'Newest first', schema: listOf(subscription) },
    failures: [],
  },
  createSubscription: {
    method: 'POST',
    path: '/v1/subscriptions',
    tag: 'Subscriptions',
    summary: 'Attach a trigger to an agent',
    description:
      'Attaches a trigger to an agent. It responds once events can be received, by webhook or polling, or with the reason why they cannot. Without `agent.secret` a secret is created and returned only in this response.',
    input: { headers: onceHeader, body: newSubscription },
    output: { status: 201, description: 'The subscription; agent.secret is returned only here', schema: subscription },
    failures: providerFailures,
  },
  getSubscription: {
    method: 'GET',
    path: '/v1/subscriptions/{id}',
    tag: 'Subscriptions',
    summary: 'Get a subscription',
    description:
      'One subscription with its configuration, state and delivery method, and its webhooks, last event, last start and gaps.',
    input: { params: byId },
    output: { description: 'The subscription', schema: subscriptionDetail },
    failures: ['not_found'],
  },
  changeSubscription: {
    method: 'PATCH',
    path: '/v1/subscriptions/{id}',
    tag: 'Subscriptions',
    summary: 'Change, pause or resume a subscription',
    description:
      'Changes the given fields and leaves the others as they are; `config` and `options` are replaced as a whole. Set `paused` to pause or resume it.',
    input: { params: byId, body: subscriptionChanges },
    output: { description: 'The changed subscription', schema: subscription },
    failures: providerFailures,
  },
  removeSubscription: {
    method: 'DELETE',
    path: '/v1/subscriptions/{id}',
    tag: 'Subscriptions',
    summary: 'Remove a subscription',
    description:
      'Ends a subscription at once. Its agent is not called again; unused webhooks are removed from the provider in the background. Safe to repeat.',
    input: { params: byId },
    output: { status: 204, description: 'Removed' },
    failures: ['not_found'],
  },
  pauseSubscription: {
    method: 'POST',
    path: '/v1/subscriptions/{id}/pause',
    tag: 'Subscriptions',
    summary: 'Pause a subscription',
    description: 'Pauses a subscription. Events that happen meanwhile start nothing.',
    input: { params: byId },
    output: { description: 'The changed subscription', schema: subscription },
    failures: ['not_found'],
  },
  resumeSubscription: {
    method: 'POST',
    path: '/v1/subscriptions/{id}/resume',
    tag: 'Subscriptions',
    summary: 'Resume a subscription',
    description:
      'Resumes a paused subscription from now on. Events from the pause start nothing. One in state `paused_agent` loses nothing: what waited is sent, and what was given up since its agent failed is sent again.',
    input: { params: byId },
    output: { description: 'The changed subscription', schema: subscription },
    failures: providerFailures,
  },
  rotateSubscriptionSecret: {
    method: 'POST',
    path: '/v1/subscriptions/{id}/rotate-secret',
    tag: 'Subscriptions',
    summary: 'Rotate the secret that signs the starts of a subscription',
    description:
      'Replaces the secret of the agent. Until the overlap ends, each start is signed with both, so that the agent can switch without refusing a start.',
    input: { params: byId, body: secretRotation },
    output: { description: 'The subscription; agent.secret is returned only here', schema: subscription },
    failures: ['not_found'],
  },
  testSubscription: {
    method: 'POST',
    path: '/v1/subscriptions/{id}/test',
    tag: 'Subscriptions',
    summary: 'Start the agent once with sample data',
    description: 'Calls the agent once with sample data, marked `test: true`, to check the address and the signature.',
    input: { params: byId },
    output: { description: 'The start', schema: tested },
    failures: providerFailures,
  },
  recoverSubscription: {
    method: 'POST',
    path: '/v1/subscriptions/{id}/recover',
    tag: 'Subscriptions',
    summary: 'Recover missed events now',
    description:
      'Reads the history at the provider since it was last read, and starts agents for events that were missed.',
    input: { params: byId },
    output: { description: 'What was found', schema: recovered },
    failures: providerFailures,
  },
  sampleSubscription: {
    method: 'GET',
    path: '/v1/subscriptions/{id}/sample',
    tag: 'Subscriptions',
    summary: 'Get a sample of what the agent would receive',
    description:
      'Returns what the agent would receive for this subscription, from recent events or the documented example. Nothing is started.',
    input: { params: byId },
    output: { description: 'From the newest matching event, otherwise from the example', schema: subscriptionSample },
    failures: providerFailures,
  },
  listAgents: {
    method: 'GET',
    path: '/v1/agents',
    tag: 'Subscriptions',
    summary: 'List the agents that subscriptions start',
    description:
      'Every agent that subscriptions of this tenant start, with those subscriptions, whether it takes its starts, and its last answers. Subscriptions with the same `agent.id`, otherwise with the same address, have the same agent. The newest 5,000 subscriptions are grouped.',
    input: { query: agentFilter },
    output: { description: 'Newest subscription first', schema: listOf(listedAgent) },
    failures: [],
  },
  testAgent: {
    method: 'POST',
    path: '/v1/agents/test',
    tag: 'Subscriptions',
    summary: 'Test the address of an agent',
    description:
      'Calls an address once as a start would, to see whether an agent takes starts there: before a trigger is attached (`url`), or for a subscription. The call is signed and has no event; its `type` is `agent.test`, and `data.test` is true. An address that cannot be attached is not tested either. The agent has 30 s to answer. A tenant may run four tests at once.',
    input: { body: newAgentTest },
    output: { description: 'What the agent answered', schema: agentTested },
    failures: ['not_found', 'unavailable'],
  },
})
