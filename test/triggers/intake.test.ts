import { createHmac } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createRetention } from '../../shared/runtime/admin/retention.ts'
import { fail, inputLimits } from '#kit'
import type { Hook, Store } from '../../shared/runtime/ports/index.ts'
import { shapesOf } from '../support/shapes.ts'
import { workOf } from '../support/work.ts'
import {
  appSecret,
  caller,
  me,
  openTriggerWorld,
  ourApp,
  overlay,
  settle,
  someoneElse,
  subscribe,
  tenant,
} from './world.ts'
import type { TriggerWorld } from './world.ts'

let world: TriggerWorld
let board: string
let list: string
let hook: Hook
beforeEach(async () => {
  world = await openTriggerWorld()
  board = world.board.addBoard('Launch plan')
  list = world.board.addList('Ideas')
  await subscribe(world, 'new-card', { boards: [board] })
  hook = (await world.store.hooks.all())[0]!
  world.clock.advance(1000)
})
afterEach(() => world.close())

const sign = (body: Uint8Array | string, url = hook.callbackUrl, secret = appSecret) =>
  createHmac('sha1', secret).update(body).update(url).digest('base64')
const send = (
  body: Uint8Array | string,
  over: {
    headers?: Record<string, string | string[] | undefined>
    signature?: string | null
    method?: string
    hookId?: string
    integration?: string
  } = {},
) => {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const signature = over.signature === undefined ? sign(bytes) : over.signature
  return world.triggers.receive({
    integration: over.integration ?? 'work-board',
    hookId: over.hookId ?? hook.id,
    method: over.method ?? 'POST',
    headers: {
      'content-type': 'application/json',
      ...(signature === null ? {} : { 'x-trello-webhook': signature }),
      ...over.headers,
    },
    body: bytes,
  })
}
const actionOf = (over: Record<string, unknown> = {}) => ({
  id: world.board.newId(),
  type: 'createCard',
  date: new Date(world.clock.now()).toISOString(),
  idMemberCreator: someoneElse,
  appCreator: null,
  data: {
    board: { id: board, name: 'Launch plan' },
    list: { id: list, name: 'Ideas' },
    card: { id: world.board.newId(), name: 'A card', shortLink: 'Ab12Cd34' },
  },
  ...over,
})
const bodyOf = (action: unknown) => JSON.stringify({ action, model: { id: board, prefs: {} }, webhook: { id: 'w' } })
const events = async () => (await world.store.events.list(tenant, { limit: 100 })).items
const starts = async () => (await world.store.starts.list(tenant, { limit: 100 })).items
const undecodable = async () => (await world.store.undecodable.list(tenant, { limit: 100 })).items

describe('a signed delivery', () => {
  test('is acknowledged when its event and its start are there, and starts the agent once', async () => {
    const action = actionOf()
    expect(await send(bodyOf(action))).toEqual({ status: 200 })
    expect(await events()).toMatchObject([
      {
        id: action.id,
        type: 'createCard',
        hook: hook.id,
        via: 'webhook',
        causedByUs: false,
        container: board,
        state: 'matched',
      },
    ])
    expect(await starts()).toMatchObject([{ event: action.id, state: 'pending', depth: 0, data: { way: 'created' } }])
    await settle(world)
    expect(world.called).toHaveLength(1)
    expect(world.called[0]).toMatchObject({
      type: 'work-board.new-card',
      data: {
        id: action.id,
        trigger: 'new-card',
        agent: 'agent-1',
        via: 'webhook',
        causedByUs: false,
        depth: 0,
        untrusted: ['/event', '/summary'],
        event: { card: { name: 'A card' } },
      },
    })
  })

  test('comes again in a second and in thirty days: known, acknowledged, no new start', async () => {
    const body = bodyOf(actionOf())
    await send(body)
    world.clock.advance(1000)
    expect(await send(body)).toEqual({ status: 200 })
    world.clock.advance(30 * 86_400_000)
    const retention = createRetention({ store: world.store, clock: world.clock, log: () => {} })
    world.clock.advance(60_000)
    retention.touch()
    await retention.stop()
    expect((await events())[0]?.raw).toBeNull()
    expect(await send(body)).toEqual({ status: 200 })
    expect(await starts()).toHaveLength(1)
    await settle(world)
    expect(world.called).toHaveLength(1)
    expect(await world.triggers.counts()).toMatchObject({ received: 3, stored: 1, repeated: 2 })
  })

  test('of something from before the subscription: stored, no start', async () => {
    await send(bodyOf(actionOf({ date: new Date(world.clock.now() - 3_600_000).toISOString() })))
    expect(await events()).toHaveLength(1)
    expect(await starts()).toEqual([])
  })

  test('of fifty at once with the same event makes one row and one start', async () => {
    const body = bodyOf(actionOf())
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(body)))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect([(await events()).length, (await starts()).length]).toEqual([1, 1])
  })

  test('of an unknown type, of an unknown board, without an id of its action', async () => {
    expect(await send(bodyOf(actionOf({ type: 'somethingNew' })))).toEqual({ status: 200 })
    expect(await send(bodyOf(actionOf({ data: { board: { id: 'e'.repeat(24), name: 'Elsewhere' } } })))).toEqual({
      status: 200,
    })
    expect(await send(bodyOf({ ...actionOf(), id: undefined }))).toEqual({ status: 200 })
    expect((await events()).map(({ type }) => type).sort()).toEqual(['createCard', 'somethingNew'])
    expect(await starts()).toEqual([])
    expect(await undecodable()).toMatchObject([{ reason: expect.stringContaining('no id') as string }])
  })

  test("keeps nothing private of the provider's members", async () => {
    const action = {
      ...actionOf(),
      memberCreator: { id: someoneElse, fullName: 'Odette', email: 'private@mail.example' },
    }
    await send(JSON.stringify({ action, model: { id: me, username: 'm', email: 'secret@mail.example' } }))
    const kept = Buffer.from((await events())[0]!.raw!).toString()
    expect(kept).toContain('Odette')
    expect(kept).not.toContain('mail.example')
  })
})

describe('refused', () => {
  const nothingStored = async () => expect([await events(), await starts(), await undecodable()]).toEqual([[], [], []])

  test('bad signatures, each with the same 401, counted, nothing stored', async () => {
    const body = bodyOf(actionOf())
    const wrong = [
      null,
      '',
      'x',
      sign(body, ''),
      sign(body, hook.callbackUrl.replace('https', 'http')),
      sign(body, `${hook.callbackUrl}/`),
      sign(body, hook.callbackUrl, 'another secret'),
      sign(JSON.stringify(JSON.parse(body), null, 1)),
    ]
    for (const signature of wrong) expect(await send(body, { signature })).toEqual({ status: 401 })
    expect(await send(body, { headers: { 'x-trello-webhook': [sign(body), sign(body)] } })).toEqual({ status: 401 })
    expect((await world.triggers.counts()).refused).toBe(wrong.length + 1)
    await nothingStored()
  })

  test('the address we registered counts, not what the request says of host and scheme', async () => {
    const body = bodyOf(actionOf())
    const headers = { host: 'proxy.internal', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' }
    expect(await send(body, { headers })).toEqual({ status: 200 })
    expect(
      await send(body, { headers, signature: sign(body, hook.callbackUrl.replace('pack.example', 'evil.example')) }),
    ).toEqual({ status: 401 })
  })

  test("an unknown hook gets the same answer as a bad signature; so does another integration's path", async () => {
    const body = bodyOf(actionOf())
    expect(await send(body, { hookId: 'x'.repeat(32) })).toEqual({ status: 401 })
    expect(await send(body, { integration: 'anz-data' })).toEqual({ status: 401 })
    expect(await send(body, { integration: 'nothing' })).toEqual({ status: 401 })
    expect(Buffer.from(hook.id, 'base64url').length * 8).toBeGreaterThanOrEqual(128)
    await nothingStored()
  })

  test('what is not JSON, or encoded; the signature is looked at first', async () => {
    const body = bodyOf(actionOf())
    for (const type of [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      undefined,
      'application/json; charset=utf-16',
    ]) {
      expect(await send(body, { headers: { 'content-type': type } })).toEqual({ status: 415 })
      expect(await send(body, { headers: { 'content-type': type }, signature: 'x' })).toEqual({ status: 401 })
    }
    for (const encoding of ['gzip', 'br', 'deflate'])
      expect(await send(body, { headers: { 'content-encoding': encoding } })).toEqual({ status: 415 })
    await nothingStored()
    expect(await send(body, { headers: { 'content-type': 'application/json; charset=UTF-8' } })).toEqual({
      status: 200,
    })
  })

  test('a character set in quotes, or after a space, is read as written', async () => {
    for (const type of [
      'application/json; charset="utf-8"',
      'application/json; charset= utf-8',
      'application/json;charset = "UTF-8"',
    ])
      expect([type, await send(bodyOf(actionOf()), { headers: { 'content-type': type } })]).toEqual([
        type,
        { status: 200 },
      ])
    for (const type of ['application/json; charset="utf-16"', 'application/json; charset= latin1'])
      expect([type, await send(bodyOf(actionOf()), { headers: { 'content-type': type } })]).toEqual([
        type,
        { status: 415 },
      ])
  })

  test('more than a mebibyte', async () => {
    expect(await send(Buffer.alloc(1024 * 1024 + 1, 32))).toEqual({ status: 413 })
    await nothingStored()
  })

  test('other methods than POST and HEAD: 405', async () => {
    expect(await send('', { method: 'HEAD' })).toEqual({ status: 200 })
    expect(await send('', { method: 'HEAD', hookId: 'unknown' })).toEqual({ status: 404 })
    for (const method of ['GET', 'PUT', 'OPTIONS', 'DELETE', 'PATCH'])
      expect(await send('', { method })).toEqual({ status: 405 })
  })
})

describe('signed but not to be trusted', () => {
  test('invalid UTF-8, a BOM, a NUL: kept as it came, acknowledged, once', async () => {
    const good = Buffer.from(bodyOf(actionOf()))
    const bodies = [
      Buffer.concat([good.subarray(0, 20), Buffer.from([0xff, 0xfe]), good.subarray(20)]),
      Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), good]),
      Buffer.concat([good.subarray(0, 9), Buffer.from([0]), good.subarray(9)]),
      Buffer.from('not json'),
      Buffer.from(''),
    ]
    for (const body of bodies) expect(await send(body)).toEqual({ status: 200 })
    for (const body of bodies) expect(await send(body)).toEqual({ status: 200 })
    const kept = await undecodable()
    expect(kept).toHaveLength(bodies.length)
    expect(kept.map(({ raw }) => Buffer.from(raw!).toString('hex')).sort()).toEqual(
      bodies.map((body) => body.toString('hex')).sort(),
    )
    expect([await events(), await starts()]).toEqual([[], []])
  })

  test('nested a million deep: kept unread, no crash', async () => {
    expect(await send(`${'['.repeat(500_000)}${']'.repeat(500_000)}`)).toEqual({ status: 200 })
    expect(await undecodable()).toMatchObject([{ reason: expect.stringContaining('deeper') as string }])
  })

  test('1 MB of any shape is taken or kept unread without stalling anybody', async () => {
    for (const [shape, text] of Object.entries(shapesOf(1_000_000, appSecret, inputLimits))) {
      const deliveries = { plain: text, inside: bodyOf(actionOf()).replace('"data":{', `"data":{"extra":${text},`) }
      for (const [place, body] of Object.entries(deliveries)) {
        let receipt: unknown
        let turnMs = Infinity
        // A garbage collection of everything that the process holds counts too: never too little, at times too much.
        for (let tries = 0; tries < 3 && turnMs >= 400; tries += 1)
          ({ turnMs } = await workOf(async () => (receipt = await send(body))))
        expect(receipt, `${shape}, ${place}`).toEqual({ status: 200 })
        // Four times what is promised: a thread that shares its core counts more than it works.
        expect(turnMs, `${shape}, ${place}: longest turn, ms`).toBeLessThan(400)
      }
    }
  })

  test('names that could change a prototype are dropped', async () => {
    const body = bodyOf(actionOf()).replace(
      '"data":{',
      '"data":{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}},',
    )
    expect(await send(body)).toEqual({ status: 200 })
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined()
    expect(Buffer.from((await events())[0]!.raw!).toString()).not.toMatch(/__proto__|constructor|admin/)
    await settle(world)
    expect(JSON.stringify(world.called[0])).not.toMatch(/__proto__|admin/)
  })

  test('a number as id is no id; numbers out of range and repeated keys do no harm', async () => {
    const action = actionOf()
    expect(await send(bodyOf(action).replace(`"${action.id}"`, '12345678901234567890'))).toEqual({ status: 200 })
    expect(await undecodable()).toHaveLength(1)
    expect(await send(bodyOf(actionOf()).replace('"data":{', '"data":{"old":{"pos":1e999},'))).toEqual({ status: 200 })
    const twice = actionOf()
    expect(
      await send(bodyOf(twice).replace('"type":"createCard"', '"type":"commentCard","type":"createCard"')),
    ).toEqual({ status: 200 })
    expect((await events()).find(({ id }) => id === twice.id)?.type).toBe('createCard')
  })
})

describe('a store that cannot take it', () => {
  const failing = (store: Store, switched: { how: 'no' | 'unavailable' | 'defect' }): Store =>
    overlay(store, {
      ingest: async (arrival) => {
        if (switched.how === 'unavailable')
          throw fail('unavailable', 'The store cannot be used: the disk is full; free some space.')
        if (switched.how === 'defect') throw new TypeError('x is not a function')
        return store.ingest(arrival)
      },
      undecodable: overlay(store.undecodable, {
        add: async (row) =>
          switched.how === 'no' ? store.undecodable.add(row) : Promise.reject(fail('unavailable', 'no')),
      }),
    })

  test('never 200 without a row; 503, and the repeat is taken', async () => {
    const switched: { how: 'no' | 'unavailable' | 'defect' } = { how: 'unavailable' }
    world.restart((store) => failing(store, switched))
    const body = bodyOf(actionOf())
    expect(await send(body)).toEqual({ status: 503, retryAfterS: 30 })
    expect(await send('not json')).toEqual({ status: 503, retryAfterS: 30 })
    switched.how = 'defect'
    expect((await send(body)).status).toBe(503)
    expect(await events()).toEqual([])
    switched.how = 'no'
    const lastDeliveryAt = async () => {
      await world.triggers.ticks.alive()
      return (await world.triggers.hooks.list(caller, { limit: 10 })).items[0]!.lastDeliveryAt
    }
    expect(await lastDeliveryAt()).toBeNull()
    expect(await send(body)).toEqual({ status: 200 })
    expect(await events()).toHaveLength(1)
    expect(await lastDeliveryAt()).not.toBeNull()
  })
})

describe('a hook that has ended', () => {
  test('answers 200 and stores nothing for an hour, then 410 once the provider confirmed', async () => {
    const { items } = await world.triggers.subscriptions.list(caller, { limit: 9 })
    await world.triggers.subscriptions.remove(caller, items[0]!.id)
    expect(await send(bodyOf(actionOf()))).toEqual({ status: 200 })
    world.clock.advance(2 * 3_600_000)
    // Not confirmed yet: the provider could not be told.
    expect(await send(bodyOf(actionOf()))).toEqual({ status: 200 })
    await world.triggers.ticks.hooks()
    expect(world.board.hooks.size).toBe(0)
    expect(await send(bodyOf(actionOf()))).toEqual({ status: 410 })
    expect(await send(bodyOf(actionOf()), { signature: 'x' })).toEqual({ status: 401 })
    expect(await events()).toEqual([])
    expect((await world.triggers.counts()).ended).toBe(3)
  })

  test('confirmed within the hour: still 200 until it is over', async () => {
    const { items } = await world.triggers.subscriptions.list(caller, { limit: 9 })
    await world.triggers.subscriptions.remove(caller, items[0]!.id)
    await world.triggers.ticks.hooks()
    expect(await send(bodyOf(actionOf()))).toEqual({ status: 200 })
    world.clock.advance(3_600_000 + 1)
    expect(await send(bodyOf(actionOf()))).toEqual({ status: 410 })
  })
})

describe('who caused it', () => {
  test('the mark of this installation means us; a person at the same account is not mistaken for us', async () => {
    const mark = { 'x-trello-client-identifier': `toolyard-${await world.store.instance()}.run-1` }
    const ours = actionOf({ idMemberCreator: me, appCreator: { id: ourApp } })
    await send(bodyOf(ours), { headers: mark })
    const byHand = actionOf({ idMemberCreator: me })
    await send(bodyOf(byHand))
    const foreign = actionOf({ idMemberCreator: me, appCreator: { id: 'd'.repeat(24) } })
    await send(bodyOf(foreign), { headers: { 'x-trello-client-identifier': 'toolyard-another.run-1' } })
    const causesById = Object.fromEntries(
      (await events()).map(({ id, causedByUs, runId }) => [id, [causedByUs, runId]]),
    )
    expect(causesById).toEqual({ [ours.id]: [true, 'run-1'], [byHand.id]: [false, null], [foreign.id]: [false, null] })
    expect((await starts()).map(({ event }) => event).sort()).toEqual([byHand.id, foreign.id].sort())
  })
})
