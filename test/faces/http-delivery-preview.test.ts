import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkedAsk } from '../api/answers.ts'
import type { CheckedAsk } from '../api/answers.ts'
import { findIds } from '../sandbox/board-client.ts'
import type { Found } from '../sandbox/board-client.ts'
import { startAgent, until } from '../support/agent-world.ts'
import type { AgentServer } from '../support/agent-world.ts'
import { openHttpWorld } from '../support/http-world.ts'
import type { HttpWorld } from '../support/http-world.ts'

const caller = { tenant: 'default' }
const path = '/v1/deliveries/preview'
const by = 'odettequill'
let agent: AgentServer
let face: HttpWorld
let ids: Found
let check: CheckedAsk
beforeAll(async () => {
  agent = await startAgent()
  face = await openHttpWorld({ agentOrigins: [agent.origin], scanMs: 60_000 })
  await face.http.listen({ host: '127.0.0.1', port: 0 })
  await face.pack.start()
  ids = findIds(face.sandbox.board)
  check = checkedAsk(face)
  const { key, appSecret } = face.sandbox.board.credentials
  await face.pack.apps.put(caller, 'work-board', { key, secret: appSecret })
})
afterAll(async () => {
  await face.close()
  await agent.close()
})

const attach = async (trigger: string, config: object = {}, options: object = {}) => {
  const made = await face.pack.subscriptions.create(caller, {
    integration: 'work-board',
    trigger,
    config: { boards: [ids.board], ...config },
    agent: { id: 'scribe', url: `${agent.origin}/start` },
    options,
  })
  // The sandbox's clock has milliseconds: what follows must be later than the subscription.
  await new Promise((resolve) => setTimeout(resolve, 5))
  return made.id
}
type Delivery = { type?: string; board?: string; date?: Date; from?: string; to?: string; card?: string }
const delivery = ({
  type = 'updateCard',
  board = ids.board,
  date = new Date(),
  from = 'Ideas',
  to = 'Done',
  card = 'd'.repeat(24),
}: Delivery = {}) => ({
  model: { id: board },
  action: {
    id: randomBytes(12).toString('hex'),
    type,
    date: date.toISOString(),
    idMemberCreator: 'b'.repeat(24),
    data: {
      board: { id: board, name: 'B' },
      card: { id: card, name: 'C', idShort: 1, shortLink: 'abcdefgh', idList: ids.list(to) },
      ...(type === 'updateCard'
        ? {
            old: { idList: ids.list(from) },
            listBefore: { id: ids.list(from), name: from },
            listAfter: { id: ids.list(to), name: to },
          }
        : {}),
    },
  },
})
const ask = async (body: unknown, more: object = {}) => {
  const reply = await check(path, { body: { integration: 'work-board', body, ...more } })
  expect(reply.status, reply.text).toBe(200)
  return reply.json
}
/** What the delivery would do with one subscription. */
const verdict = async (subscription: string, body: unknown, more: object = {}) => {
  const { events } = await ask(body, more)
  return events[0].subscriptions.find((entry: { subscription: string }) => entry.subscription === subscription)
}

describe('a delivery that somebody pastes', () => {
  it('is decoded, as text and as an object, and would start what it matches', async () => {
    const id = await attach('card-moved')
    const body = delivery()
    const shown = await ask(JSON.stringify(body))
    expect(shown).toMatchObject({ ignored: null, undecodable: null, more: false })
    expect(shown.events).toMatchObject([
      {
        id: body.action.id,
        type: 'updateCard',
        at: body.action.date,
        known: false,
        subject: { kind: 'card', id: 'd'.repeat(24) },
        container: { kind: 'board', id: ids.board },
        before: { idList: ids.list('Ideas') },
        after: { idList: ids.list('Done') },
      },
    ])
    const mine = {
      subscription: id,
      trigger: 'card-moved',
      agent: 'scribe',
      starts: true,
      why: null,
      reason: null,
      fields: [],
    }
    expect(shown.events[0].subscriptions).toEqual([{ ...mine, start: expect.stringMatching(/^[0-9a-f]{64}$/) }])
    expect(await ask(body)).toEqual(shown)
  })

  it('stores nothing and starts nothing', async () => {
    const events = async () => (await face.pack.events.list(caller, { limit: 100 })).items
    // The new hook reads the latest actions of its board once, which comes later on a busy machine.
    await until('the latest actions of the board', async () => (await events()).length > 0)
    const counts = { events: (await events()).length, starts: agent.taken.length }
    const body = delivery()
    await ask(body)
    await ask(body)
    await face.pack.start()
    expect(await events()).toHaveLength(counts.events)
    expect((await face.pack.starts.list(caller, { limit: 100 })).items).toHaveLength(0)
    expect(agent.taken).toHaveLength(counts.starts)
  })

  it('is a repeat once it was delivered, and has started what it started', async () => {
    const id = await attach('card-moved')
    const { control } = face.sandbox.board
    const { id: idCard } = control.createCard({ by, idList: ids.list('Ideas'), name: 'Travelling' })
    control.moveCard({ by, idCard, idList: ids.list('Done') })
    const startOf = async () => (await face.pack.starts.list(caller, { limit: 10 }, { subscription: id })).items[0]
    await until('the start', async () => (await startOf())?.state === 'done')
    const start = (await startOf())!
    const { raw } = await face.pack.events.get(caller, start.event)
    const { events } = await ask({ model: { id: ids.board }, action: raw })
    expect(events[0]).toMatchObject({ id: start.event, known: true })
    const mine = events[0].subscriptions.find((entry: { subscription: string }) => entry.subscription === id)
    expect(mine).toMatchObject({
      starts: false,
      why: 'started',
      start: start.id,
      reason: expect.stringContaining('done'),
    })
    const { json } = await check(`/v1/subscriptions/${id}`)
    expect(json).toMatchObject({
      hooks: [{ model: `board:${ids.board}`, state: 'active', failures: 0 }],
      lastStartAt: start.createdAt,
      lastEventAt: (await face.pack.events.get(caller, start.event)).createdAt,
      gaps: 0,
    })
    expect((await check('/v1/subscriptions')).json.items[0]).not.toHaveProperty('hooks')
  })
})

describe('why it starts nothing', () => {
  it('another type of event, or another board', async () => {
    const id = await attach('card-moved')
    expect(await verdict(id, delivery({ type: 'commentCard' }))).toMatchObject({
      starts: false,
      why: 'type',
      reason: expect.stringContaining('"commentCard"'),
    })
    const other = await verdict(id, delivery({ board: 'a'.repeat(24) }))
    expect(other).toMatchObject({ starts: false, why: 'model', fields: ['boards'], start: null })
    expect(other.reason).toContain(`board:${ids.board}`)
    expect(other.reason).toContain(`board:${'a'.repeat(24)}`)
  })

  it('from before it started, or from a pause', async () => {
    const id = await attach('card-moved')
    const early = await verdict(id, delivery({ date: new Date(Date.now() - 3_600_000) }))
    expect(early).toMatchObject({ starts: false, why: 'before_start', reason: expect.stringContaining('startsFrom') })
    await face.pack.subscriptions.pause(caller, id)
    const late = delivery({ date: new Date(Date.now() + 1000) })
    expect(await verdict(id, late)).toMatchObject({
      starts: false,
      why: 'paused',
      reason: expect.stringContaining('paused by hand'),
    })
    await face.pack.subscriptions.resume(caller, id)
    expect(await verdict(id, delivery({ date: new Date(Date.now() + 1000) }))).toMatchObject({ starts: true })
  })

  it('fields of the config, one or two, and not the ones that admit it', async () => {
    const [ideas, done, review] = [ids.list('Ideas'), ids.list('Done'), ids.list('Review')]
    const firstSubscription = await attach('card-moved', { fromLists: [ideas], toLists: [review] })
    expect(await verdict(firstSubscription, delivery())).toMatchObject({
      starts: false,
      why: 'config',
      fields: ['toLists'],
      reason: expect.stringContaining('"toLists"'),
    })
    expect(await verdict(firstSubscription, delivery({ to: 'Review' }))).toMatchObject({ starts: true, fields: [] })
    const two = await attach('card-moved', { fromLists: [done], toLists: [review] })
    expect(await verdict(two, delivery())).toMatchObject({ why: 'config', fields: ['fromLists', 'toLists'] })
    // The card stays in its list: no field of the config is the reason.
    const none = await verdict(firstSubscription, delivery({ from: 'Review', to: 'Review' }))
    expect(none).toMatchObject({
      starts: false,
      why: 'config',
      fields: [],
      reason: expect.stringContaining('Card Moved'),
    })
  })

  it('one of our own runs caused it', async () => {
    const [id, own] = [await attach('new-card'), await attach('new-card', {}, { ownEvents: true })]
    const { json } = await face.ask('/v1/steps/work-board/create-card/run', {
      body: { input: { idList: ids.list('Ideas'), name: 'Ours' } },
    })
    expect(json.output, JSON.stringify(json)).toBeDefined()
    const eventOf = async () =>
      (await face.pack.events.list(caller, { limit: 100 }, { type: 'createCard' })).items.find(
        ({ causedByUs }) => causedByUs === true,
      )
    await until('our event', async () => (await eventOf()) !== undefined)
    const { raw } = await face.pack.events.get(caller, (await eventOf())!.id)
    const body = { model: { id: ids.board }, action: raw }
    expect(await verdict(id, body)).toMatchObject({
      starts: false,
      why: 'own_event',
      reason: expect.stringContaining('ownEvents'),
    })
    expect(await verdict(own, body)).toMatchObject({ why: 'started' })
  })

  it('in few words, however long those of the delivery are', async () => {
    const id = await attach('card-moved')
    const long = 'x'.repeat(100_000)
    for (const [why, body] of [
      ['type', delivery({ type: long })],
      ['model', { ...delivery({ board: long }), model: { id: long } }],
    ] as const) {
      const result = await verdict(id, body)
      expect(result).toMatchObject({ starts: false, why })
      expect(result.reason.length).toBeLessThan(1000)
    }
  })

  it('it is polled', async () => {
    const id = await attach('card-due-date-reminder')
    expect(await verdict(id, delivery())).toMatchObject({ starts: false, why: 'polled' })
    // It has a webhook, which this config does not use.
    const { id: board } = await face.pack.subscriptions.create(caller, {
      integration: 'work-board',
      trigger: 'new-board',
      config: {},
      agent: { id: 'scribe', url: `${agent.origin}/start` },
    })
    expect(await verdict(board, delivery({ type: 'createBoard' }))).toMatchObject({ starts: false, why: 'polled' })
  })
})

describe('facts of the provider', () => {
  it('are read with the scope for it, and are unknown without', async () => {
    const { control } = face.sandbox.board
    const { id: card } = control.createCard({ by, idList: ids.list('Review'), name: 'Where is it?' })
    const id = await attach('custom-webhook-events', { lists: [ids.list('Review')] })
    const body = delivery({ type: 'addMemberToCard', card })
    delete (body.action.data.card as { idList?: string }).idList
    expect(await verdict(id, body)).toMatchObject({ starts: true })
    const reply = await face.ask(path, {
      body: { integration: 'work-board', body },
      token: await face.tokenWith(['read']),
    })
    expect(reply.status, reply.text).toBe(200)
    const mine = reply.json.events[0].subscriptions.find((entry: { subscription: string }) => entry.subscription === id)
    expect(mine).toMatchObject({ starts: 'unknown', why: 'facts', reason: expect.stringContaining('"subscriptions"') })
  })
})

describe('what cannot be read', () => {
  it.each([
    ['no JSON', '{"action":', 'The body is not JSON'],
    ['no event', { hello: 1 }, 'The delivery has no action'],
    ['an event without an id', { action: { type: 'updateCard' } }, 'has no id'],
    ['nothing', '', '/body'],
  ])('%s is refused by name', async (_, body, says) => {
    const reply = await check(path, { body: { integration: 'work-board', body } })
    expect(reply.status).toBe(400)
    expect(reply.text).toContain(says)
    expect(reply.json.errors[0].pointer).toBe('/body')
  })

  it('an integration without deliveries, a connection that is not there', async () => {
    const none = await check(path, { body: { integration: 'anz-data', body: {} } })
    expect([none.status, none.json.errors?.[0]?.pointer]).toEqual([400, '/integration'])
    const lost = await check(path, { body: { integration: 'work-board', connection: 'con_nope', body: {} } })
    expect(lost.status, lost.text).toBe(404)
  })
})
