import { defineIntegration, defineTrigger, z } from '#kit'
import { readFact } from './tracker.ts'

const message = defineTrigger({
  id: 'message',
  title: 'Message',
  purpose: 'Starts on a message.',
  recoverable: 'none',
  config: z.strictObject({ repo: z.string() }),
  data: z.looseObject({ id: z.string() }),
  webhook: {
    watch: ({ repo }) => [{ kind: 'repo', id: repo }],
    types: () => ['message'],
    match: ({ id }) => ({ id }),
  },
})

/** A provider that sends the webhooks of a whole app to one address. */
export const chat = defineIntegration({
  id: 'chat',
  title: 'Chat',
  summary: 'A chat.',
  version: '0.0.1',
  maturity: 'beta',
  connections: [
    {
      id: 'token',
      title: 'Token',
      purpose: 'A token.',
      secrets: z.strictObject({ token: z.string().meta({ title: 'Token', description: 'Token.' }) }),
    },
  ],
  steps: [],
  triggers: [message],
  apiCall: { methods: ['GET'], under: '/', deny: [] },
  webhooks: {
    retries: [],
    registration: 'app',
    webhookOnly: ['message'],
    history: async () => undefined,
    decodeStored: (raw, model, via) => readFact(raw, via, model),
    decode: ({ body, model }, via) => {
      const { account, ...fact } = body as { account: string }
      const decoded = readFact(fact as never, via, model)
      return { ...decoded, events: decoded.events.map((event) => ({ ...event, account })) }
    },
  },
  wire: {
    profile: 'test',
    baseUrl: 'https://chat.example',
    auth: { token: { place: 'header', fields: { Authorization: 'Bearer {token}' } } },
    signature: { header: 'x-signature', algorithm: 'hmac-sha256', encoding: 'hex', signs: '{body}', secret: 'app' },
    reserved: [],
    pace: { limits: [], concurrency: 4 },
    timeouts: { connectMs: 500, headersMs: 2000, bodyMs: 2000, totalMs: 5000, deadlineMs: 10_000 },
    maxReplyBytes: 100_000,
    errors: [],
    assumed: {},
  },
})
