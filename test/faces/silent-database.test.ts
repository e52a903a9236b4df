import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createHttp } from '../../shared/faces/http/index.ts'
import { createPack, systemClock } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { openPostgresStore } from '../../shared/store/postgres/store.ts'
import { startSandbox } from '../../shared/sandbox/index.ts'
import type { Sandbox } from '../../shared/sandbox/index.ts'
import { postgresIsMissing, startPostgres } from '../support/postgres.ts'
import { openSilentPath } from '../support/silent-path.ts'

const limits = { connectMs: 1_500, answerMs: 3_000 }
const masterKey = Buffer.alloc(32, 7)

describe.skipIf(postgresIsMissing())('a server whose path to PostgreSQL is lost without a word', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  let sandbox: Sandbox
  beforeAll(async () => {
    server = await startPostgres()
    sandbox = await startSandbox()
  }, 60_000)
  afterAll(async () => {
    await sandbox.close()
    await server.close()
  })

  const open = async () => {
    const path = await openSilentPath(server.port)
    onTestFinished(() => path.close())
    const direct = await server.createDatabase()
    // Its schema takes longer to make than these limits allow.
    await (await openPostgresStore({ url: direct, clock: systemClock, log: () => {} })).close()
    const openPack = async (url: string) => {
      const store = await openPostgresStore({ url, clock: systemClock, log: () => {}, limits })
      const opened = await createPack({
        store,
        masterKey,
        wire: sandbox.wire,
        egress: { ownOrigins: sandbox.places.map(({ origin }) => origin) },
      })
      onTestFinished(() => (path.heal(), opened.close()))
      return opened
    }
    const pack = await openPack(path.through(direct))
    const http = await createHttp({ pack, version: '0', mcp: false })
    const origin = await http.listen({ host: '127.0.0.1', port: 0 })
    onTestFinished(() => http.close())
    const { text: token } = await pack.tokens.create('default', { name: 'All', scopes: ['run', 'connections', 'read'] })
    const { key, token: secret } = sandbox.board.credentials
    await pack.connections.create(
      { tenant: 'default' },
      { integration: 'work-board', type: 'key-token', name: 'Board', secrets: { key, token: secret } },
    )
    const ask = async (url: string, body?: object) => {
      const began = performance.now()
      const reply = await fetch(`${origin}${url}`, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      return { status: reply.status, json: (await reply.json()) as Record<string, any>, ms: performance.now() - began }
    }
    return { path, ask, pack, other: () => openPack(direct) }
  }
  const board = () => [...sandbox.board.state.boards.values()][0]!
  const list = () => [...sandbox.board.state.lists.values()].find(({ idBoard }) => idBoard === board().id)!
  const cards = (name: string) => [...sandbox.board.state.cards.values()].filter((card) => card.name === name)
  const create = (name: string) => ({ input: { idList: list().id, name } })
  const unavailable = { status: 503, json: { code: 'unavailable', retryable: true } }

  test('says at once that it is not ready, and tells callers that it is not their fault', async () => {
    const { path, ask } = await open()
    expect(await ask('/readyz')).toMatchObject({ status: 200 })
    path.lose()
    const calls = [ask('/v1/steps/work-board/create-card/run', create('lost')), ask('/v1/runs'), ask('/v1/connections')]
    let isReady = true
    for (const end = performance.now() + 30_000; isReady && performance.now() < end;) {
      const { status, ms } = await ask('/readyz')
      expect(ms).toBeLessThan(1_000)
      isReady = status === 200
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    expect(isReady).toBe(false)
    for (const call of calls) {
      const answer = await call
      expect(answer).toMatchObject(unavailable)
      expect(answer.ms).toBeLessThan(30_000)
    }
    expect(cards('lost')).toEqual([])
    path.heal()
    await expect.poll(async () => (await ask('/readyz')).status, { timeout: 30_000, interval: 200 }).toBe(200)
    expect(await ask('/v1/steps/work-board/create-card/run', create('found'))).toMatchObject({ status: 200 })
    expect(cards('found')).toHaveLength(1)
  })

  test('a key that was stored although nobody learnt it is free for another server, once the database is there', async () => {
    const { path, pack, other } = await open()
    const run = (by: Pack, name: string, idempotencyKey: string) =>
      by.steps.run(
        { tenant: 'default' },
        { integration: 'work-board', step: 'create-card', ...create(name), idempotencyKey },
      )
    const key = 'a-key-that-is-seen-on-its-way'
    path.loseAnswerTo(key)
    expect(await run(pack, 'once', key)).toMatchObject({ ok: false, failure: { code: 'unavailable', retryable: true } })
    const [again, here] = await Promise.all([run(await other(), 'once', key), run(pack, 'once', key)])
    expect([again, here]).toMatchObject([{ ok: true }, { ok: true }])
    expect(cards('once')).toHaveLength(1)
  })
})
