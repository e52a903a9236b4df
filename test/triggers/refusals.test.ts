import { createHmac } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { appSecret, caller, connectionRow, openHouse, settle, someoneElse, subscribe } from './house.ts'
import type { House } from './house.ts'

let house: House
let board: string
let list: string
const person = { member: someoneElse }
const open = async (options: Parameters<typeof openHouse>[0] = {}) => {
  house = await openHouse(options)
  board = house.board.addBoard('Launch plan')
  list = house.board.addList('Ideas')
}
beforeEach(() => open())
afterEach(() => house.close())

const hookNow = async () => (await house.triggers.hooks.list(caller, { limit: 9 })).items[0]!
const gaps = async () => (await house.triggers.gaps.list(caller, { limit: 9 })).items

describe('an account that was connected with the key of another app', () => {
  const other = { app: { key: 'another-app-key', secrets: [appSecret] } }

  test('gets no webhook: its deliveries could not be verified, and what to do is said', async () => {
    await house.close()
    await open({ app: other })
    await expect(subscribe(house, 'new-card', { boards: [board] })).rejects.toThrow(
      /connection "Board" uses the key of another app.*PUT \/v1\/apps\/work-board.*"poll"/,
    )
    await expect(subscribe(house, 'new-label-added-to-card', { boards: [board] })).rejects.toThrow(
      /key of another app.*cannot be polled either/,
    )
    expect(house.board.hooks.size).toBe(0)
    expect((await house.triggers.subscriptions.list(caller, { limit: 9 })).items).toEqual([])
  })

  test('is polled where that is asked for', async () => {
    await house.close()
    await open({ app: other })
    expect(await subscribe(house, 'new-card', { boards: [board] }, { options: { delivery: 'poll' } })).toMatchObject({
      state: 'active',
      delivery: 'poll',
    })
  })

  test('each kind of account is held to the key and the secret of its own signer', async () => {
    await house.close()
    await open({ app: { client: { key: 'client-id', secrets: [] } } })
    await house.store.connections.patch('t1', 'con_1', { type: 'oauth', oauthVersion: '2.0' })
    await expect(subscribe(house, 'new-card', { boards: [board] })).rejects.toThrow(
      /no app secret is known. Store the clientSecret/,
    )
    await house.close()
    await open({ app: { client: { key: 'client-id', secrets: ['client secret'] } } })
    await house.store.connections.add(
      connectionRow(house.vault, { id: 'con_2', name: 'By OAuth 2.0', type: 'oauth', oauthVersion: '2.0' }),
    )
    await expect(subscribe(house, 'new-card', { boards: [board] }, { connection: 'con_2' })).rejects.toThrow(
      /key of another app/,
    )
    expect(await subscribe(house, 'new-card', { boards: [board] }, { connection: 'con_1' })).toMatchObject({
      delivery: 'webhook',
    })
  })
})

describe('deliveries that are refused', () => {
  /** The secret of the app is changed at the provider, and nobody told us. */
  const sendForged = async (count = 1) => {
    for (let n = 0; n < count; n += 1) house.board.addCard(board, list, 'Signed by another secret', person)
    for (const delivery of house.board.deliveries) delivery.forged = true
    await house.board.pump()
    await house.triggers.ticks.aside()
  }

  test('show at once in the hook, the subscription and a gap; what the history tells still starts the agent', async () => {
    const { id } = await subscribe(house, 'new-board-activity', { boards: [board] })
    house.clock.advance(1000)
    expect(await hookNow()).toMatchObject({ state: 'active', failures: 0, refused: 0, lastRefusedAt: null })
    await sendForged()
    const at = new Date(house.clock.now()).toISOString()
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
    expect(await house.triggers.subscriptions.get(caller, id)).toMatchObject({ state: 'active', stateReason: reason })
    expect((await gaps()).map(({ reason: why, to }) => [why, to])).toContainEqual([reason, at])
    await settle(house)
    expect(house.called).toMatchObject([
      { data: { via: 'recovery', event: { card: { name: 'Signed by another secret' } } } },
    ])
  })

  test('end with the first that is accepted', async () => {
    const { id } = await subscribe(house, 'new-card', { boards: [board] })
    house.clock.advance(1000)
    await sendForged(2)
    house.clock.advance(1000)
    const card = house.board.addCard(board, list, 'Genuine', person)
    await settle(house)
    expect(await hookNow()).toMatchObject({
      state: 'active',
      stateReason: null,
      failures: 0,
      refused: 0,
      lastRefusedAt: null,
    })
    expect(await house.triggers.subscriptions.get(caller, id)).toMatchObject({ state: 'active', stateReason: null })
    expect(house.called.map(({ data }) => data.id)).toContain(card.id)
    expect(house.called).toHaveLength(3)
  })

  test('show over a restart too, and for each cause', async () => {
    await subscribe(house, 'new-card', { boards: [board] })
    const [hook] = await house.store.hooks.all()
    const send = async (headers: Record<string, string>, body = Buffer.from('{}')) => {
      const signature = createHmac('sha1', appSecret).update(body).update(hook!.callbackUrl).digest('base64')
      await house.triggers.receive({
        integration: 'work-board',
        hookId: hook!.id,
        method: 'POST',
        headers: { 'x-trello-webhook': signature, ...headers },
        body,
      })
      await house.triggers.ticks.aside()
      house.clock.advance(10_000)
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
    house.restart()
    expect(await hookNow()).toMatchObject({ state: 'failing', refused: 3 })
  })

  test('a flood of forgeries at a known address stops nothing, and is counted without a write or a listing for each', async () => {
    await subscribe(house, 'new-card', { boards: [board] })
    house.clock.advance(1000)
    const [hook] = await house.store.hooks.all()
    let writes = 0
    let listings = 0
    const { patch } = house.store.hooks
    house.store.hooks.patch = (...patchArguments) => ((writes += 1), patch(...patchArguments))
    const { answer } = house.board
    house.board.answer = (request) => ((listings += 1), answer(request))
    const forgery = {
      integration: 'work-board',
      hookId: hook!.id,
      method: 'POST',
      headers: { 'x-trello-webhook': 'A'.repeat(27) + '=' },
      body: Buffer.from('{}'),
    }
    for (let n = 0; n < 1000; n += 1) await house.triggers.receive(forgery)
    await house.triggers.ticks.aside()
    expect([writes, listings]).toEqual([1, 1])
    house.clock.advance(30_000)
    await house.triggers.ticks.alive()
    expect(await hookNow()).toMatchObject({ state: 'failing', refused: 1000 })
    const card = house.board.addCard(board, list, 'Genuine', person)
    await settle(house)
    expect(house.called.map(({ data }) => data.id)).toEqual([card.id])
    expect((await house.store.hooks.all())[0]).toMatchObject({ state: 'active', refused: 0 })
  })

  test('forgeries between genuine deliveries do not make each of those list the history either', async () => {
    await subscribe(house, 'new-card', { boards: [board] })
    house.clock.advance(1000)
    const [hook] = await house.store.hooks.all()
    let writes = 0
    let listings = 0
    const { patch } = house.store.hooks
    house.store.hooks.patch = (...patchArguments) => ((writes += 1), patch(...patchArguments))
    const { answer } = house.board
    house.board.answer = (request) => ((listings += 1), answer(request))
    const body = Buffer.from('{}')
    const genuine = createHmac('sha1', appSecret).update(body).update(hook!.callbackUrl).digest('base64')
    const send = async (signature: string) => {
      const headers = { 'content-type': 'application/json', 'x-trello-webhook': signature }
      await house.triggers.receive({ integration: 'work-board', hookId: hook!.id, method: 'POST', headers, body })
      await house.triggers.ticks.aside()
      house.clock.advance(100)
    }
    for (let n = 0; n < 20; n += 1) {
      await send('A'.repeat(27) + '=')
      await send(genuine)
    }
    expect(listings).toBeLessThanOrEqual(2)
    expect(writes).toBeLessThanOrEqual(3)
    house.clock.advance(60_000)
    await house.triggers.ticks.alive()
    await house.triggers.ticks.aside()
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
    await subscribe(house, 'new-card', { boards: [board] })
    for (const boardHook of house.board.hooks.values()) boardHook.consecutiveFailures = 3
    await house.triggers.hooks.reconcile(caller, 'con_1')
    expect(await hookNow()).toMatchObject({
      state: 'failing',
      failures: 3,
      stateReason: expect.stringContaining('3 failed deliveries') as string,
    })
    // The next one that arrives ends it, before the provider is asked again.
    house.clock.advance(30_000)
    house.board.addCard(board, list, 'arrives', { member: someoneElse })
    await settle(house)
    await house.triggers.ticks.alive()
    expect(await hookNow()).toMatchObject({ state: 'active', failures: 0 })
  })
})
