import {
  actorPart,
  containerPart,
  defineEvents,
  fail,
  isAbsent,
  once,
  path,
  quotePart,
  readRow,
  say,
  subjectPart,
  valueAt,
  z,
} from '#kit'
import type { EventHistory, Hooks, Json } from '#kit'

/** A chat as the documents show it: messages in channels, which have a history, and stars, which have none. */

/** What a fact says beyond the fields that every fact has. */
type Message = { text: string }

const message = once(() =>
  z.object({ ts: z.string(), user: z.string(), text: z.string(), channel: z.string().optional() }),
)
const star = once(() => z.object({ id: z.string(), at: z.string(), by: z.string(), message: z.string() }))

const channelMessages: EventHistory = {
  of: 'channel',
  request: ({ id }, { since }) => ({
    method: 'GET',
    path: path`/messages`,
    query: { channel: id, ...(since ? { oldest: since.getTime() / 1000 } : {}) },
  }),
  paging: { style: 'cursor', at: 'next', parameter: 'cursor' },
  items: 'messages',
}

const hooks: Hooks = {
  retries: [60_000, 300_000],
  async register(ctx, { model, callbackUrl, types, secret = '' }) {
    const body = { url: callbackUrl, channel: model.id, types, secret }
    return { providerId: readRow(await ctx.send({ method: 'POST', path: path`/hooks`, body }), 'a webhook').id }
  },
  async unregister(ctx, { providerId }) {
    try {
      await ctx.send({ method: 'DELETE', path: path`/hooks/${providerId}` })
    } catch (thrown) {
      if (!isAbsent(thrown)) throw thrown
    }
  },
}

export const events = defineEvents<Message>({
  recognise: ({ body }) => {
    const items = valueAt(body, 'events') as Json[] | undefined
    return items?.map((item) => ({ type: valueAt(item, 'type'), item }))
  },
  kinds: {
    'message.posted': {
      read(item, { model, delivery }) {
        const { ts, user, text, channel = model.id } = message().parse(item)
        return {
          id: `${channel}:${ts}`,
          at: Number(ts) * 1000,
          position: ts,
          actor: { id: user },
          own: valueAt(item, 'bot') === true ? true : undefined,
          account: delivery && String(valueAt(delivery.body, 'team')),
          subject: { kind: 'message', id: `${channel}:${ts}` },
          container: { kind: 'channel', id: channel },
          text,
        }
      },
      history: channelMessages,
      sentence: (event, names) =>
        say`${actorPart(event, names)} wrote in ${containerPart(event, 'a channel', names)}: ${quotePart(event.text)}`,
    },
    'star.added': {
      read(item) {
        const { id, at, by, message: starred } = star().parse(item)
        return { id, at, actor: { id: by }, subject: { kind: 'message', id: starred }, text: '' }
      },
      history: null,
      whyLost: 'A message shows how many stars it has, but not when they were added.',
      sentence: (event, names) => say`${actorPart(event, names)} starred ${subjectPart(event, 'a message', names)}`,
    },
  },
  facts: {
    async topic(ctx, { container }) {
      if (!container) throw fail('bad_reply', 'The chat named no channel.')
      const reply = await ctx.send({ method: 'GET', path: path`/channels/${container.id}` })
      return valueAt(reply, 'topic')
    },
  },
  hooks,
})
