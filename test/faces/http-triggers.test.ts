import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkedAsk } from '../api/answers.ts'
import type { CheckedAsk } from '../api/answers.ts'
import { findIds } from '../sandbox/board-client.ts'
import type { Found } from '../sandbox/board-client.ts'
import { startAgent, until } from '../support/agent-world.ts'
import type { AgentServer } from '../support/agent-world.ts'
import { clockWithoutRounds } from '../support/clock.ts'
import { openHttpWorld } from '../support/http-world.ts'
import type { Ask, HttpWorld } from '../support/http-world.ts'

let agent: AgentServer
let face: HttpWorld
let ids: Found
let address: string
let check: CheckedAsk
beforeAll(async () => {
  agent = await startAgent()
  // A round of maintenance reads the history of a board that has a hook since the last one.
  const clock = clockWithoutRounds(10_000)
  face = await openHttpWorld({ agentOrigins: [agent.origin], scanMs: 300, clock })
  address = await face.http.listen({ host: '127.0.0.1', port: 0 })
  await face.pack.start()
  ids = findIds(face.sandbox.board)
  check = checkedAsk(face)
  const { key, appSecret } = face.sandbox.board.credentials
  await check('/v1/apps/work-board', { method: 'PUT', body: { key, secret: appSecret } })
})
afterAll(async () => {
  await face.close()
  await agent.close()
})

const by = 'odettequill'
const at = (path: string) => agent.taken.filter((delivery) => delivery.path === path)
/** The board's clock has milliseconds; something attached in one must not be told of the same. */
const tick = () => new Promise((resolve) => setTimeout(resolve, 5))
const attach = async (path: string, trigger: string, config: object, more: object = {}) => {
  const made = await check('/v1/subscriptions', {
    body: {
      integration: 'work-board',
      trigger,
      config,
      agent: { id: `agent of ${path}`, url: agent.origin + path },
      ...more,
    },
  })
  expect(made.status, made.text).toBe(201)
  agent.secrets.set(path, made.json.agent.secret)
  await tick()
  return made.json as { id: string; createdAt: string; agent: { secret: string } }
}

describe('a trigger over HTTP', () => {
  it('is chosen by lists, attached, fires a signed start, is paused, resumed and detached', async () => {
    const boards = await check('/v1/triggers/work-board/card-moved/options', { body: { field: 'boards' } })
    expect(boards.json.options.map(({ label }: { label: string }) => label)).toContain('Launch plan')
    const lists = await check('/v1/triggers/work-board/card-moved/options', {
      body: { field: 'toLists', values: { boards: [ids.board] } },
    })
    const done = lists.json.options.find(({ label }: { label: string }) => /Done/.test(label)).value
    expect(done).toBe(ids.list('Done'))

    const { control } = face.sandbox.board
    const { id: idCard } = control.createCard({ by, idList: ids.list('Ideas'), name: 'Travelling' })
    await tick()
    const made = await attach(
      '/moved',
      'card-moved',
      { boards: [ids.board], toLists: [done] },
      { externalId: 'flow-1', labels: { team: 'blue' } },
    )
    expect(made).toMatchObject({
      state: 'active',
      delivery: 'webhook',
      stateReason: null,
      externalId: 'flow-1',
      agent: { secret: expect.stringMatching(/^whsec_/) },
    })
    const subscriptionUrl = `/v1/subscriptions/${made.id}`
    const read = await check(subscriptionUrl)
    const hooks = await check('/v1/hooks')
    expect(read.json).toEqual({
      ...made,
      agent: { id: 'agent of /moved', url: `${agent.origin}/moved` },
      hooks: hooks.json.items,
      lastEventAt: null,
      lastStartAt: null,
      gaps: 0,
    })
    expect(read.text).not.toContain(made.agent.secret)
    expect(hooks.json.items).toMatchObject([
      {
        model: `board:${ids.board}`,
        state: 'active',
        callbackUrl: `${address}/hooks/work-board/${hooks.json.items[0].id}`,
      },
    ])

    const move = (list: string) => control.moveCard({ by, idCard, idList: ids.list(list) })
    move('Review')
    move('Done')
    await until('the start', () => at('/moved').length === 1)
    const [taken] = at('/moved')
    expect(taken).toMatchObject({
      genuine: true,
      start: {
        type: 'work-board.card-moved',
        data: {
          subscription: made.id,
          agent: 'agent of /moved',
          causedByUs: false,
          untrusted: ['/event', '/summary'],
          event: { to: { list: { id: done } } },
        },
      },
    })

    await until(
      'its end',
      async () => (await check(`/v1/starts?subscription=${made.id}&state=done`)).json.items.length === 1,
    )
    const start = await check(`/v1/starts/${taken!.id}`)
    expect(start.json).toMatchObject({
      id: taken!.id,
      state: 'done',
      attempts: 1,
      answer: { status: 200 },
      answers: [{ status: 200, nextAt: null }],
      data: { to: { list: { id: done } } },
    })
    const event = await check(`/v1/events/${taken!.start.data.id}`)
    expect(event.json).toMatchObject({
      type: 'updateCard',
      via: 'webhook',
      board: ids.board,
      card: idCard,
      raw: { type: 'updateCard' },
      before: { idList: ids.list('Review') },
      after: { idList: done },
      starts: [{ id: taken!.id, answers: [{ status: 200 }] }],
    })
    await until(
      'the move nobody waited for',
      async () => (await face.ask(`/v1/events?card=${idCard}`)).json.items.length === 2,
    )
    const events = await check(`/v1/events?card=${idCard}&limit=1`)
    expect([events.json.items.length, typeof events.json.next]).toEqual([1, 'string'])
    const nextPage = await check(`/v1/events?card=${idCard}&cursor=${events.json.next}`)
    const listed = [...events.json.items, ...nextPage.json.items] as { id: string; starts: unknown[] }[]
    expect(listed.map(({ id, starts }) => [id === taken!.start.data.id, starts])).toEqual([
      [true, [{ id: taken!.id, subscription: made.id, state: 'done' }]],
      [false, []],
    ])
    expect(nextPage.json.items.map(({ id }: { id: string }) => id)).not.toContain(events.json.items[0].id)

    const paused = await check(`${subscriptionUrl}/pause`, { method: 'POST' })
    expect(paused.json).toMatchObject({ state: 'paused', stateReason: 'It was paused by hand.' })
    expect(
      (await check('/v1/subscriptions?state=paused&label=team:blue&externalId=flow-1')).json.items.map(
        ({ id }: { id: string }) => id,
      ),
    ).toEqual([made.id])
    expect((await check('/v1/subscriptions?state=active')).json.items).toEqual([])
    move('Review')
    move('Done')
    await until('both events', async () => (await face.ask(`/v1/events?card=${idCard}`)).json.items.length >= 4)
    expect((await check(`${subscriptionUrl}/resume`, { method: 'POST' })).json).toMatchObject({
      state: 'active',
    })
    await tick()
    move('Ideas')
    expect(
      (
        await check(subscriptionUrl, {
          method: 'PATCH',
          body: { config: { boards: [ids.board], toLists: [ids.list('Review')] }, labels: {}, externalId: null },
        })
      ).json,
    ).toMatchObject({ externalId: null, labels: {}, config: { toLists: [ids.list('Review')] } })
    move('Done')
    move('Review')
    await until('the next start', () => at('/moved').length === 2)
    expect(at('/moved')[1]!.start.data.event).toMatchObject({ to: { list: { name: 'Review' } } })

    for (const _ of [1, 2]) expect((await check(subscriptionUrl, { method: 'DELETE' })).status).toBe(204)
    expect((await check(subscriptionUrl)).status).toBe(404)
    move('Ideas')
    move('Review')
    await until('the hook at the board to go', () => face.sandbox.board.state.webhooks.size === 0)
    expect(at('/moved')).toHaveLength(2)
  })

  it('is tried out with a sample before anything happens', async () => {
    const { id } = await attach('/sampled', 'new-comment-added-to-card', { boards: [ids.board] })
    const sample = await check(`/v1/subscriptions/${id}/sample`)
    expect(sample.json).toMatchObject({
      from: 'history',
      start: { type: 'work-board.new-comment-added-to-card', data: { test: true, subscription: id } },
    })
    const tested = await check(`/v1/subscriptions/${id}/test`, { method: 'POST' })
    await until('the test', () => at('/sampled').length === 1)
    expect(at('/sampled')[0]).toMatchObject({ id: tested.json.start, genuine: true, start: { data: { test: true } } })
    await check(`/v1/subscriptions/${id}`, { method: 'DELETE' })
  })

  it('keeps dead letters, and sends them again one by one, by event or all together', async () => {
    const { id } = await attach('/failing', 'new-card', { boards: [ids.board] })
    agent.answer.status = ({ path }) => (path === '/failing' ? 422 : 200)
    const card = face.sandbox.board.control.createCard({ by, idList: ids.list('Ideas'), name: 'Refused' })
    const dead = () => check(`/v1/starts?subscription=${id}&state=dead`)
    await until('a dead letter', async () => (await dead()).json.items.length === 1)
    const [start] = (await dead()).json.items
    expect(start).toMatchObject({ attempts: 1, answer: { status: 422 }, dueAt: null, subject: card.id })
    const many = await check('/v1/starts/replay', { body: { subscription: id } })
    expect(many.json).toEqual({ replayed: 1 })
    await until('it to be sent again', () => at('/failing').length === 2)
    await until('a dead letter', async () => (await dead()).json.items.length === 1)
    agent.answer.status = () => 200
    expect((await check(`/v1/events/${start.event}/replay`, { method: 'POST' })).json).toEqual({
      replayed: 1,
      started: 0,
    })
    await until('it to be done', async () => (await face.ask(`/v1/starts/${start.id}`)).json.state === 'done')
    expect((await check(`/v1/starts/${start.id}/replay`, { method: 'POST' })).json).toMatchObject({ id: start.id })
    await until('it to be sent once more', () => at('/failing').length === 4)
    expect(new Set(at('/failing').map((delivery) => delivery.id))).toEqual(new Set([start.id]))
    const anew = await check(`/v1/starts/${start.id}/replay`, { body: { force: true } })
    expect(anew.json).toMatchObject({ replayOf: start.id })
    expect(anew.json.id).not.toBe(start.id)
    await until('the new one', () => at('/failing').some((delivery) => delivery.id === anew.json.id))
    await check(`/v1/subscriptions/${id}`, { method: 'DELETE' })
  })

  it('says what was missed: recovered, or a gap', async () => {
    const { control } = face.sandbox.board
    const { id, createdAt } = await attach('/missed', 'new-card', { boards: [ids.board] })
    control.disturb({ how: 'drop', times: 1 })
    const card = control.createCard({ by, idList: ids.list('Ideas'), name: 'Dropped' })
    await control.settle()
    const recovery = await check(`/v1/subscriptions/${id}/recover`, {
      method: 'POST',
    })
    expect(recovery.json).toMatchObject({ starts: 1 })
    await until('the dropped', () => at('/missed').length === 1)
    expect(at('/missed')[0]!.start.data).toMatchObject({ via: 'recovery', event: { card: { id: card.id } } })
    expect(at('/missed')[0]!.start.timestamp >= createdAt).toBe(true)
    await check('/v1/gaps?model=board:none')
    await check('/v1/undecodable')
    expect((await check('/v1/hooks/prune', { method: 'POST' })).json).toEqual({
      subscriptions: 1,
      hooks: 1,
    })
    expect(face.sandbox.board.state.webhooks.size).toBe(0)
    expect((await check(`/v1/subscriptions/${id}`)).json).toMatchObject({
      state: 'paused',
      stateReason: 'Its webhooks were removed.',
    })
    await check(`/v1/subscriptions/${id}`, { method: 'DELETE' })
  })

  it('is made once however often the request is repeated with its key', async () => {
    const ask: Ask = {
      headers: { 'idempotency-key': 'flow-9' },
      body: {
        integration: 'work-board',
        trigger: 'card-archived',
        config: { boards: [ids.board] },
        agent: { url: `${agent.origin}/once` },
      },
    }
    const [first, second] = [await check('/v1/subscriptions', ask), await check('/v1/subscriptions', ask)]
    expect([first.status, second.status, second.json.id]).toEqual([201, 201, first.json.id])
    expect([typeof first.json.agent.secret, second.json.agent.secret]).toEqual(['string', undefined])
    const other = await check('/v1/subscriptions', {
      ...ask,
      body: { ...(ask.body as object), trigger: 'new-card' },
    })
    expect(other.json).toMatchObject({ code: 'conflict' })
    await check(`/v1/subscriptions/${first.json.id}`, { method: 'DELETE' })
  })
})

describe('the stream', () => {
  const open = async (token: string) => {
    const ending = new AbortController()
    const reply = await fetch(`${address}/v1/stream`, {
      headers: { authorization: `Bearer ${token}` },
      signal: ending.signal,
    })
    let streamText = ''
    const reading = (async () => {
      for await (const part of reply.body!) streamText += Buffer.from(part).toString('utf8')
    })().catch(() => undefined)
    const rows = () =>
      [...streamText.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(([, kind, data]) => ({
        kind,
        row: JSON.parse(data!),
      }))
    return { reply, text: () => streamText, rows, close: () => ending.abort(), reading }
  }

  it('reports events and each state of their starts, to their tenant alone', async () => {
    const { id } = await attach('/streamed', 'new-card', { boards: [ids.board] })
    await face.ask('/v1/admin/tenants', { body: { id: 'other', name: 'Other' } })
    // Starts of the tests before this one may still end.
    await until('nothing to be under way', async () => {
      const { openStarts, running } = await face.pack.triggers.counts()
      return openStarts === 0 && running === 0
    })
    const [mine, foreignStream] = [await open(face.token), await open(await face.tokenWith(['read'], 'other'))]
    try {
      expect([mine.reply.status, mine.reply.headers.get('content-type')]).toEqual([
        200,
        'text/event-stream; charset=utf-8',
      ])
      for (const stream of [mine, foreignStream]) await until('the beginning', () => stream.text().startsWith(':'))
      const card = face.sandbox.board.control.createCard({ by, idList: ids.list('Ideas'), name: 'Streamed' })
      await until('its start to be done', () =>
        mine.rows().some(({ kind, row }) => kind === 'start' && row.state === 'done'),
      )
      expect(
        mine
          .rows()
          .filter(({ kind }) => kind === 'event')
          .map(({ row }) => row.card),
      ).toEqual([card.id])
      expect(
        new Set(
          mine
            .rows()
            .filter(({ kind }) => kind === 'start')
            .map(({ row }) => row.subscription),
        ),
      ).toEqual(new Set([id]))
      // Some looks of the other one later.
      await new Promise((resolve) => setTimeout(resolve, 1500))
      expect(foreignStream.rows()).toEqual([])
    } finally {
      mine.close()
      foreignStream.close()
      await check(`/v1/subscriptions/${id}`, { method: 'DELETE' })
    }
  })

  it('reports nothing more once its token is revoked', async () => {
    const { id } = await attach('/revoked', 'new-card', { boards: [ids.board] })
    const { text, token } = await face.pack.tokens.create('default', { name: 'Leaving', scopes: ['read'] })
    const [mine, theirs] = [await open(face.token), await open(text)]
    try {
      for (const stream of [mine, theirs]) await until('the beginning', () => stream.text().startsWith(':'))
      await face.pack.tokens.revoke('default', token.id)
      face.sandbox.board.control.createCard({ by, idList: ids.list('Ideas'), name: 'After the end' })
      await until('the news', () => mine.rows().length > 0)
      await theirs.reading
      expect(theirs.rows()).toEqual([])
    } finally {
      mine.close()
      theirs.close()
      await check(`/v1/subscriptions/${id}`, { method: 'DELETE' })
    }
  })

  it('wants a token with a scope for it', async () => {
    expect((await fetch(`${address}/v1/stream`)).status).toBe(401)
    expect(
      (await fetch(`${address}/v1/stream`, { headers: { authorization: `Bearer ${await face.tokenWith(['run'])}` } }))
        .status,
    ).toBe(403)
  })

  it('does not hold up a server that stops', async () => {
    const other = await openHttpWorld()
    const base = await other.http.listen({ host: '127.0.0.1', port: 0 })
    const reply = await fetch(`${base}/v1/stream`, { headers: { authorization: `Bearer ${other.token}` } })
    const whole = reply.text()
    await other.close()
    expect(await whole).toBe(': changes from now on\n\n')
  })
})

describe('wrong requests', () => {
  const good = () => ({
    integration: 'work-board',
    trigger: 'card-moved',
    config: { boards: [ids.board] },
    agent: { url: `${agent.origin}/x` },
  })
  const rows: [string, () => object, number, string, RegExp][] = [
    ['an unknown integration', () => ({ ...good(), integration: 'nothing' }), 404, 'not_found', /nothing/],
    ['an unknown trigger', () => ({ ...good(), trigger: 'card-flown' }), 404, 'not_found', /card-flown/],
    ['an unknown account', () => ({ ...good(), connection: 'nobody' }), 404, 'not_found', /nobody/],
    ['no boards', () => ({ ...good(), config: {} }), 400, 'invalid_input', /boards/],
    [
      'a board that is not there',
      () => ({ ...good(), config: { boards: ['f'.repeat(24)] } }),
      404,
      'not_found',
      /value of \\"boards\\".*Choose from the options of that field/,
    ],
    [
      'an unknown setting',
      () => ({ ...good(), config: { boards: [ids.board], colour: 'red' } }),
      400,
      'invalid_input',
      /colour/,
    ],
    ['no agent', () => ({ ...good(), agent: undefined }), 400, 'invalid_input', /agent/],
    ['an agent at no address', () => ({ ...good(), agent: { url: 'agent' } }), 400, 'invalid_input', /URL/],
    [
      'an agent inside the network',
      () => ({ ...good(), agent: { url: 'http://169.254.169.254/latest' } }),
      403,
      'not_allowed',
      /agent\.url/,
    ],
    [
      'an agent of another origin',
      () => ({ ...good(), agent: { url: 'http://127.0.0.1:9/x' } }),
      403,
      'not_allowed',
      /agent\.url/,
    ],
    [
      'a weak secret',
      () => ({ ...good(), agent: { url: `${agent.origin}/x`, secret: 'secret' } }),
      400,
      'invalid_input',
      /whsec_/,
    ],
    ['an unknown option', () => ({ ...good(), options: { fast: true } }), 400, 'invalid_input', /fast/],
    [
      'a quiet period of no length',
      () => ({ ...good(), options: { settleMs: 5 } }),
      400,
      'invalid_input',
      /settleMs|1000/,
    ],
    [
      'a date that is none',
      () => ({ ...good(), options: { startFrom: 'yesterday' } }),
      400,
      'invalid_input',
      /startFrom/,
    ],
    [
      'a date to come',
      () => ({ ...good(), options: { startFrom: '2099-01-01T00:00:00Z' } }),
      400,
      'invalid_input',
      /future/,
    ],
    ['an unknown field', () => ({ ...good(), colour: 'red' }), 400, 'invalid_input', /colour/],
  ]
  it.each(rows)('to attach: %s', async (_what, body, status, code, message) => {
    const hooks = face.sandbox.board.state.webhooks.size
    const reply = await check('/v1/subscriptions', { body: body() })
    expect([reply.status, reply.json.code], reply.text).toEqual([status, code])
    expect(JSON.stringify([reply.json.detail, reply.json.errors])).toMatch(message)
    expect(reply.text).not.toContain('"secret"')
    expect(face.sandbox.board.state.webhooks.size).toBe(hooks)
  })

  it('to attach: an address that the board does not reach', async () => {
    face.sandbox.board.control.fault({
      match: { method: 'POST', path: '/1/webhooks' },
      times: 9,
      answer: { status: 400, body: 'URL (http://127.0.0.1) did not return 200 status code, got 0' },
    })
    try {
      const reply = await check('/v1/subscriptions', { body: good() })
      expect([reply.status, reply.json.code]).toEqual([422, 'rejected'])
      expect(reply.json.detail).toMatch(
        /did not accept our address http:\S+\/hooks\/work-board\/\S+: .*did not return 200.*public URL.*"poll"/,
      )
      expect((await face.ask('/v1/subscriptions')).json.items).toEqual([])
    } finally {
      face.sandbox.board.control.clearFaults()
    }
  })

  const otherCases: [string, string, Ask, number, RegExp][] = [
    [
      'options of an unknown field',
      '/v1/triggers/work-board/card-moved/options',
      { body: { field: 'colour' } },
      400,
      /colour/,
    ],
    [
      'options that depend on a field not given',
      '/v1/triggers/work-board/card-moved/options',
      { body: { field: 'toLists' } },
      400,
      /boards/,
    ],
    [
      'options of an unknown trigger',
      '/v1/triggers/work-board/none/options',
      { body: { field: 'boards' } },
      404,
      /none/,
    ],
    [
      'an unknown subscription',
      '/v1/subscriptions/sub_none',
      { method: 'PATCH', body: { paused: true } },
      404,
      /sub_none/,
    ],
    ['an unknown state', '/v1/subscriptions?state=asleep', {}, 400, /\/query\/state/],
    ['a label that is none', '/v1/subscriptions?label=blue', {}, 400, /name:value/],
    ['an unknown filter', '/v1/starts?colour=red', {}, 400, /colour/],
    ['a page too large', '/v1/events?limit=1000', {}, 400, /\/query\/limit/],
    ['a made-up cursor', '/v1/events?cursor=bm90aGluZw', {}, 400, /cursor/],
    ['an unknown event', '/v1/events/none', {}, 404, /none/],
    ['an unknown event to replay', '/v1/events/none/replay', { method: 'POST' }, 404, /none/],
    ['an unknown start', '/v1/starts/none', {}, 404, /none/],
    [
      'starts of an unknown subscription to replay',
      '/v1/starts/replay',
      { body: { subscription: 'sub_none' } },
      404,
      /sub_none/,
    ],
    [
      'starts that cannot be replayed',
      '/v1/starts/replay',
      { body: { subscription: 'sub_none', state: 'done' } },
      400,
      /state/,
    ],
    ['a replay of a wrong shape', '/v1/starts/none/replay', { body: { force: 'yes' } }, 400, /force/],
  ]
  it.each(otherCases)('%s', async (_what, url, request, status, message) => {
    const reply = await check(url, request)
    expect(reply.status, reply.text).toBe(status)
    expect(JSON.stringify([reply.json.detail, reply.json.errors])).toMatch(message)
  })
})

describe('bounds', () => {
  it('another tenant finds nothing of it, and a token bound to accounts only theirs', async () => {
    const { id } = await attach('/bound', 'new-card', { boards: [ids.board] })
    face.sandbox.board.control.createCard({ by, idList: ids.list('Ideas'), name: 'Bound' })
    await until('the start', () => at('/bound').length === 1)
    const [taken] = at('/bound')
    const [mine] = (await face.ask('/v1/connections?integration=work-board')).json.items
    const { integration, type, secrets } = face.sandbox.accounts.find((account) => account.integration === 'anz-data')!
    const other = await face.pack.connections.create(
      { tenant: 'default' },
      { integration, type, name: 'Elsewhere', secrets },
    )
    const { text: elsewhere } = await face.pack.tokens.create('default', {
      name: 'Bound',
      scopes: ['subscriptions', 'read'],
      connections: [other.id],
    })
    const { text: here } = await face.pack.tokens.create('default', {
      name: 'Bound',
      scopes: ['subscriptions', 'read'],
      connections: [mine.id],
    })
    for (const token of [await face.tokenWith(['subscriptions', 'read'], 'other'), elsewhere]) {
      for (const list of ['/v1/subscriptions', '/v1/hooks', '/v1/gaps', '/v1/events', '/v1/undecodable', '/v1/starts'])
        expect([list, (await face.ask(list, { token })).json.items]).toEqual([list, []])
      const single: [string, Ask][] = [
        [`/v1/subscriptions/${id}`, {}],
        [`/v1/subscriptions/${id}`, { method: 'PATCH', body: { paused: true } }],
        [`/v1/subscriptions/${id}`, { method: 'DELETE' }],
        ...['pause', 'resume', 'test', 'recover'].map((verb): [string, Ask] => [
          `/v1/subscriptions/${id}/${verb}`,
          { method: 'POST' },
        ]),
        [`/v1/subscriptions/${id}/sample`, {}],
        [`/v1/events/${taken!.start.data.id}`, {}],
        [`/v1/events/${taken!.start.data.id}/replay`, { method: 'POST' }],
        [`/v1/starts/${taken!.id}`, {}],
        [`/v1/starts/${taken!.id}/replay`, { method: 'POST' }],
        ['/v1/starts/replay', { body: { subscription: id } }],
      ]
      for (const [url, request] of single)
        expect([url, (await face.ask(url, { ...request, token })).status]).toEqual([url, 404])
      expect((await face.ask('/v1/hooks/prune', { method: 'POST', token })).json).toEqual({
        subscriptions: 0,
        hooks: 0,
      })
    }
    expect(face.sandbox.board.state.webhooks.size).toBe(1)
    expect((await face.ask(`/v1/subscriptions/${id}`, { token: here })).json).toMatchObject({ state: 'active' })
    expect((await face.ask('/v1/hooks/prune', { method: 'POST', token: here })).json).toEqual({
      subscriptions: 1,
      hooks: 1,
    })
    expect(face.sandbox.board.state.webhooks.size).toBe(0)
  })
})
