/**
 * One hostile tenant does its worst; what another one asks for is counted: nothing refused, and nothing that waits
 * behind it.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import type { Delivered } from '../../shared/wire/types.ts'
import { connectionRow, openTriggerWorld as openTriggers, someoneElse } from '../triggers/world.ts'
import { openTenantsWorld } from './world.ts'
import type { TenantsWorld } from './world.ts'

let world: TenantsWorld
beforeEach(async () => void (world = await openTenantsWorld()))

const times = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Some calls, a stream and a session of the quiet tenant; gives how many of each were refused. */
const everything = async () => {
  const refused = { calls: 0, streams: 0, sessions: 0 }
  const calls = await times(20, () => world.run(world.quiet, 'get-boards', {}))
  refused.calls = calls.filter(({ status }) => status !== 200).length
  const leaving = new AbortController()
  const stream = await world.ask(world.quiet, '/v1/stream', { signal: leaving.signal })
  if (stream.status !== 200) refused.streams += 1
  leaving.abort()
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'quiet', version: '1' } }
  const session = await world.ask(world.quiet, '/mcp', {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello }),
  })
  if (session.headers.get('mcp-session-id') === null) refused.sessions += 1
  await session.text()
  return refused
}
const nothing = { calls: 0, streams: 0, sessions: 0 }

describe('while another tenant does its worst', () => {
  test('breaker: the provider fails every call of it', async () => {
    world.provider.moods.set('hostile', 'fails')
    const statuses = await times(40, (n) =>
      world.run(world.hostile, 'create-card', { idList: '5f1c5f1c5f1c5f1c5f1c5f1c', name: `Card ${n}` }),
    )
    expect(statuses.every(({ status }) => status !== 200)).toBe(true)
    // Its own breaker is open.
    const sent = world.provider.calls('hostile')
    await world.run(world.hostile, 'create-card', { idList: '5f1c5f1c5f1c5f1c5f1c5f1c', name: 'One more' })
    expect(world.provider.calls('hostile')).toBe(sent)
    expect(await everything()).toEqual(nothing)
  })

  test('queue: 2,600 of its runs wait for a provider that hangs, and the next ones are refused', async () => {
    world.provider.moods.set('hostile', 'hangs')
    const caller = { tenant: 'hostile' }
    const runs = Array.from({ length: 2_600 }, () =>
      world.pack.steps.run(caller, { integration: 'work-board', step: 'get-boards', input: {} }),
    )
    let ended = 0
    let refused = 0
    for (const run of runs) {
      run.then(
        () => (ended += 1),
        () => (refused += 1),
      )
    }
    await settled()
    expect(refused).toBe(2_600 - 512 - 2_000)
    expect(await everything()).toEqual(nothing)
    // Not one of them had to end first.
    expect(ended).toBe(0)
    expect(world.pack.limits.waiting()).toBe(2_000)
    world.provider.moods.set('hostile', 'well')
    world.provider.release()
    await Promise.allSettled(runs)
  })

  test('huge rows: labels by the thousand and outcomes by the megabyte are bounded for itself alone', async () => {
    const labels = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`l${n}`, 'x'.repeat(10)]))
    const patched = await world.ask(world.hostile, `/v1/connections/${world.hostile.connection}`, {
      method: 'PATCH',
      body: JSON.stringify({ labels }),
    })
    expect([patched.status, ((await patched.json()) as { detail: string }).detail]).toEqual([
      400,
      expect.stringMatching(/ask the operator to raise the limit "labels"/),
    ])
    const most = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`l${n}`.padEnd(64, 'n'), 'x'.repeat(256)]))
    const accepted = await world.ask(world.hostile, `/v1/connections/${world.hostile.connection}`, {
      method: 'PATCH',
      body: JSON.stringify({ labels: most }),
    })
    expect(accepted.status).toBe(200)
    const listed = await (await world.ask(world.hostile, '/v1/connections?limit=100')).text()
    expect(listed.length).toBeLessThan(30_000)
    await times(300, (n) => world.run(world.hostile, 'get-boards', {}, { 'idempotency-key': `k${n}` }))
    expect(await everything()).toEqual(nothing)
  })

  test('streams: it opens as many as it gets', async () => {
    const leaving = new AbortController()
    const opened: Response[] = []
    for (let n = 0; n < 150; n += 1)
      opened.push(await world.ask(world.hostile, '/v1/stream', { signal: leaving.signal }))
    expect(opened.some(({ status }) => status === 429)).toBe(true)
    expect(await everything()).toEqual(nothing)
    leaving.abort()
  })

  test('MCP sessions: it opens as many as it gets and holds each', async () => {
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'hostile', version: '1' } }
    const sessions = await times(210, () =>
      world.ask(world.hostile, '/mcp', {
        method: 'POST',
        headers: { accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello }),
      }),
    )
    await Promise.all(sessions.map((session) => session.text()))
    expect(await everything()).toEqual(nothing)
  })
})

test('silent agents: 200 starts of another tenant are never answered, and the start of this one goes out at once', async () => {
  const triggers = await openTriggers()
  const list = triggers.board.addList('Ideas')
  const fine: Delivered = { status: 200, headers: {}, message: '' }
  triggers.agent.answer = ({ url }) => (url.includes('silent') ? new Promise<Delivered>(() => {}) : fine)
  const attach = async (tenant: string, url: string) => {
    await triggers.store.connections.add(connectionRow(triggers.vault, { tenant, id: `con_${tenant}` }))
    const board = triggers.board.addBoard(`Plan of ${tenant}`)
    const request = {
      integration: 'work-board',
      trigger: 'new-card',
      connection: `con_${tenant}`,
      config: { boards: [board] },
      agent: { url },
    }
    await triggers.triggers.subscriptions.create({ tenant }, request)
    triggers.clock.advance(1000)
    return board
  }
  const [loud, quiet] = [
    await attach('hostile', 'https://silent.example/'),
    await attach('quiet', 'https://quiet.example/'),
  ]
  for (const [board, count] of [
    [loud, 200],
    [quiet, 3],
  ] as const) {
    for (let n = 0; n < count; n += 1) triggers.board.addCard(board, list, `Card ${n}`, { member: someoneElse })
    await triggers.board.pump()
    await triggers.triggers.ticks.dispatch()
  }
  expect(triggers.requests.filter(({ url }) => url.includes('quiet')).length).toBe(3)
  await triggers.close()
})
