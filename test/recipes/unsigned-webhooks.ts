import { defineEvents, defineEventTrigger, path, say, subjectPart, valueAt, z } from '#kit'
import { recipe } from './recipe.ts'

const payment = () => z.object({ id: z.string(), status: z.string(), changed_at: z.string() })

const events = defineEvents<{ status: string }>({
  hooks: {
    retries: [60_000, 120_000, 300_000],
    register: async (ctx, { callbackUrl }) => {
      const hook = await ctx.send({ method: 'POST', path: path`/hooks`, body: { url: callbackUrl } })
      return { providerId: String(valueAt(hook, 'id')) }
    },
    repair: async (ctx, id, { callbackUrl }) => {
      await ctx.send({ method: 'PATCH', path: path`/hooks/${id}`, body: { url: callbackUrl } })
    },
    list: async () => [],
    unregister: async (ctx, { providerId }) => {
      await ctx.send({ method: 'DELETE', path: path`/hooks/${providerId}` })
    },
  },
  // The body is what was read from the provider, and not what was delivered.
  recognise: ({ body }) => ({ type: 'payment.changed', item: body }),
  kinds: {
    'payment.changed': {
      history: null,
      read(item) {
        const { id, status, changed_at: at } = payment().parse(item)
        // A payment is delivered again for each of its states.
        return { id: `${id}:${status}`, at, subject: { kind: 'payment', id }, status }
      },
      sentence: (event, names) => say`${subjectPart(event, 'A payment', names)} is ${event.status}`,
    },
  },
})

const paymentChanged = defineEventTrigger(events, {
  id: 'payment-changed',
  title: 'Payment Changed',
  purpose: 'Starts when the status of a payment changes.',
  config: () => z.strictObject({}),
  data: () => z.object({ status: z.string().meta({ description: 'Status of the payment.' }) }),
  on: ['payment.changed'],
  waits: 'a payment to change',
  match: ({ status }) => ({ status }),
})

export default recipe({
  id: 'unsigned-webhooks',
  events,
  triggers: [paymentChanged],
  wire: {
    signature: { proof: 'fetched', fetched: { id: 'id', path: '/payments/{id}' } },
    deliveries: { bodies: ['form'] },
  },
})
