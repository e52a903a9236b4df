import { actorPart, containerPart, defineEvents, once, path, quotePart, say, z } from '#kit'
import { message } from './records.ts'
import { paging } from './wire.ts'

const messageFields = once(message)
/** What the provider sends to the address of the app. */
const delivery = once(() => z.looseObject({ type: z.string(), team: z.string().optional(), event: z.unknown() }))
const challenge = once(() => z.looseObject({ type: z.literal('url_verification'), challenge: z.string() }))

/** What happens at the provider: how it is delivered, and the list that shows it. */
export const events = defineEvents<{ text: string }>({
  kinds: {
    'message.sent': {
      read(item, { delivery: delivered }) {
        const { id, channel, user, text, sent_at: at } = messageFields().parse(item)
        return {
          // Ids are unique only in a channel.
          id: `${channel} ${id}`,
          at,
          actor: { id: user },
          subject: { kind: 'message', id },
          container: { kind: 'channel', id: channel },
          account: delivered && delivery().parse(delivered.body).team,
          text,
        }
      },
      history: {
        of: 'channel',
        request: ({ id }) => ({ method: 'GET', path: path`/v1/messages`, query: { channel: id } }),
        paging,
        items: 'messages',
      },
      sentence: (event, names) =>
        say`${actorPart(event, names)} wrote in ${containerPart(event, 'a channel', names)}: ${quotePart(event.text)}`,
    },
  },
  recognise({ body }) {
    const { type, event } = delivery().parse(body)
    return type === 'ping' ? undefined : { type, item: event }
  },
  hooks: {
    // One address serves the whole app: the owner of the app enters it at the provider.
    registration: 'app',
    retries: [60_000, 300_000, 3_600_000],
    respond({ body }) {
      const request = challenge().safeParse(body)
      return request.success ? { status: 200, body: request.data.challenge } : undefined
    },
  },
})
