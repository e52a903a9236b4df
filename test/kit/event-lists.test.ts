import { describe, expect, it } from 'vitest'
import { defineEvents, defineEventTrigger, path, z } from '#kit'
import type { EventHistory, ExchangeReply, Fact, HistoryAsked, Json, ProviderRequest, WatchContext } from '#kit'

/** How far lists are read, and which of their entries count: the newest come first, two to a page. */

const channel = { kind: 'channel', id: 'c1' }
const entry = z.object({
  kind: z.string().optional(),
  id: z.string(),
  at: z.number(),
  channel: z.string().default('c1'),
})
const read = (item: unknown): (Fact & { kind?: string | undefined }) | undefined => {
  const { id, at, kind, channel } = entry.parse(item)
  return {
    id,
    at: at * 1000,
    kind,
    actor: { id: 'b1', name: 'Relay', kind: 'bot' },
    container: { kind: 'channel', id: channel },
  }
}
const listed: EventHistory = {
  of: 'channel',
  request: (_, { since }) => ({
    method: 'GET',
    path: path`/log`,
    ...(since ? { query: { since: since.getTime() / 1000 } } : {}),
  }),
  paging: { style: 'page', parameter: 'page', size: { parameter: 'size', max: 2 } },
  items: 'log',
  typeOf: (item) => (item as { kind: string }).kind,
}
const sentence = () => []
const logOf = (history: Partial<EventHistory> = {}, isDelivered = false) =>
  defineEvents<{ kind?: string | undefined }>({
    kinds: { posted: { sentence }, edited: { sentence } },
    read,
    history: { ...listed, ...history },
    recognise: ({ body }) => ({ type: (body as { kind: string }).kind, item: body }),
    ...(isDelivered ? { hooks: { retries: [] } } : {}),
  })

/** A provider that shows what happened, two entries to a page. */
const provider = (log: Json[], etagOf?: (page: Json[]) => string) => {
  const sent: ProviderRequest[] = []
  const exchange = (request: ProviderRequest): Promise<ExchangeReply> => {
    sent.push(request)
    const first = (Number(request.query?.['page'] ?? 1) - 1) * 2
    const page = log.slice(first, first + 2)
    const etag = etagOf?.(page)
    if (etag !== undefined && request.ifNoneMatch === etag)
      return Promise.resolve({ status: 304, headers: {}, body: null })
    return Promise.resolve({ status: 200, headers: etag === undefined ? {} : { etag }, body: { log: page } })
  }
  const ctx: WatchContext = {
    exchange,
    send: async (request) => (await exchange(request)).body,
    signal: new AbortController().signal,
    now: () => 0,
  }
  return { ctx, sent }
}
const at = (seconds: number, kind = 'posted'): Json => ({ id: `${kind}-${seconds}`, at: seconds, kind })
const ids = (items: { id: string }[]) => items.map(({ id }) => id)

describe('a history', () => {
  const list = (log: Json[], asked: Partial<HistoryAsked>, history?: Partial<EventHistory>) => {
    const { ctx, sent } = provider(log)
    return {
      sent,
      listing: logOf(history, true).webhooks!.history(ctx, channel, { via: 'recovery', ...asked }),
    }
  }

  it('is read until it holds as many events of the wanted types as were asked for', async () => {
    const log = [at(9), at(8), at(7), at(6, 'edited'), at(5, 'edited'), at(4)]
    const { listing, sent } = list(log, { types: ['edited'], limit: 1 })
    expect(ids((await listing)!.events)).toEqual(['edited-6'])
    expect(sent).toHaveLength(2)
  })

  it('is read no further when an entry has no readable time', async () => {
    const broken = { id: 'broken', kind: 'posted', at: 'soon' }
    const log = [at(2000), broken, at(1000), at(900), at(800)]
    const { listing, sent } = list(
      log,
      { since: { at: 1_500_000, id: 'x' } },
      {
        at: (item) => (item as { at: string }).at,
        keepsAll: false,
      },
    )
    expect(await listing).toMatchObject({ events: [{ id: 'posted-2000' }], undecodable: [broken], reached: true })
    expect(sent).toHaveLength(2)
  })
})

describe('a delivery', () => {
  const webhooks = logOf({}, true).webhooks!
  const decode = (body: Json) => webhooks.decode({ body, headers: {}, model: channel }, 'webhook')

  it('of a type that is none of the kinds is ignored', () => {
    expect(decode({ kind: 'archived', id: 7 })).toMatchObject({ events: [], ignored: expect.any(String) })
  })

  it('is stored with its type, whatever its fact has under that name', () => {
    const events = defineEvents<{ type: string }>({
      kinds: { posted: { sentence, read: () => ({ id: '1', at: 0, type: 'text' }) } },
      recognise: ({ body }) => ({ type: 'posted', item: body }),
      hooks: { retries: [] },
    })
    const [event] = events.webhooks!.decode({ body: {}, headers: {}, model: channel }, 'webhook').events
    expect(events.webhooks!.decodeStored(event!.raw, channel, 'webhook').events).toMatchObject([{ type: 'posted' }])
  })
})

describe('a poll', () => {
  const config = { channels: ['c1'], only: 'posted' }
  const polled = (history: Partial<EventHistory> = {}, on = ['posted', 'edited']) => {
    const { poll, recoverable } = defineEventTrigger(logOf(history), {
      id: 'log',
      title: 'Log',
      purpose: 'Starts on what is logged.',
      config: () => z.strictObject({ channels: z.array(z.string()), only: z.string() }),
      data: () => z.object({}),
      on,
      types: ({ only }) => [only],
      within: { kind: 'channel', field: 'channels' },
      match: () => ({}),
    })
    const [resource] = poll!.resources(config)
    return {
      resource,
      recoverable,
      fetch: (ctx: WatchContext, cursor?: string) => poll!.fetch(ctx, resource!, cursor),
      pick: (items: Parameters<NonNullable<typeof poll>['pick']>[0]) =>
        poll!.pick(items, config, { since: 0, scanned: undefined, now: 0 }),
    }
  }

  it('of a list that was short reads no further back than it had read', async () => {
    const { fetch } = polled({ conditional: true })
    const log = [at(1000)]
    const { ctx, sent } = provider(log)
    const { cursor } = await fetch(ctx)
    log.unshift(at(9000), at(8000), at(7000), at(6000), at(5000))
    const second = await fetch(ctx, cursor)
    expect(ids(second.items)).toContain('posted-5000')
    sent.length = 0
    await fetch(ctx, second.cursor)
    expect(sent).toHaveLength(1)
  })

  it('reads the last minute again, where a list is asked for since a time', async () => {
    const { fetch } = polled()
    const { ctx, sent } = provider([at(1000)])
    const { cursor } = await fetch(ctx)
    await fetch(ctx, cursor)
    expect(sent.map(({ query }) => query?.['since'])).toEqual([undefined, 940])
  })

  it('of a list in any order reads it whole, although its first page is unchanged', async () => {
    const { fetch } = polled({ conditional: true, order: 'any' })
    const log = [at(10), at(30)]
    const { ctx } = provider(log, (page) => JSON.stringify(page))
    const { cursor } = await fetch(ctx)
    log.push(at(20))
    expect(ids((await fetch(ctx, cursor)).items)).toContain('posted-20')
  })

  it('knows how far it read although the newest page holds no event', async () => {
    const noise = (seconds: number) => ({ at: seconds })
    const { fetch } = polled({ conditional: true, at: (item) => (item as { at: number }).at * 1000 })
    const { ctx, sent } = provider([noise(3000), noise(2900), at(1000), at(900), at(800)])
    const { cursor } = await fetch(ctx)
    sent.length = 0
    await fetch(ctx, cursor)
    expect(sent.length).toBeLessThanOrEqual(2)
  })

  it('finds only what is of a type that the config names', async () => {
    const { fetch, pick } = polled()
    const { items } = await fetch(provider([at(20, 'edited'), at(10)]).ctx)
    expect(pick(items)).toMatchObject([{ key: 'posted-10', type: 'posted' }])
  })

  it('gives what it cannot read, and who did what it can', async () => {
    const { fetch, pick } = polled()
    const broken = { id: 'broken', kind: 'posted' }
    const { items, undecodable } = await fetch(provider([at(20), broken]).ctx)
    expect(undecodable).toEqual([broken])
    expect(pick(items)).toMatchObject([{ key: 'posted-20', actor: { id: 'b1', name: 'Relay', kind: 'bot' } }])
  })

  it('of what the account lists finds what is in the watched containers', async () => {
    const { recoverable, fetch, pick } = polled({ of: 'account' })
    const elsewhere = { id: 'elsewhere', at: 30, kind: 'posted', channel: 'c2' }
    expect(recoverable).toBe('all')
    const { items } = await fetch(provider([elsewhere, at(20)]).ctx)
    expect(pick(items).map(({ key }) => key)).toEqual(['posted-20'])
  })

  it('is left to the history where a match needs facts, which are fetched for its events alone', () => {
    const trigger = (needs?: () => string[]) =>
      defineEventTrigger(logOf({ conditional: true }, true), {
        id: 'log',
        title: 'Log',
        purpose: 'Starts on what is logged.',
        config: () => z.strictObject({}),
        data: () => z.object({}),
        on: ['posted'],
        ...(needs ? { needs } : {}),
        match: () => ({}),
      })
    expect(trigger().poll).toBeDefined()
    expect(trigger(() => ['topic']).poll).toBeUndefined()
  })

  it('of every type reads the lists of all kinds', async () => {
    const { resource, fetch, pick } = polled({}, ['*'])
    expect(resource).toBeDefined()
    expect(pick((await fetch(provider([at(10)]).ctx)).items)).toMatchObject([{ key: 'posted-10', type: 'posted' }])
  })
})
