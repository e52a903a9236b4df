import { describe, expect, it } from 'vitest'
import { account, listen, open, profileFor, realOptions, reply } from './setup.ts'
import { createWire } from '../../shared/wire/index.ts'
import type { Call } from '../../shared/wire/index.ts'

describe('breakers of several processes', () => {
  it('leave a provider alone that one of them found to fail, until one finds it well', async () => {
    const sink = await listen()
    let status = 500
    let requests = 0
    sink.answer = (_, response) => {
      requests += 1
      reply(response, status, {})
    }
    let passed = 0
    const options = { ...realOptions([sink.origin]), monotonic: () => performance.now() + passed }
    const breakerNotices: string[] = []
    const firstWire = createWire({ ...options, onBreaker: (notice) => void breakerNotices.push(notice) })
    const other = createWire(options)
    const profile = profileFor(sink.origin, { pace: { limits: [], concurrency: 50 } })
    const of = { integration: 'test', profile, account: account() }
    const call: Call = { ...of, method: 'GET', path: '/1/x', effect: 'read', policy: open, noWait: true }
    const send = (wire: typeof firstWire) =>
      wire.exchange({ ...call, deadlineAt: options.monotonic() + 2_000 }).catch((thrown: unknown) => thrown)
    await Promise.all(Array.from({ length: 20 }, () => send(firstWire)))
    expect(breakerNotices).toHaveLength(1)
    other.noteBreaker(breakerNotices[0]!)
    const before = requests
    expect(await send(other)).toMatchObject({ code: 'unreachable' })
    expect(requests).toBe(before)
    // Another tenant's calls go on.
    expect(other.headroom({ ...of, account: account({ key: 'u/con', tenant: 'u' }) }).breaker.state).toBe('closed')
    passed = 60_000
    status = 200
    expect(await send(firstWire)).toMatchObject({ status: 200 })
    expect(breakerNotices).toHaveLength(2)
    other.noteBreaker(breakerNotices[1]!)
    expect(other.headroom(of).breaker.state).toBe('closed')
    await Promise.all([firstWire.close(), other.close()])
  })
})
