import { defineEvents, defineEventTrigger, path, quotePart, say, valueAt, z } from '#kit'
import type { HookRequest } from '#kit'
import { recipe, tokenConnection } from './recipe.ts'

const message = () => z.object({ id: z.string(), at: z.number(), user: z.string(), text: z.string() })

/** The provider asks whether the address is ours before it delivers anything. */
const respond = ({ body }: HookRequest) => {
  const challenge = valueAt(body, 'challenge')
  return typeof challenge === 'string' ? { status: 200, body: challenge } : undefined
}

const events = defineEvents<{ text: string }>({
  hooks: { registration: 'app', retries: [60_000, 300_000], respond },
  recognise: ({ body }) => ({ type: valueAt(body, 'event.type'), item: valueAt(body, 'event') }),
  kinds: {
    message: {
      history: null,
      read(item, { delivery }) {
        const { id, at, user, text } = message().parse(item)
        // Which of our connections the event is for.
        const account = delivery && String(valueAt(delivery.body, 'team'))
        return { id, at, account, actor: { id: user }, subject: { kind: 'message', id }, text }
      },
      sentence: ({ text }) => say`Somebody wrote ${quotePart(text)}`,
    },
  },
})

const newMessage = defineEventTrigger(events, {
  id: 'new-message',
  title: 'New Message',
  purpose: 'Starts when somebody writes in the team.',
  config: () => z.strictObject({}),
  data: () => z.object({ text: z.string().meta({ description: 'The message.' }) }),
  on: ['message'],
  waits: 'a message in the team',
  match: ({ text }) => ({ text }),
})

const connection = {
  ...tokenConnection,
  test: { method: 'GET' as const, path: path`/auth.test` },
  // The account is the team, since deliveries name it; what the bot does is our own.
  identify: (reply: unknown) => ({
    accountId: String(valueAt(reply, 'team')),
    accountName: String(valueAt(reply, 'team_name')),
    ownIds: [String(valueAt(reply, 'bot'))],
  }),
}

export default recipe({
  id: 'one-address',
  connections: [connection],
  events,
  triggers: [newMessage],
  wire: {
    signature: {
      header: 'x-signature',
      algorithm: 'hmac-sha256',
      encoding: 'hex',
      prefix: 'v0=',
      signs: 'v0:{timestamp}:{body}',
      timestamp: { header: 'x-timestamp', toleranceMs: 300_000 },
      secret: 'app',
    },
  },
})
