import { describe, expect, it } from 'vitest'
import { defineEvents, defineEventTrigger, defineIntegration, sentenceText, z } from '#kit'
import type { Event, EventHistory, Events, EventWith, ExchangeReply, Json, ProviderRequest, WatchContext } from '#kit'
import { events } from './chat/events.ts'
import newMessage from './chat/new-message.ts'

/** The chat, with another history or without webhooks. */
const chatOf = (history: Partial<EventHistory> = {}, isPolled = false) => {
  const { webhooks: _, hooks, kinds, ...definition } = events
  const posted = kinds['message.posted']!
  const changed = { ...kinds, 'message.posted': { ...posted, history: { ...posted.history!, ...history } } }
  return defineEvents({ ...definition, kinds: changed, ...(isPolled ? {} : { hooks: hooks! }) })
}
type Message = { text: string }

const chat = chatOf()
const channel = { kind: 'channel', id: 'c1' }
const posted = { type: 'message.posted', ts: '100', user: 'u1', text: 'Hello', channel: 'c1' }
const decode = (items: Json) =>
  chat.webhooks!.decode(
    { body: { team: 'team_1', events: items }, headers: {}, model: { kind: 'app', id: 'chat' } },
    'webhook',
  )

/** A provider that answers each request with the next page. */
const provider = (pages: { messages: Json[]; next?: string; status?: number; etag?: string }[]) => {
  const sent: ProviderRequest[] = []
  const exchange = (request: ProviderRequest): Promise<ExchangeReply> => {
    const { status = 200, etag, ...body } = pages[sent.push(request) - 1]!
    return Promise.resolve({ status, headers: etag === undefined ? {} : { etag }, body })
  }
  const ctx: WatchContext = {
    exchange,
    send: async (request) => (await exchange(request)).body,
    signal: new AbortController().signal,
    now: () => 0,
  }
  return { ctx, sent }
}
const message = (seconds: number): Json => ({ ts: String(seconds), user: 'u1', text: `At ${seconds}` })

describe('decoding', () => {
  it('gives an event with what the fact says, and the fact as what is stored', () => {
    const { events } = decode([posted])
    expect(events).toEqual([
      {
        id: 'c1:100',
        type: 'message.posted',
        at: '1970-01-01T00:01:40.000Z',
        actor: { id: 'u1' },
        subject: { kind: 'message', id: 'c1:100' },
        container: channel,
        objects: [{ kind: 'message', id: 'c1:100' }],
        account: 'team_1',
        position: '100',
        text: 'Hello',
        model: { kind: 'app', id: 'chat' },
        models: [{ kind: 'app', id: 'chat' }, channel, { kind: 'account', id: '' }],
        via: 'webhook',
        causedByUs: 'unknown',
        raw: expect.objectContaining({ type: 'message.posted', id: 'c1:100', text: 'Hello' }),
      },
    ])
  })

  it('gives the same event from what was stored', () => {
    const [event] = decode([{ ...posted, bot: true }]).events as EventWith<Message & Event>[]
    const stored = JSON.parse(JSON.stringify(event!.raw)) as Json
    expect(event!.own).toBe(true)
    expect(chat.webhooks!.decodeStored(stored, event!.model, 'webhook').events).toEqual([event])
    expect(chat.webhooks!.decodeStored({ text: 'no type' }, channel, 'recovery').undecodable).toMatch(/no type/)
  })

  it('keeps what can be read of a batch, and says what cannot and why', () => {
    const { events, undecodable } = decode([posted, { type: 'message.posted', ts: '101', user: 'u1', channel: 'c1' }])
    expect(events.map(({ id }) => id)).toEqual(['c1:100'])
    expect(undecodable).toBe('The delivery of "message.posted" cannot be read: text is required.')
    expect(decode([{ ts: '1' }]).undecodable).toBe('The delivery does not say of which kind it is.')
    expect(decode([{ ...posted, ts: 'soon' }]).undecodable).toMatch(/The time of the event "c1:soon" is no date/)
  })

  it('ignores what nothing is recognised in', () => {
    expect(chat.webhooks!.decode({ body: 'ping', headers: {}, model: channel }, 'webhook')).toEqual({
      events: [],
      ignored: 'It reports nothing that a trigger wants.',
    })
  })
})

describe('a history', () => {
  const list = (
    pages: Parameters<typeof provider>[0],
    { since, ...asked }: { since?: number; limit?: number; types?: string[] } = {},
    history: Partial<EventHistory> = {},
  ) => {
    const { ctx, sent } = provider(pages)
    const mark = since === undefined ? {} : { since: { at: since * 1000, id: `c1:${since}`, position: String(since) } }
    return {
      sent,
      listing: chatOf(history).webhooks!.history(ctx, channel, { ...asked, ...mark, via: 'recovery' }),
    }
  }

  it('is read page by page until it goes back far enough, oldest first and each event once', async () => {
    const { sent, listing } = list(
      [
        { messages: [message(1000), message(950)], next: 'a' },
        { messages: [message(950), message(939)], next: 'b' },
      ],
      { since: 1000 },
    )
    expect(await listing).toMatchObject({
      events: [{ id: 'c1:950' }, { id: 'c1:1000' }],
      newest: { id: 'c1:1000', at: 1_000_000, position: '1000' },
      reached: true,
    })
    expect(sent.map(({ query }) => query)).toEqual([
      { channel: 'c1', oldest: 940 },
      { channel: 'c1', oldest: 940, cursor: 'a' },
    ])
  })

  it('lists the newest few', async () => {
    const { sent, listing } = list([{ messages: [message(3), message(2), message(1)], next: 'a' }], { limit: 1 })
    expect((await listing)!.events.map(({ id }) => id)).toEqual(['c1:3'])
    expect(sent).toHaveLength(1)
  })

  it('is not read for types that it does not have, and is none of another kind of thing', async () => {
    const { sent, listing } = list([], { types: ['star.added'] })
    expect(await listing).toEqual({ events: [], reached: true, undecodable: [] })
    expect(sent).toEqual([])
    expect(await chat.webhooks!.history(provider([]).ctx, { kind: 'account', id: '' }, { via: 'poll' })).toBeUndefined()
  })

  it('reads the entries whose type is one of its kinds', async () => {
    const typeOf = (entry: Json) => ((entry as { ts: string }).ts === '5' ? undefined : 'message.posted')
    const { listing } = list([{ messages: [message(6), message(5)] }], {}, { typeOf })
    expect(await listing).toMatchObject({ events: [{ id: 'c1:6' }], undecodable: [] })
  })

  it('reports entries that cannot be read', async () => {
    const { listing } = list([{ messages: [{ ts: '5' }, message(6)] }])
    expect(await listing).toMatchObject({ events: [{ id: 'c1:6' }], undecodable: [{ ts: '5' }] })
  })

  it.each([
    ['goes back to an older entry', [{ messages: [message(1020), message(980)] }], true],
    ['lacks the marked entry, but has an older one', [{ messages: [] }, { messages: [message(900)] }], true],
    ['was cut off', [{ messages: [message(1020)] }, { messages: [message(1020)] }], false],
  ])('where old entries are dropped, says whether it %s', async (_, pages, reached) => {
    expect(await list(pages, { since: 1000 }, { keepsAll: false }).listing).toMatchObject({ reached })
  })
})

/** The trigger of the documents, on another chat. */
const onMessage = (other: Events<Message>) => {
  const { id, title, purpose, within, waits, on } = newMessage
  return defineEventTrigger(other, {
    id,
    title,
    purpose,
    waits: waits!,
    on: on!,
    config: () => z.strictObject({ channels: z.array(z.string()).optional() }),
    data: () => z.object({ text: z.string() }),
    within: within as { kind: string; field: 'channels' },
    match: ({ text }) => ({ text }),
  })
}

describe('a trigger', () => {
  const trigger = newMessage
  const { webhook } = trigger
  const [event] = decode([posted]).events

  it('watches the containers of its config, or the whole account', () => {
    expect(webhook!.watch({ channels: ['c1', 'c2'] })).toEqual([channel, { kind: 'channel', id: 'c2' }])
    expect(webhook!.watch({})).toEqual([{ kind: 'account', id: '' }])
    expect(webhook!.types({})).toEqual(['message.posted'])
  })

  it('sees events of its kinds in its containers', () => {
    expect(webhook!.match(event!, { channels: ['c1'] }, {})).toEqual({ text: 'Hello' })
    expect(webhook!.match(event!, {}, {})).toEqual({ text: 'Hello' })
    expect(webhook!.match(event!, { channels: ['c2'] }, {})).toBeUndefined()
    expect(webhook!.match({ ...event!, type: 'star.added' }, {}, {})).toBeUndefined()
    expect(webhook!.match(event!, { word: 'nothing' }, {})).toBeUndefined()
  })

  it('asks its filter and for facts only of such events', () => {
    const filtered = defineEventTrigger(chat, {
      id: 'long-message',
      title: 'Long Message',
      purpose: 'Starts when somebody writes much.',
      config: () => z.strictObject({}),
      data: () => z.object({ topic: z.unknown() }),
      on: ['message.posted'],
      needs: () => ['topic'],
      filter: ({ text }) => text.length > 5,
      match: (_event, _config, { topic }) => ({ topic }),
    }).webhook!
    expect(filtered.match({ ...event!, text: 'Hello, all' } as Event, {}, { topic: 'Plans' })).toEqual({
      topic: 'Plans',
    })
    expect(filtered.match(event!, {}, {})).toBeUndefined()
    expect(filtered.needs!(event!, {})).toEqual(['topic'])
    expect(filtered.needs!({ ...event!, type: 'star.added' }, {})).toEqual([])
  })

  it('says what can be recovered', () => {
    expect(trigger).toMatchObject({ recoverable: 'all' })
    expect(trigger.webhookOnly).toBeUndefined()
    const both = { id: 'x', title: 'X', purpose: 'X.', match: () => ({}) }
    const schemas = { config: () => z.strictObject({}), data: () => z.object({}) }
    const within = { kind: 'channel', field: 'channels' as never }
    expect(
      defineEventTrigger(chat, { ...both, ...schemas, within, on: ['message.posted', 'star.added'] }),
    ).toMatchObject({
      recoverable: 'some',
      webhookOnly: ['star.added'],
    })
    expect(defineEventTrigger(chat, { ...both, ...schemas, on: ['message.posted'] })).toMatchObject({
      recoverable: 'none',
    })
  })
})

describe('why a kind is lost', () => {
  const why = { 'star.added': 'A message shows how many stars it has, but not when they were added.' }

  it('is said by the webhook source, whether it follows from the kinds or is one of its own', () => {
    expect(chat.webhooks!.whyWebhookOnly).toEqual(why)
    const { hooks: _, webhooks, ...definition } = events
    const { whyWebhookOnly: __, ...source } = webhooks!
    expect(defineEvents({ ...definition, webhooks: source }).webhooks!.whyWebhookOnly).toEqual(why)
    const { 'star.added': ___, ...kinds } = events.kinds
    expect(defineEvents({ ...definition, kinds, webhooks: source }).webhooks).toEqual(source)
  })
})

describe('polling, where there are no webhooks', () => {
  const trigger = onMessage(chatOf({ conditional: true }, true))
  const { poll } = trigger
  const config = { channels: ['c1'] }
  const [resource] = poll!.resources(config)
  const pick = (items: Awaited<ReturnType<NonNullable<typeof poll>['fetch']>>['items'], since: number) =>
    poll!.pick(items, config, { since, scanned: undefined, now: 0 })

  it('reads the newest page at first, and then as far back as it had read', async () => {
    expect(trigger.webhook).toBeUndefined()
    const { ctx, sent } = provider([
      { messages: [message(2000), message(1000)], next: 'a', etag: '"1"' },
      { messages: [], status: 304 },
      { messages: [message(4000), message(3000)], next: 'b', etag: '"2"' },
      { messages: [message(2000), message(1000)], next: 'c' },
      { messages: [message(500)], next: 'd' },
    ])
    const one = await poll!.fetch(ctx, resource!, undefined)
    expect(one.items.map(({ id }) => id)).toEqual(['c1:2000', 'c1:1000'])
    const two = await poll!.fetch(ctx, resource!, one.cursor)
    expect(two).toEqual({ items: [], cursor: one.cursor })
    const three = await poll!.fetch(ctx, resource!, two.cursor)
    expect(three.items.map(({ id }) => id)).toEqual(['c1:4000', 'c1:3000', 'c1:2000', 'c1:1000'])
    expect(sent.map(({ ifNoneMatch }) => ifNoneMatch)).toEqual([undefined, '"1"', '"1"', undefined])
  })

  it('finds what its match wants, with who did it and where', async () => {
    const { items } = await poll!.fetch(provider([{ messages: [message(20), message(10)] }]).ctx, resource!, undefined)
    expect(pick(items, 15_000)).toEqual([
      {
        key: 'c1:20',
        at: '1970-01-01T00:00:20.000Z',
        data: { text: 'At 20' },
        actor: { id: 'u1' },
        subject: { kind: 'message', id: 'c1:20' },
        container: channel,
        objects: [{ kind: 'message', id: 'c1:20' }],
      },
    ])
  })
})

describe('words', () => {
  const integration = (events: typeof chat) =>
    defineIntegration({
      id: 'chat',
      title: 'Chat',
      summary: 'Messages.',
      version: '1.0.0',
      maturity: 'beta',
      connections: [],
      steps: [],
      triggers: [onMessage(events)],
      events,
      apiCall: { methods: [], under: '/', deny: [] },
      wire: {} as never,
    })
  const { words } = integration(chat)
  const knownNames: Record<string, string> = { 'channel c1': 'General', 'person u1': 'Ada' }
  const named = ({ kind, id }: { kind: string; id: string }) => knownNames[`${kind} ${id}`]

  it('say what happened, of what was delivered and of what a poll found', () => {
    const [event] = decode([posted]).events
    expect(sentenceText(words!.describe(event!, named)!)).toBe('Ada wrote in General: “Hello”')
    const item: Event = { ...event!, type: 'new-message', model: { kind: '', id: '' }, raw: { text: 'Found' } }
    delete (item as Partial<EventWith<Message>>).text
    expect(sentenceText(words!.describe(item, named)!)).toBe('Ada wrote in General: “Found”')
  })

  it('say what a subscription waits for', () => {
    const waits = (config: Record<string, unknown>) => sentenceText(words!.waitsFor!('new-message', config, named)!)
    expect(waits({ channels: ['c1'] })).toBe('a new message in General')
    expect(waits({ channels: ['c1', 'c2', 'c3', 'c4'] })).toBe(
      'a new message in General or a channel or a channel or 1 more',
    )
    expect(waits({})).toBe('a new message in any channel')
  })

  it('list the things that an event names', () => {
    const [event] = decode([posted]).events
    expect(
      words!.namesIn!({ ...event!, actor: { id: 'u1', username: 'ada' }, container: { ...channel, name: 'General' } }),
    ).toEqual([
      { kind: 'person', id: 'u1', name: 'ada' },
      { kind: 'channel', id: 'c1', name: 'General' },
    ])
  })

  it('come with the webhooks of the kinds', () => {
    expect(integration(chat).webhooks).toBe(chat.webhooks)
    expect(integration(chatOf({}, true)).webhooks).toBeUndefined()
  })
})
