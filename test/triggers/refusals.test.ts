import { createHmac } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { appSecret, caller, connectionRow, openTriggerWorld, settle, someoneElse, subscribe } from './world.ts'
import type { TriggerWorld } from './world.ts'

let world: TriggerWorld
let board: string
let list: string
const person = { member: someoneElse }
const open = async (options: Parameters<typeof openTriggerWorld>[0] = {}) => {
  world = await openTriggerWorld(options)
  board = world.board.addBoard('Launch plan')
  list = world.board.addList('Ideas')
}
beforeEach(() => open())
afterEach(() => world.close())

const hookNow = async () => (await world.triggers.hooks.list(caller, { limit: 9 })).items[0]!
const gaps = async () => (await world.triggers.gaps.list(caller, { limit: 9 })).items

describe('an account that was connected with the key of another app', () => {
  const other = { app: { key: 'another-app-key', secrets: [appSecret] } }

  test('gets no webhook: its deliveries could not be verified, and what to do is said', async () => {
    await world.close()
    await open({ app: other })
    await expect(subscribe(world, 'new-card', { boards: [board] })).rejects.toThrow(
      /connection "Board" uses the key of another app.*PUT \/v1\/apps\/work-board.*"poll"/,
    )
    await expect(subscribe(world, 'new-label-added-to-card', { boards: [board] })).rejects.toThrow(
      /key of another app.*cannot be polled either/,
    )
    expect(world.board.hooks.size).toBe(0)
    expect((await world.triggers.subscriptions.list(caller, { limit: 9 })).items).toEqual([])
  })

  test('is polled where that is asked for', async () => {
    await world.close()
    await open({ app: other })
    expect(await subscribe(world, 'new-card', { boards: [board] }, { options: { delivery: 'poll' } })).toMatchObject({
      state: 'active',
      delivery: 'poll',
    })
  })

  test('each kind of account is held to the key and the secret of its own signer', async () => {
    await world.close()
    await open({ app: { client: { key: 'client-id', secrets: [] } } })
    await world.store.connections.patch('t1', 'con_1', { type: 'oauth', oauthVersion: '2.0' })
    await expect(subscribe(world, 'new-card', { boards: [board] })).rejects.toThrow(
      /no app secret is known. Store the clientSecret/,
    )
    await world.close()
    await open({ app: { client: { key: 'client-id', secrets: ['client secret'] } } })
    await world.store.connections.add(
      connectionRow(world.vault, { id: 'con_2', name: 'By OAuth 2.0', type: 'oauth', oauthVersion: '2.0' }),
    )
    await expect(subscribe(world, 'new-card', { boards: [board] }, { connection: 'con_2' })).rejects.toThrow(
      /key of another app/,
    )
    expect(await subscribe(world, 'new-card', { boards: [board] }, { connection: 'con_1' })).toMatchObject({
      delivery: 'webhook',
    })
  })
})

describe('deliveries that are refused', () => {
  /** The secret of the app is changed at the provider, and nobody told us. */
  const sendForged = async (count = 1) => {
    for (let n = 0; n < count; n += 1) world.board.addCard(board, list, 'Signed by another secret', person)
    for (const delivery of world.board.deliveries) delivery.forged = true
    await world.board.pump()
    await world.triggers.ticks.aside()
  }

  test('show at once in the hook, the subscription and a gap; what the history tells still starts the agent', async () => {
    const { id } = await subscribe(world, 'new-board-activity', { boards: [board] })
    world.clock.advance(1000)
    expect(await hookNow()).toMatchObject({ state: 'active', failures: 0, refused: 0, lastRefusedAt: null })
    await sendForged()
    const at = new Date(world.clock.now()).toISOString()
    const reason = expect.stringMatching(
      /refused.*signature matches no stored secret.*PUT \/v1\/apps\/work-board/,
    ) as string
    expect(await hookNow()).toMatchObject({
      state: 'failing',
      stateReason: reason,
      failures: 1,
      refused: 1,
      lastRefusedAt: at,
    })
    expect(await world.triggers.subscriptions.get(caller, id)).toMatchObject({ state: 'active', stateReason: reason })
    expect((await gaps()).map(({ reason: why, to }) => [why, to])).toContainEqual([reason, at])
    await settle(world)
    expect(world.called).toMatchObject([
      { data: { via: 'recovery', event: { card: { name: 'Signed by another secret' } } } },
    ])
  })

  test('end with the first that is accepted', async () => {
    const { id } = await subscribe(world, 'new-card', { boards: [board] })
    world.clock.advance(1000)
    await sendForged(2)
    world.clock.advance(1000)
    const card = world.board.addCard(board, list, 'Genuine', person)
    await settle(world)
    expect(await hookNow()).toMatchObject({
      state: 'active',
      stateReason: null,
      failures: 0,
      refused: 0,
      lastRefusedAt: null,
    })
    expect(await world.triggers.subscriptions.get(caller, id)).toMatchObject({ state: 'active', stateReason: null })
    expect(world.called.map(({ data }) => data.id)).toContain(card.id)
    expect(world.called).toHaveLength(3)
  })

  test('show over a restart too, and for each cause', async () => {
    await subscribe(world, 'new-card', { boards: [board] })
    const [hook] = await world.store.hooks.all()
    const send = async (headers: Record<string, string>, body = Buffer.from('{}')) => {
      const signature = createHmac('sha1', appSecret).update(body).update(hook!.callbackUrl).digest('base64')
      await world.triggers.receive({
        integration: 'work-board',
        hookId: hook!.id,
        method: 'POST',
        headers: { 'x-trello-webhook': signature, ...headers },
        body,
      })
      await world.triggers.ticks.aside()
      world.clock.advance(10_000)
    }
    await send({ 'content-type': 'application/json', 'content-encoding': 'gzip' })
    expect(await hookNow()).toMatchObject({
      state: 'failing',
      stateReason: expect.stringContaining('compressed') as string,
    })
    await send({ 'content-type': 'text/plain' })
    expect(await hookNow()).toMatchObject({ stateReason: expect.stringContaining('not JSON') as string, refused: 2 })
    await send({}, Buffer.alloc(1024 * 1024 + 1))
    expect(await hookNow()).toMatchObject({ stateReason: expect.stringContaining('larger than') as string, refused: 3 })
    world.restart()
    expect(await hookNow()).toMatchObject({ state: 'failing', refused: 3 })
  })

  test('a flood of forgeries at a known address stops nothing, and is counted without a write or a listing for each', async () => {
    await subscribe(world, 'new-card', { boards: [board] })
    world.clock.advance(1000)
    const [hook] = await world.store.hooks.all()
    let writes = 0
    let listings = 0
    const { patch } = world.store.hooks
    world.store.hooks.patch = (...patchArguments) => ((writes += 1), patch(...patchArguments))
    const { answer } = world.board
    world.board.answer = (request) => ((listings += 1), answer(request))
    const forgery = {
      integration: 'work-board',
      hookId: hook!.id,
      method: 'POST',
      headers: { 'x-trello-webhook': 'A'.repeat(27) + '=' },
      body: Buffer.from('{}'),
    }
    for (let n = 0; n < 1000; n += 1) await world.triggers.receive(forgery)
    await world.triggers.ticks.aside()
    expect([writes, listings]).toEqual([1, 1])
    world.clock.advance(30_000)
    await world.triggers.ticks.alive()
    expect(await hookNow()).toMatchObject({ state: 'failing', refused: 1000 })
    const card = world.board.addCard(board, list, 'Genuine', person)
    await settle(world)
    expect(world.called.map(({ data }) => data.id)).toEqual([card.id])
    expect((await world.store.hooks.all())[0]).toMatchObject({ state: 'active', refused: 0 })
  })

  test('forgeries between genuine deliveries do not make each of those list the history either', async () => {
    await subscribe(world, 'new-card', { boards: [board] })
    world.clock.advance(1000)
    const [hook] = await world.store.hooks.all()
    let writes = 0
    let listings = 0
    const { patch } = world.store.hooks
    world.store.hooks.patch = (...patchArguments) => ((writes += 1), patch(...patchArguments))
    const { answer } = world.board
    world.board.answer = (request) => ((listings += 1), answer(request))
    const body = Buffer.from('{}')
    const genuine = createHmac('sha1', appSecret).update(body).update(hook!.callbackUrl).digest('base64')
    const send = async (signature: string) => {
      const headers = { 'content-type': 'application/json', 'x-trello-webhook': signature }
      await world.triggers.receive({ integration: 'work-board', hookId: hook!.id, method: 'POST', headers, body })
      await world.triggers.ticks.aside()
      world.clock.advance(100)
    }
    for (let n = 0; n < 20; n += 1) {
      await send('A'.repeat(27) + '=')
      await send(genuine)
    }
    expect(listings).toBeLessThanOrEqual(2)
    expect(writes).toBeLessThanOrEqual(3)
    world.clock.advance(60_000)
    await world.triggers.ticks.alive()
    await world.triggers.ticks.aside()
    expect(
      await hookNow(),
      'what was refused meanwhile is looked for, and the hook is as good as its last delivery',
    ).toMatchObject({
      state: 'active',
      refused: 0,
    })
    expect(listings).toBeGreaterThan(2)
  })

  test('failures that only the provider counts show too', async () => {
    await subscribe(world, 'new-card', { boards: [board] })
    for (const boardHook of world.board.hooks.values()) boardHook.consecutiveFailures = 3
    await world.triggers.hooks.reconcile(caller, 'con_1')
    expect(await hookNow()).toMatchObject({
      state: 'failing',
      failures: 3,
      stateReason: expect.stringContaining('3 failed deliveries') as string,
    })
    // The next one that arrives ends it, before the provider is asked again.
    world.clock.advance(30_000)
    world.board.addCard(board, list, 'arrives', { member: someoneElse })
    await settle(world)
    await world.triggers.ticks.alive()
    expect(await hookNow()).toMatchObject({ state: 'active', failures: 0 })
  })
})
