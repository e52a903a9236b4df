import { omitUndefined, readLabels } from '../filter.ts'
import { signalClientAbort } from '../client-abort.ts'
import type { subscriptionOperations } from '../../../api/operations/subscriptions.ts'
import type { Handlers } from '../operations.ts'
import type { HttpDependencies } from '../parts.ts'

export const subscriptionHandlers = ({ pack }: HttpDependencies): Handlers<typeof subscriptionOperations> => ({
  loadTriggerOptions: async (request, reply) =>
    pack.triggers.options(request.caller, { ...request.params, ...request.body, signal: signalClientAbort(reply) }),
  listSubscriptions: async ({ caller, query: { limit, cursor, label, ...query } }) =>
    pack.subscriptions.list(caller, { limit, cursor }, omitUndefined({ ...query, labels: readLabels(label) })),
  createSubscription: async (request, reply) => {
    const created = await pack.subscriptions.create(request.caller, {
      ...request.body,
      idempotencyKey: request.headers['idempotency-key'],
    })
    return reply.code(201).header('location', `/v1/subscriptions/${created.id}`).send(created)
  },
  getSubscription: async ({ caller, params }) => pack.subscriptions.get(caller, params.id),
  changeSubscription: async ({ caller, params, body }) => pack.subscriptions.patch(caller, params.id, body),
  removeSubscription: async (request, reply) => {
    await pack.subscriptions.remove(request.caller, request.params.id)
    return reply.code(204).send()
  },
  pauseSubscription: async ({ caller, params }) => pack.subscriptions.pause(caller, params.id),
  resumeSubscription: async ({ caller, params }) => pack.subscriptions.resume(caller, params.id),
  rotateSubscriptionSecret: async ({ caller, params, body }) =>
    pack.subscriptions.rotateSecret(caller, params.id, body),
  testSubscription: async ({ caller, params }) => pack.subscriptions.test(caller, params.id),
  recoverSubscription: async ({ caller, params }) => pack.subscriptions.recover(caller, params.id),
  sampleSubscription: async ({ caller, params }) => pack.subscriptions.sample(caller, params.id),
  listAgents: async ({ caller, query: { limit, cursor, label, ...query } }) =>
    pack.agents.list(caller, { limit, cursor }, omitUndefined({ ...query, labels: readLabels(label) })),
  testAgent: async ({ caller, body }) => pack.agents.test(caller, body),
})
