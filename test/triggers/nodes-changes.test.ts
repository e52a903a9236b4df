/** Two processes on one database: what one changes, the other one goes by. */
import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createPack, openPostgresStore, systemClock } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import type { AgentStart } from '../../shared/runtime/triggers/index.ts'
import { startBoardSandbox } from '../../shared/sandbox/board/index.ts'
import type { BoardSandbox } from '../../shared/sandbox/board/index.ts'
import { findIds } from '../sandbox/board-client.ts'
import type { Found } from '../sandbox/board-client.ts'
import { postgresIsMissing, startPostgres } from '../support/postgres.ts'
import { caller } from '../support/world.ts'
import { startDoor, until } from '../support/agent-world.ts'

const masterKey = Buffer.alloc(32, 5)

describe.skipIf(postgresIsMissing())('two processes on one database', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  let sandbox: BoardSandbox
  let ids: Found
  const createCard = (name: string) =>
    sandbox.control.createCard({ by: 'odettequill', idList: ids.list('Ideas'), name })
  const closers: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    server = await startPostgres()
    sandbox = await startBoardSandbox({ timeScale: 0.01 })
    ids = findIds(sandbox)
  }, 60_000)
  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close()
  })
  afterAll(async () => {
    await sandbox.close()
    await server.close()
  })

  /** Providers deliver to `door.to`. */
  const openTwo = async () => {
    const url = await server.createDatabase()
    const started: { by: string; start: AgentStart }[] = []
    const door: { to: Pack | undefined } = { to: undefined }
    const { origin, close } = await startDoor(() => door.to)
    closers.push(close)
    const open = async (by: string) => {
      const pack = await createPack({
        store: await openPostgresStore({ url, clock: systemClock, log: () => {} }),
        masterKey,
        wire: { 'work-board': { baseUrl: sandbox.origin, authUrl: sandbox.origin } },
        egress: { privateOrigins: [sandbox.origin], production: false },
        publicUrl: origin,
        onStart: async (start) => void started.push({ by, start }),
        scanMs: 300,
      })
      closers.push(() => pack.close())
      return pack
    }
    const firstPack = await open('one')
    const { key, token, appSecret } = sandbox.credentials
    await firstPack.apps.put(caller, 'work-board', { key, secret: appSecret })
    const connection = await firstPack.connections.create(caller, {
      integration: 'work-board',
      type: 'key-token',
      name: 'Board',
      secrets: { key, token },
    })
    const other = await open('other')
    door.to = firstPack
    return { one: firstPack, other, door, started, connection, key, appSecret, origin }
  }
  const attach = (pack: Pack, over: Record<string, unknown> = {}) =>
    pack.subscriptions.create(caller, {
      integration: 'work-board',
      trigger: 'new-card',
      config: { boards: [ids.board] },
      agent: {},
      ...over,
    } as Parameters<Pack['subscriptions']['create']>[1])

  test('a delivery that arrives at a process which did not know of a new subscription starts it all the same', async () => {
    const { one: firstPack, other, door, started } = await openTwo()
    await firstPack.start()
    await other.start()
    for (let round = 0; round < 5; round += 1) {
      const { id } = await attach(firstPack)
      door.to = other
      createCard(`Card ${round}`)
      await until(
        'every subscription is started',
        () => started.filter(({ start }) => start.data.subscription === id).length === 1,
      )
      door.to = firstPack
    }
  })

  test('credentials that one process exchanged are used by the other one at once', async () => {
    const { one: firstPack, other, connection } = await openTwo()
    const step = { integration: 'work-board', step: 'get-boards', input: {} }
    expect((await other.steps.run(caller, step)).ok).toBe(true)
    await firstPack.connections.patch(caller, connection.id, { disabled: true })
    await until('it is disabled there', async () => !(await other.steps.run(caller, step)).ok)
    await firstPack.connections.patch(caller, connection.id, { disabled: false })
    await until('it is enabled there', async () => (await other.steps.run(caller, step)).ok)
  })

  test('a delivery signed with a secret that another process was given a moment ago is taken', async () => {
    const { one: firstPack, other, door, origin, key } = await openTwo()
    await attach(firstPack)
    door.to = other
    const [hook] = (await firstPack.hooks.list(caller, { limit: 1 })).items
    const callbackUrl = String((hook as { callbackUrl: string }).callbackUrl)
    expect(callbackUrl).toContain(origin)
    const body = JSON.stringify({ action: null })
    const post = async (secret: string) => {
      const signature = createHmac('sha1', secret)
        .update(body + callbackUrl)
        .digest('base64')
      const answer = await fetch(callbackUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-trello-webhook': signature },
        body,
      })
      return answer.status
    }
    expect(await post('another secret')).toBe(401)
    await firstPack.apps.put(caller, 'work-board', { key, secret: 'another secret' })
    expect(await post('another secret')).toBe(200)
  })

  test('limits that one process was given hold in the other one', async () => {
    const { one: firstPack, other } = await openTwo()
    await attach(other)
    await firstPack.policies.put('default', { limits: { subscriptions: 1 } }, caller)
    await until('they hold', () =>
      attach(other).then(
        ({ id }) => other.subscriptions.remove(caller, id).then(() => false),
        (thrown) => thrown.code === 'not_allowed',
      ),
    )
  })

  test('a subscription that is paused or removed in one process starts nothing in the other one', async () => {
    const { one: firstPack, other, door, started } = await openTwo()
    await firstPack.start()
    await other.start()
    const kept = await attach(firstPack)
    const removed = await attach(firstPack)
    const paused = await attach(other)
    await firstPack.subscriptions.pause(caller, paused.id)
    await other.subscriptions.remove(caller, removed.id)
    door.to = other
    createCard('For one of them')
    await until('it is started', () => started.some(({ start }) => start.data.subscription === kept.id))
    door.to = firstPack
    createCard('Another')
    await until(
      'it is started again',
      () => started.filter(({ start }) => start.data.subscription === kept.id).length === 2,
    )
    expect(started.filter(({ start }) => start.data.subscription !== kept.id)).toEqual([])
  })
})
