import { describe, expect, it } from 'vitest'
import { fail, path } from '#kit'
import type { HistoryAsked, Model, ProviderRequest } from '#kit'
import { board, card, deliveryOf, list } from './trigger-tables.ts'
import { requestProblems } from './check-request.ts'
import { fakeContext, ids, idOf } from './fake.ts'
import { eventOf, noneEarlier, webhooks } from './starts.ts'

const hook = {
  model: { kind: 'board', id: ids.board },
  callbackUrl: 'https://tools.example/hooks/work-board/h1',
  description: 'toolyard',
  types: ['*'],
}
const row = (n: number, more: Record<string, unknown> = {}) => ({
  id: idOf(n),
  callbackURL: hook.callbackUrl,
  idModel: ids.board,
  description: 'toolyard',
  active: true,
  consecutiveFailures: 0,
  firstConsecutiveFailDate: null,
  ...more,
})
const refused = (code: Parameters<typeof fail>[0], providerMessage = '') =>
  fail(code, 'x', { providerMessage, providerStatus: 400 })
const exists = refused('rejected', 'A webhook with that callback, model, and token already exists')
const body = { callbackURL: hook.callbackUrl, idModel: ids.board, description: 'toolyard', active: true }

/** Answers in turn; an Error is thrown. */
const played = (...answers: unknown[]) => {
  const context = fakeContext((_, n) => {
    const answer = answers[n]
    if (answer instanceof Error) throw answer
    return answer
  })
  return {
    ...context,
    lines: () =>
      context.sent.map(({ method, path: at, body: sentBody }) => [
        method,
        at,
        ...(sentBody === undefined ? [] : [sentBody]),
      ]),
  }
}

describe('hooks', () => {
  it("registers one, and gives the provider's id", async () => {
    const { ctx, sent, lines } = played(row(1))
    expect(await webhooks.register(ctx, hook)).toEqual({ providerId: idOf(1) })
    expect(lines()).toEqual([['POST', '/1/webhooks', body]])
    expect(sent.flatMap(requestProblems)).toEqual([])
  })

  it('takes over the one that exists already, also when it is switched off', async () => {
    const otherHooks = [
      row(2, { callbackURL: 'https://tools.example/hooks/work-board/h2' }),
      row(3, { idModel: ids.otherBoard }),
    ]
    const alive = played(exists, [...otherHooks, row(4)])
    expect(await webhooks.register(alive.ctx, hook)).toEqual({ providerId: idOf(4) })
    expect(alive.lines().slice(1)).toEqual([['GET', '/1/tokens/{secret:token}/webhooks']])
    const asleep = played(exists, [row(4, { active: false })], row(4))
    expect(await webhooks.register(asleep.ctx, hook)).toEqual({ providerId: idOf(4) })
    expect(asleep.lines().slice(2)).toEqual([['PUT', `/1/webhooks/${idOf(4)}`, body]])
  })

  it('says why it could not: any other refusal, or one that exists and is not to be found', async () => {
    const head = refused('rejected', 'URL (https://tools.example/hooks) did not return 200 status code, got 530')
    await expect(webhooks.register(played(head).ctx, hook)).rejects.toBe(head)
    const denied = refused('access_denied', 'unauthorized board permission requested')
    await expect(webhooks.register(played(denied).ctx, hook)).rejects.toBe(denied)
    await expect(webhooks.register(played(exists, [row(2, { idModel: ids.otherBoard })]).ctx, hook)).rejects.toBe(
      exists,
    )
  })

  it('lists every hook of the token, as the board reports it', async () => {
    const { ctx, sent } = played([row(1), row(2, { active: false, consecutiveFailures: 12, description: undefined })])
    expect(await webhooks.list(ctx, [hook.model])).toEqual([
      {
        providerId: idOf(1),
        callbackUrl: hook.callbackUrl,
        model: { kind: 'board', id: ids.board },
        description: 'toolyard',
        active: true,
        failures: 0,
      },
      {
        providerId: idOf(2),
        callbackUrl: hook.callbackUrl,
        model: { kind: 'board', id: ids.board },
        description: '',
        active: false,
        failures: 12,
      },
    ])
    expect(sent.flatMap(requestProblems)).toEqual([])
    await expect(webhooks.list(played([{ id: idOf(1) }]).ctx, [hook.model])).rejects.toMatchObject({
      code: 'bad_reply',
    })
    await expect(webhooks.list(played('login').ctx, [hook.model])).rejects.toMatchObject({ code: 'bad_reply' })
  })

  it('removes one; one that is gone already is fine, one that is not ours is not', async () => {
    const { ctx, lines } = played({ _value: null })
    await webhooks.unregister(ctx, { providerId: idOf(1), model: hook.model })
    expect(lines()).toEqual([['DELETE', `/1/webhooks/${idOf(1)}`]])
    await webhooks.unregister(played(refused('not_found')).ctx, { providerId: idOf(1), model: hook.model })
    await expect(
      webhooks.unregister(played(refused('access_denied')).ctx, { providerId: idOf(1), model: hook.model }),
    ).rejects.toMatchObject({
      code: 'access_denied',
    })
  })

  it('repairs one in one request', async () => {
    const { ctx, sent, lines } = played(row(1))
    await webhooks.repair(ctx, idOf(1), hook)
    expect(lines()).toEqual([['PUT', `/1/webhooks/${idOf(1)}`, body]])
    expect(sent.flatMap(requestProblems)).toEqual([])
    await expect(webhooks.repair(played(refused('not_found')).ctx, idOf(1), hook)).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  it('no id can act as a secret in a path', () => {
    expect(path`/1/boards/${'{secret:token}'}/actions`).not.toContain('{')
    expect(() => path`/1/boards/${'../tokens/{secret:token}'}`).toThrow(/cannot be an id/)
  })
})

const noon = Date.parse('2026-03-02T12:00:00.000Z')
const iso = (ms: number) => new Date(ms).toISOString()
const madeAt = (ms: number, n = 0) =>
  Math.floor(ms / 1000)
    .toString(16)
    .padStart(8, '0') + n.toString(16).padStart(16, '0')
const comment = (ms: number, n: number, more: Record<string, unknown> = {}) => ({
  id: madeAt(ms, n),
  idMemberCreator: ids.member,
  type: 'commentCard',
  date: iso(ms),
  data: { board, card, list, text: `n${n}` },
  ...more,
})
const model: Model = { kind: 'board', id: ids.board }

/** Plays the provider: newest first, `since` with its own moment, `before` without its own item. */
const provider = (all: ReturnType<typeof comment>[]) => (request: ProviderRequest) => {
  const {
    since = '',
    before,
    limit,
    filter,
  } = request.query as { since?: string; before?: string; limit: number; filter: string }
  const isBefore = (action: { id: string; date: string }) =>
    before === undefined || (before.includes('-') ? action.date < before : action.id < before)
  const kept = all.filter(
    (action) =>
      (filter === 'all' || filter.split(',').includes(action.type)) && action.date >= since && isBefore(action),
  )
  return kept.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit)
}
const read = async (all: ReturnType<typeof comment>[], query: Partial<HistoryAsked>, of = model) => {
  const { ctx, sent } = fakeContext(provider(all))
  return { ...(await webhooks.history(ctx, of, { via: 'recovery', ...query })), sent }
}

describe('history', () => {
  it('reads everything since the mark, oldest first, as events', async () => {
    const all = [comment(noon - hour(1), 1), comment(noon, 2), comment(noon + 1000, 3)]
    const { events, newest, reached, sent, undecodable } = await read(all, { since: { id: all[1]!.id, at: noon } })
    expect(events.map(({ text, via }) => [text, via])).toEqual([
      ['n2', 'recovery'],
      ['n3', 'recovery'],
    ])
    expect(events[1]).toEqual({ ...eventOf({ action: all[2], model: { id: ids.board, prefs: {} } }), via: 'recovery' })
    expect([newest, reached, undecodable]).toEqual([{ id: all[2]!.id, at: noon + 1000 }, true, []])
    expect(sent).toHaveLength(1)
    expect(sent[0]).toMatchObject({
      method: 'GET',
      path: `/1/boards/${ids.board}/actions`,
      query: { filter: 'all', limit: 1000, since: iso(noon - 5 * 60_000) },
    })
    expect(sent.flatMap(requestProblems)).toEqual([])
  })

  it('pages to the end, however much there is', async () => {
    const all = Array.from({ length: 3456 }, (_, n) => comment(noon + n * 100, n))
    const { events, sent, newest } = await read(all, { since: { at: noon } })
    expect(events.map(({ id }) => id)).toEqual(all.map(({ id }) => id))
    expect(newest?.id).toBe(all.at(-1)!.id)
    expect(sent.map(({ query }) => query?.before)).toEqual([undefined, all[2456]!.id, all[1456]!.id, all[456]!.id])
    expect(new Set(sent.map(({ query }) => query?.since))).toEqual(new Set([iso(noon - 5 * 60_000)]))
  })

  it('a history of exactly one page is asked on, and ends', async () => {
    const { events, sent } = await read(
      Array.from({ length: 1000 }, (_, n) => comment(noon + n, n)),
      { since: { at: noon } },
    )
    expect([events.length, sent.length]).toEqual([1000, 2])
  })

  it('gives only the newest where asked for so many', async () => {
    const all = Array.from({ length: 60 }, (_, n) => comment(noon + n * 1000, n))
    const { events, sent, newest } = await read(all, { limit: 25 })
    expect(events.map(({ text }) => text)).toEqual(all.slice(-25).map(({ data }) => data.text))
    expect([sent.length, newest?.id]).toEqual([1, all.at(-1)!.id])
    expect(sent[0]!.query).not.toHaveProperty('since')
  })

  it('asks for the types wanted, without those no history has', async () => {
    const all = [comment(noon, 1), comment(noon, 2, { type: 'updateCard' })]
    const typed = await read(all, { limit: 25, types: ['commentCard', 'addLabelToCard'] })
    expect([typed.sent[0]!.query?.filter, typed.events.length]).toEqual(['commentCard', 1])
    expect((await read(all, { limit: 25, types: ['*'] })).sent[0]!.query?.filter).toBe('all')
    expect(await read(all, { limit: 25, types: ['createLabel'] })).toMatchObject({
      events: [],
      reached: true,
      sent: [],
    })
  })

  it('says when it no longer goes back to the mark', async () => {
    const since = { id: madeAt(noon, 1), at: noon }
    const cut = await read([comment(noon + hour(1), 9)], { since })
    expect([cut.reached, cut.events.length, cut.sent.length]).toEqual([false, 1, 2])
    expect(cut.sent[1]!.query).toMatchObject({ limit: 1, filter: 'all', before: iso(noon + 1) })
    expect((await read([], { since })).reached).toBe(false)
  })

  it('a marked comment that was deleted since is no gap', async () => {
    const since = { id: madeAt(noon, 1), at: noon }
    const older = await read([comment(noon - hour(30), 0), comment(noon + hour(1), 9)], { since })
    expect([older.reached, older.sent.length]).toEqual([true, 2])
    const near = await read([comment(noon - 60_000, 0), comment(noon + hour(1), 9)], { since })
    expect([near.reached, near.sent.length], 'seen in what is read again anyway').toEqual([true, 1])
  })

  it('sorts what came out of order, and keeps events of one moment apart', async () => {
    const all = [comment(noon, 3), comment(noon - 1, 7), comment(noon, 1)]
    const { ctx } = fakeContext([all])
    const { events } = await webhooks.history(ctx, model, { since: { at: noon }, via: 'poll' })
    expect(events.map(({ text, via }) => [text, via])).toEqual([
      ['n7', 'poll'],
      ['n1', 'poll'],
      ['n3', 'poll'],
    ])
  })

  it('keeps what cannot be read instead of stopping there', async () => {
    const odd = { ...comment(noon, 2), id: 'odd', date: 'soon' }
    const { ctx } = fakeContext([[comment(noon, 3), odd, comment(noon, 1)]])
    const { events, undecodable } = await webhooks.history(ctx, model, { since: { at: noon }, via: 'poll' })
    expect([events.length, undecodable]).toEqual([2, [odd]])
  })

  it('fails rather than ends early when the board repeats itself or answers no list', async () => {
    const same = Array.from({ length: 1000 }, (_, n) => comment(noon, n))
    await expect(
      webhooks.history(fakeContext(() => same).ctx, model, { since: { at: noon }, via: 'poll' }),
    ).rejects.toMatchObject({ code: 'bad_reply' })
    await expect(
      webhooks.history(fakeContext(() => 'x').ctx, model, { since: { at: noon }, via: 'poll' }),
    ).rejects.toMatchObject({ code: 'bad_reply' })
  })

  it('reads boards and workspaces; nothing else is watched', async () => {
    expect((await read([], { limit: 1 }, { kind: 'organization', id: idOf(71) })).sent[0]!.path).toBe(
      `/1/organizations/${idOf(71)}/actions`,
    )
    expect(
      await webhooks.history(fakeContext([]).ctx, { kind: 'member', id: 'me' }, { limit: 1, via: 'recovery' }),
    ).toBeUndefined()
  })
})

describe('what a match needs', () => {
  const event = eventOf(deliveryOf('addMemberToCard', { board, card, idMember: ids.member }))
  it('reads the card and its list', async () => {
    const { ctx, sent } = played({ id: ids.card, name: 'x' }, { id: ids.list, name: 'Doing', closed: false })
    expect(await webhooks.facts(ctx, event, 'card', noneEarlier)).toEqual({ id: ids.card, name: 'x' })
    expect(await webhooks.facts(ctx, event, 'list', noneEarlier)).toEqual({ id: ids.list, name: 'Doing' })
    expect(sent.map(({ path: at }) => at)).toEqual([`/1/cards/${ids.card}`, `/1/cards/${ids.card}/list`])
    expect(sent.flatMap(requestProblems)).toEqual([])
  })

  it('knows nothing of what is gone or out of sight, and fails where asking again may help', async () => {
    for (const code of ['not_found', 'access_denied'] as const)
      expect(await webhooks.facts(played(refused(code)).ctx, event, 'list', noneEarlier)).toBeUndefined()
    for (const code of ['rate_limited', 'unreachable', 'provider_failed', 'not_connected'] as const)
      await expect(webhooks.facts(played(refused(code)).ctx, event, 'list', noneEarlier)).rejects.toMatchObject({
        code,
      })
    expect(
      await webhooks.facts(played().ctx, eventOf(deliveryOf('createList', { board, list })), 'list', noneEarlier),
    ).toBeUndefined()
  })
})

function hour(n: number) {
  return n * 3_600_000
}
