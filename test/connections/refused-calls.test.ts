import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import type { Caller } from '../../shared/runtime/ports/index.ts'
import workBoard from '../../integrations/work-board/manifest.ts'
import fourth from '../fixtures/fourth/manifest.ts'
import { fakeClock } from '../support/clock.ts'
import { startProvider } from '../support/provider.ts'

const caller: Caller = { tenant: 'default' }
let provider: Awaited<ReturnType<typeof startProvider>>
let clock: ReturnType<typeof fakeClock>
let pack: Pack
let isRevoked = false
/** Set: the free test is not answered until `held` is called. */
let isHanging = false
let held: (() => void)[] = []

beforeEach(async () => {
  isRevoked = false
  isHanging = false
  held = []
  provider = await startProvider((request, response) => {
    const isTest = request.url!.startsWith('/1/members/me')
    const answer = () => {
      response.writeHead(isTest && !isRevoked ? 200 : 401, {
        'content-type': isTest && !isRevoked ? 'application/json' : 'text/plain',
      })
      response.end(isTest && !isRevoked ? '{"id":"m1","username":"aroha","fullName":"Aroha Field"}' : 'invalid token')
    }
    if (isTest && isHanging) held.push(answer)
    else answer()
  })
  clock = fakeClock()
  pack = await createPack({
    integrations: [fourth, workBoard],
    clock,
    random: () => 0,
    wire: { fourth: { baseUrl: provider.origin }, 'work-board': { baseUrl: provider.origin } },
    egress: { privateOrigins: [provider.origin] },
  })
})
afterEach(async () => {
  await pack.close()
  await provider.close()
})
const tests = () => provider.seen.filter(({ url }) => url.startsWith('/1/members/me')).length
const stateOf = async (id: string) => (await pack.connections.get(caller, id)).state
const apiCall = (integration: string, path: string) =>
  pack.steps.run(caller, { integration, step: 'api-call', input: { method: 'GET', path, throwOnError: true } })

describe('a call that is answered 401', () => {
  const connectBoard = () =>
    pack.connections.create(caller, {
      integration: 'work-board',
      type: 'key-token',
      secrets: { key: '0'.repeat(32), token: 'A'.repeat(70) },
    })
  const connectNotes = () =>
    pack.connections.create(caller, {
      integration: 'fourth',
      type: 'api-key',
      name: 'Notes',
      secrets: { apiKey: 'k-0123456789' },
    })

  it('does not cut the account off where the free test says that the credential is good', async () => {
    const { id } = await connectBoard()
    const before = tests()
    for (let call = 0; call < 20; call += 1)
      expect(await apiCall('work-board', '/1/cards/x')).toMatchObject({ ok: false, failure: { code: 'not_connected' } })
    expect(await stateOf(id)).toBe('connected')
    expect(tests() - before, 'tested once a minute, however many calls are refused').toBe(1)
    clock.advance(60_000)
    await apiCall('work-board', '/1/cards/x')
    expect(await stateOf(id)).toBe('connected')
    expect(tests() - before).toBe(2)
  })

  it('does where the free test is refused as well', async () => {
    const { id } = await connectBoard()
    isRevoked = true
    await apiCall('work-board', '/1/cards/x')
    expect(await stateOf(id)).toBe('needs_reconnect')
  })

  it('makes no other tenant wait while the free test is not answered', async () => {
    await connectBoard()
    isHanging = true
    await apiCall('work-board', '/1/cards/x')
    await expect.poll(() => held).toHaveLength(1)
    try {
      expect(
        await Promise.race([
          pack.connections.list({ tenant: 'other' }),
          new Promise((done) => setImmediate(() => setImmediate(done, 'waits'))),
        ]),
      ).toEqual([])
    } finally {
      for (const answer of held) answer()
    }
  })

  it('does not by API Call where there is no free test; the refusal of a documented step does', async () => {
    const { id } = await connectNotes()
    await apiCall('fourth', '/v1/x')
    expect(await stateOf(id)).toBe('unverified')
    await pack.steps.run(caller, { integration: 'fourth', step: 'add-note', input: { notebook: 'nb1', text: 'a' } })
    expect(await stateOf(id)).toBe('needs_reconnect')
  })
})
