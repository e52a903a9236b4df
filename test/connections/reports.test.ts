import { beforeAll, expect, it } from 'vitest'
import { createMemoryStore } from '../../shared/store/index.ts'
import { connection } from '../store/make.ts'
import { openHttpWorld } from '../support/http-world.ts'
import { secretsOf } from '../support/world.ts'

let board: string
const store = createMemoryStore()
const face = await openHttpWorld({ store })
beforeAll(async () => {
  board = (await face.ask('/v1/connections')).json.items[0].id
})

const limits = async (id: string, token?: string) =>
  (await face.ask(`/v1/connections/${id}/limits`, token === undefined ? {} : { token })).json
const usage = async (id: string, token?: string) =>
  (await face.ask(`/v1/connections/${id}/usage`, token === undefined ? {} : { token })).json
const run = (token = face.token, input: object = {}, connection?: string) =>
  face.ask('/v1/steps/work-board/get-boards/run', {
    token,
    body: { input, ...(connection === undefined ? {} : { connection }) },
  })

it('counts calls of its own tenant, and what all tenants left of a shared app', async () => {
  await run()
  const first = (await limits(board)).windows
  const ofApp = (windows: { per: string; used: number; remaining: number; limit: number }[]) =>
    windows.find(({ per }) => per === 'app')!
  expect(ofApp(first).used).toBeGreaterThan(0)
  expect(ofApp(first).remaining).toBe(ofApp(first).limit - ofApp(first).used)
  await face.pack.tenants.create({ id: 'other', name: 'Other' })
  const token = await face.tokenWith(['run', 'connections', 'read'], 'other')
  await face.pack.connections.create(
    { tenant: 'other' },
    { integration: 'work-board', type: 'key-token', secrets: secretsOf(face.sandbox) },
  )
  for (let calls = 0; calls < 3; calls += 1) await run(token)
  const second = (await limits(board)).windows
  expect(ofApp(second).used).toBe(ofApp(first).used)
  expect(ofApp(second).remaining).toBeLessThan(ofApp(first).remaining)
  expect((await face.ask(`/v1/connections/${board}/limits`, { token })).status).toBe(404)
  expect((await face.ask(`/v1/connections/${board}/usage`, { token })).status).toBe(404)
})

it('says that nothing was sent where a connection was never used or cannot be opened, and shows no secret', async () => {
  const account = face.sandbox.accounts.find(({ integration }) => integration === 'contact-data')!
  const { id } = await face.pack.connections.create(
    { tenant: 'default' },
    { integration: 'contact-data', type: account.type, secrets: account.secrets },
  )
  const fresh = await limits(id)
  expect(fresh.queue).toMatchObject({ running: 0, waiting: 0 })
  expect(fresh.windows.every(({ used }: { used: number | null }) => used === null)).toBe(true)
  await face.ask(`/v1/connections/${id}`, { method: 'PATCH', body: { revoked: true } })
  expect((await limits(id)).breaker).toEqual({ state: 'closed', until: null })
  // Sealed under a key that is not here.
  await store.connections.add(connection('default', 'con_closed', { name: 'Closed', profile: null }))
  const closed = await limits('con_closed')
  expect([closed.windows.length, closed.windows[0].used, closed.queue.running]).toEqual([expect.any(Number), null, 0])
  expect(closed.windows.length).toBeGreaterThan(0)
  const shown = JSON.stringify([await limits(board), await usage(board), fresh])
  for (const secret of [...Object.values(secretsOf(face.sandbox)), ...Object.values(account.secrets), face.token])
    expect(shown).not.toContain(secret)
})

it('lists the tokens bound to it and how its last runs ended', async () => {
  const tokens = { bound: '', other: '', ended: '' }
  const ids: Record<string, string> = {}
  for (const name of ['bound', 'other', 'ended'] as const) {
    const made = await face.pack.tokens.create('default', { name, scopes: ['run', 'read'], connections: [board] })
    tokens[name] = made.text
    ids[name] = made.token.id
  }
  await face.pack.tokens.revoke('default', ids['ended']!)
  const good = await run()
  face.sandbox.board.control.fault({ match: {}, times: 1, answer: { status: 404, body: 'gone' } })
  const bad = await run()
  const boardUsage = await usage(board)
  expect(boardUsage.tokens).toEqual(
    expect.arrayContaining([
      { id: ids['bound'], name: 'bound' },
      { id: ids['other'], name: 'other' },
    ]),
  )
  expect(boardUsage.tokens).toHaveLength(2)
  expect(boardUsage.lastSuccess).toMatchObject({ runId: good.json.meta.runId, step: 'get-boards' })
  expect(boardUsage.lastError).toMatchObject({ runId: bad.json.runId, step: 'get-boards', code: bad.json.code })
  expect(boardUsage.lastError.message.length).toBeGreaterThan(10)
  // A bound token does not learn of the others.
  expect((await usage(board, tokens.bound)).tokens).toEqual([{ id: ids['bound'], name: 'bound' }])
})
