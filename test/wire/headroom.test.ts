import { describe, expect, it } from 'vitest'
import { account, listen, open, profileFor, realOptions, reply } from './setup.ts'
import { createWire } from '../../shared/wire/index.ts'
import type { Call } from '../../shared/wire/index.ts'

const until = async (isTrue: () => boolean) => {
  while (!isTrue()) await new Promise((done) => setTimeout(done, 5))
}

describe('headroom', () => {
  it('shows what is used, what is under way and what waits, and makes nothing up', async () => {
    const sink = await listen()
    const held: (() => void)[] = []
    sink.answer = (_, response) => void held.push(() => reply(response, 200, {}))
    const wire = createWire(realOptions([sink.origin]))
    const limits = [
      { per: 'connection' as const, max: 2, windowMs: 60_000 },
      { per: 'route' as const, max: 5, windowMs: 60_000, route: '/1/slow' },
    ]
    const profile = profileFor(sink.origin, { pace: { limits, concurrency: 9 } })
    const of = { integration: 'test', profile, account: account() }
    const call: Call = { ...of, method: 'GET', path: '/1/x', effect: 'read', policy: open }
    const unused = { used: null, remaining: null, resetsAt: null, pausedUntil: null }
    expect(wire.headroom(of)).toEqual({
      windows: [
        { per: 'connection', route: null, limit: 2, windowMs: 60_000, ...unused },
        { per: 'route', route: '/1/slow', limit: 5, windowMs: 60_000, ...unused },
      ],
      queue: { running: 0, waiting: 0, concurrency: 9 },
      breaker: { state: 'closed', until: null },
    })
    const stop = new AbortController()
    const calls = Array.from({ length: 3 }, () =>
      wire.exchange({ ...call, signal: stop.signal, deadlineAt: performance.now() + 600_000 }),
    )
    const settled = Promise.allSettled(calls)
    await until(() => held.length === 2)
    expect(wire.headroom(of)).toMatchObject({
      windows: [{ used: 2, remaining: 0, resetsAt: null }, { used: null }],
      queue: { running: 2, waiting: 1 },
    })
    // Another account has limits of its own.
    expect(wire.headroom({ ...of, account: account({ key: 't/other' }) })).toMatchObject({
      windows: [{ used: null }, {}],
      queue: { running: 0, waiting: 0 },
    })
    held.shift()!()
    await until(() => wire.headroom(of).queue.running === 1)
    // When the other one ends is not known.
    expect(wire.headroom(of).windows[0]).toMatchObject({ used: 2, resetsAt: null })
    const before = Date.now()
    for (const answer of held.splice(0)) answer()
    await until(() => wire.headroom(of).queue.running === 0)
    const { windows, queue } = wire.headroom(of)
    expect([windows[0]!.used, queue.waiting]).toEqual([2, 1])
    expect(windows[0]!.resetsAt! - before).toBeGreaterThan(59_000)
    expect(windows[0]!.resetsAt! - before).toBeLessThan(90_000)
    stop.abort()
    await settled
    await wire.close()
  })

  it('shows a pause that the provider asked for, also where the profile has no limit', async () => {
    const sink = await listen()
    sink.answer = (_, response) => response.writeHead(429, { 'retry-after': '3000' }).end()
    const wire = createWire(realOptions([sink.origin]))
    const of = {
      integration: 'test',
      profile: profileFor(sink.origin, { pace: { limits: [], concurrency: 9 } }),
      account: account(),
    }
    await expect(
      wire.exchange({ ...of, method: 'GET', path: '/1/x', effect: 'read', policy: open }),
    ).rejects.toMatchObject({ code: 'rate_limited' })
    const { windows } = wire.headroom(of)
    expect(windows).toMatchObject([{ per: 'connection', limit: null, used: null }])
    expect(windows[0]!.pausedUntil! - Date.now()).toBeGreaterThan(2_900_000)
    await wire.close()
  })

  it('shows an open breaker until it is tried again', async () => {
    const sink = await listen()
    sink.answer = (_, response) => reply(response, 500, {})
    const wire = createWire(realOptions([sink.origin]))
    const of = { integration: 'test', profile: profileFor(sink.origin), account: account() }
    const send = () => wire.exchange({ ...of, method: 'POST', path: '/1/x', effect: 'create', policy: open })
    await Promise.allSettled(Array.from({ length: 12 }, send))
    const { breaker } = wire.headroom(of)
    expect(breaker.state).toBe('open')
    expect(breaker.until! - Date.now()).toBeGreaterThan(0)
    await wire.close()
  })
})
