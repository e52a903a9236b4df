import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { createMemoryStore, openSqliteStore } from '../../shared/store/index.ts'
import { testFolder } from '../store/folder.ts'
import { caller } from '../support/world.ts'
import { connectByOAuth, connected, createCard, openOAuthWorld } from '../support/oauth-world.ts'
import type { OAuthWorld } from '../support/oauth-world.ts'
import { movableClock } from '../support/clock.ts'

let world: OAuthWorld
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/**
 * A world whose clock is ours, with an account connected by OAuth 2.0. The sandbox keeps real time, so only we think
 * that time has passed.
 */
const open = async (options: Parameters<typeof openOAuthWorld>[0] = {}) => {
  const clock = movableClock()
  world = await openOAuthWorld({ oauth: '2.0', clock, ...options })
  closers.push(() => world.close())
  const connection = connected((await connectByOAuth(world)).page)
  return { clock, connection }
}
const refreshes = () =>
  world.sandbox.board.control.requests().filter(({ path, method }) => method === 'POST' && path === '/oauth/token')
    .length - 1
const getBoards = () => world.pack.steps.run(caller, { integration: 'work-board', step: 'get-boards', input: {} })
const endTokens = () => {
  for (const token of world.sandbox.board.state.tokens.values())
    if (token.kind === 'oauth2') token.dateExpires = new Date(0).toISOString()
}

describe('refreshing', () => {
  it('before the end, once under 200 callers at a time', async () => {
    const { clock, connection } = await open()
    clock.advance(3_600_000 - 60_000)
    const before = clock.now()
    const outcomes = await Promise.all(Array.from({ length: 200 }, getBoards))
    const after = clock.now()
    expect(outcomes.find(({ ok }) => !ok)).toBeUndefined()
    expect(refreshes()).toBe(1)
    const renewedAt = Date.parse((await world.pack.connections.get(caller, connection.id)).expiresAt!) - 3_600_000
    expect([renewedAt >= before, renewedAt <= after]).toEqual([true, true])
    expect(await getBoards()).toMatchObject({ ok: true })
    expect(refreshes()).toBe(1)
  })

  it('after a 401 the call is sent again with the new token, also a create, with one refresh under 200 callers', async () => {
    await open()
    const cards = world.sandbox.board.state.cards.size
    endTokens()
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_, n) => (n % 10 === 0 ? createCard(world) : getBoards())),
    )
    expect(outcomes.find(({ ok }) => !ok)).toBeUndefined()
    expect(refreshes()).toBe(1)
    expect(world.sandbox.board.state.cards.size).toBe(cards + 20)
    expect(world.events('connection.needs_reconnect')).toEqual([])
  })

  it('a burnt refresh token ends in needs_reconnect with one notice, and no further request', async () => {
    const { connection } = await open()
    const notices: string[] = []
    world.pack.onAccountState((_, id, state, reason) => notices.push(`${id} ${state} ${reason !== null}`))
    for (const grant of world.sandbox.board.state.grants.values()) grant.refresh = 'burnt'
    endTokens()
    const outcomes = await Promise.all(Array.from({ length: 50 }, getBoards))
    expect(outcomes.every((outcome) => !outcome.ok && outcome.failure.code === 'not_connected')).toBe(true)
    expect(refreshes()).toBe(1)
    expect(notices).toEqual([`${connection.id} needs_reconnect true`])
    expect(world.events('connection.needs_reconnect')).toHaveLength(1)
    const before = world.sandbox.board.control.requests().length
    expect(await getBoards()).toMatchObject({ failure: { code: 'not_connected' } })
    expect(world.sandbox.board.control.requests().length).toBe(before)
    expect(await world.pack.connections.get(caller, connection.id)).toMatchObject({ state: 'needs_reconnect' })
    // Reconnecting puts it right again.
    expect(connected((await connectByOAuth(world, { connection: connection.id })).page)).toMatchObject({
      id: connection.id,
      state: 'connected',
    })
    expect(await getBoards()).toMatchObject({ ok: true })
    expect(notices.at(-1)).toBe(`${connection.id} connected false`)
  })

  it('a provider that is away takes nothing while the old token works, and is asked again later', async () => {
    const { clock, connection } = await open()
    world.sandbox.board.control.fault({
      match: { path: '/oauth/token' },
      times: 1,
      answer: { status: 503, body: 'away' },
    })
    clock.advance(3_600_000 - 60_000)
    expect(await getBoards()).toMatchObject({ ok: true })
    expect(await getBoards()).toMatchObject({ ok: true })
    expect(refreshes()).toBe(1)
    clock.advance(31_000)
    expect(await getBoards()).toMatchObject({ ok: true })
    expect(refreshes()).toBe(2)
    expect(await world.pack.connections.get(caller, connection.id)).toMatchObject({ state: 'connected' })
  })

  it('a refresh whose answer was lost is not sent again; the access token is used until it ends, then a person reconnects', async () => {
    const { clock, connection } = await open()
    world.sandbox.board.control.fault({
      match: { path: '/oauth/token' },
      times: 1,
      answer: { status: 504, body: 'gateway timeout' },
    })
    clock.advance(3_600_000 - 60_000)
    for (let call = 0; call < 3; call += 1) expect(await getBoards()).toMatchObject({ ok: true })
    clock.advance(40_000)
    expect(await getBoards()).toMatchObject({ ok: true })
    expect(refreshes()).toBe(1)
    expect(await world.pack.connections.get(caller, connection.id)).toMatchObject({ state: 'connected' })
    // Somebody reads the account anew, as the next process does.
    await world.pack.connections.patch(caller, connection.id, { labels: { seen: 'yes' } })
    expect(await getBoards()).toMatchObject({ ok: true })
    endTokens()
    clock.advance(60_000)
    expect(await getBoards()).toMatchObject({ failure: { code: 'not_connected' } })
    expect(await world.pack.connections.get(caller, connection.id)).toMatchObject({ state: 'needs_reconnect' })
    expect(refreshes()).toBe(1)
    expect(connected((await connectByOAuth(world, { connection: connection.id })).page)).toMatchObject({
      state: 'connected',
    })
    expect(await getBoards()).toMatchObject({ ok: true })
  })

  it('after a lost answer without an access token that works the account waits for a person, and says why', async () => {
    const { clock, connection } = await open()
    world.sandbox.board.control.fault({
      match: { path: '/oauth/token' },
      times: 1,
      answer: { status: 504, body: 'gateway timeout' },
    })
    clock.advance(3_600_001)
    expect(await getBoards()).toMatchObject({
      failure: { code: 'not_connected', message: expect.stringContaining('renewal of this authorization was lost') },
    })
    expect(await getBoards()).toMatchObject({ failure: { code: 'not_connected' } })
    expect(refreshes()).toBe(1)
    expect(await world.pack.connections.get(caller, connection.id)).toMatchObject({ state: 'needs_reconnect' })
  })

  it('a provider that is away after the end fails the call, not the account', async () => {
    const { clock, connection } = await open()
    world.sandbox.board.control.fault({
      match: { path: '/oauth/token' },
      times: 1,
      answer: { status: 503, body: 'away' },
    })
    clock.advance(3_600_001)
    expect(await getBoards()).toMatchObject({ failure: { code: 'provider_failed', retryable: true } })
    expect(await world.pack.connections.get(caller, connection.id)).toMatchObject({ state: 'connected' })
    expect(await getBoards()).toMatchObject({ ok: true })
  })

  it('a token that lives shorter than the margin is not refreshed at every call', async () => {
    const clock = movableClock()
    world = await openOAuthWorld({ oauth: '2.0', clock })
    closers.push(() => world.close())
    world.sandbox.board.control.settings({ accessTokenMs: 60_000 })
    connected((await connectByOAuth(world)).page)
    for (let call = 0; call < 5; call += 1) expect(await getBoards()).toMatchObject({ ok: true })
    expect(refreshes()).toBe(1)
    clock.advance(50_000)
    expect(await getBoards()).toMatchObject({ ok: true })
    expect(refreshes()).toBe(2)
  })

  it("a process killed between the provider's answer and the store ends in one reconnect, never in a wrong token", async () => {
    const [before, after] = [await testFolder(), await testFolder()]
    const masterKey = randomBytes(32)
    const clock = movableClock()
    const store = await openSqliteStore({ directory: before, now: clock.now })
    world = await openOAuthWorld({ oauth: '2.0', clock, store, masterKey })
    const connection = connected((await connectByOAuth(world)).page)
    await store.backup(join(before, 'killed.db'))
    clock.advance(3_600_000)
    expect(await getBoards()).toMatchObject({ ok: true })
    expect(refreshes()).toBe(1)
    const { sandbox } = world
    await world.pack.close()
    // What the disk holds when the process dies before it has written the new token: the spent one.
    await copyFile(join(before, 'killed.db'), join(after, 'toolyard.db'))
    const again = await openSqliteStore({ directory: after, now: clock.now })
    world = await openOAuthWorld({ oauth: '2.0', clock, store: again, masterKey, sandbox })
    closers.push(
      () => sandbox.close(),
      () => world.pack.close(),
    )
    const outcomes = await Promise.all(Array.from({ length: 20 }, getBoards))
    expect(outcomes.every((outcome) => !outcome.ok && outcome.failure.code === 'not_connected')).toBe(true)
    expect(world.events('connection.needs_reconnect')).toHaveLength(1)
    expect(await world.pack.connections.get(caller, connection.id)).toMatchObject({ state: 'needs_reconnect' })
    expect(connected((await connectByOAuth(world, { connection: connection.id })).page)).toMatchObject({
      state: 'connected',
    })
  })

  it('what is in the store after a refresh works in the next process', async () => {
    const directory = await testFolder()
    const masterKey = randomBytes(32)
    const clock = movableClock()
    world = await openOAuthWorld({
      oauth: '2.0',
      clock,
      masterKey,
      store: await openSqliteStore({ directory, now: clock.now }),
    })
    connected((await connectByOAuth(world)).page)
    clock.advance(3_590_000)
    await getBoards()
    const { sandbox } = world
    await world.pack.close()
    world = await openOAuthWorld({
      oauth: '2.0',
      clock,
      masterKey,
      sandbox,
      store: await openSqliteStore({ directory, now: clock.now }),
    })
    closers.push(
      () => sandbox.close(),
      () => world.pack.close(),
    )
    expect(await getBoards()).toMatchObject({ ok: true })
    clock.advance(3_590_000)
    expect(await getBoards()).toMatchObject({ ok: true })
    expect(refreshes()).toBe(2)
  })

  it('an account that is reconnected while a refresh is under way keeps what it was reconnected with', async () => {
    const store = createMemoryStore()
    const { clock, connection } = await open({ store })
    // The refresh is held where it asks for the app, so that it ends after the reconnect however long that takes.
    const { get } = store.apps
    const [held, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    store.apps.get = async (...getArguments) => {
      store.apps.get = get
      held.resolve()
      await go.promise
      return get(...getArguments)
    }
    clock.advance(3_590_000)
    const waiting = getBoards()
    await held.promise
    const again = connected((await connectByOAuth(world, { connection: connection.id })).page)
    const [kept] = await store.connections.list('default')
    go.resolve()
    await waiting
    expect(refreshes()).toBe(2)
    expect(await store.connections.list('default')).toMatchObject([{ secrets: kept!.secrets }])
    expect(await world.pack.connections.get(caller, again.id)).toMatchObject({ state: 'connected' })
    clock.advance(1000)
    expect(await getBoards()).toMatchObject({ ok: true })
  })
})

describe("secrets in the platform's own vault", () => {
  it('are asked for, never stored, and asked for again when the provider refuses them', async () => {
    const vault = { key: '', token: '' }
    let resolveCount = 0
    world = await openOAuthWorld({
      credentials: {
        resolve: async (tenant, ref) => {
          resolveCount += 1
          expect([tenant, ref]).toEqual(['default', 'vault-1'])
          return { ...vault }
        },
      },
    })
    closers.push(() => world.close())
    const { board } = world.sandbox
    Object.assign(vault, { key: board.credentials.key, token: board.credentials.token })
    const made = await world.pack.connections.create(caller, {
      integration: 'work-board',
      type: 'key-token',
      externalId: 'vault-1',
    })
    expect(made).toMatchObject({ state: 'connected', secrets: {} })
    expect(await getBoards()).toMatchObject({ ok: true })
    const after = resolveCount
    expect(await getBoards()).toMatchObject({ ok: true })
    expect(resolveCount).toBe(after)
    // The platform exchanged the token; the old one is refused, the new one is fetched once for all who wait.
    board.control.revokeToken({ token: vault.token })
    vault.token = board.control.issueToken({ read: true, write: true }).token
    const outcomes = await Promise.all(Array.from({ length: 50 }, getBoards))
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(50)
    expect(resolveCount).toBe(after + 1)
    board.control.revokeToken({ token: vault.token })
    expect(await getBoards()).toMatchObject({ failure: { code: 'not_connected' } })
    expect(resolveCount).toBe(after + 2)
    expect(await world.pack.connections.get(caller, made.id)).toMatchObject({ state: 'needs_reconnect' })
  })
})
