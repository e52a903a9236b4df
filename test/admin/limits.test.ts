import { afterEach, describe, expect, it } from 'vitest'
import { createLimits, defaultLimits } from '../../shared/runtime/admin/limits.ts'
import type { LimitSettings } from '../../shared/runtime/admin/limits.ts'
import { fakeClock } from '../support/clock.ts'
import { caller } from '../support/world.ts'
import { openOAuthWorld, serve } from '../support/oauth-world.ts'
import type { OAuthWorld } from '../support/oauth-world.ts'

const settings = (over: Partial<LimitSettings> = {}): LimitSettings => ({ ...defaultLimits, ...over })
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Work that ends in the order it is told to. */
const jobs = () => {
  const running: { tenant: string; end(): void }[] = []
  const done: string[] = []
  return {
    running,
    done,
    work: (tenant: string) => () =>
      new Promise<void>((resolve) =>
        running.push({
          tenant,
          end() {
            done.push(tenant)
            resolve()
          },
        }),
      ),
    /** Ends the oldest one; gives whose it was. */
    async tick() {
      const job = running.shift()
      job?.end()
      await turn()
      return job?.tenant
    },
  }
}

describe('the fair queue', () => {
  it('a tenant with ten times the work holds nobody up: each one waits for its turn, not for the other’s queue', async () => {
    const limits = createLimits(fakeClock(), settings({ running: 4 }))
    const { work, tick, done } = jobs()
    for (let n = 0; n < 400; n += 1) void limits.run('noisy', undefined, work('noisy'))
    for (let n = 0; n < 40; n += 1) void limits.run('quiet', undefined, work('quiet'))
    // Four of the noisy one run, and two of the quiet one: its even share.
    expect(limits.waiting()).toBe(434)
    for (let n = 0; n < 440; n += 1) await tick()
    expect(done).toHaveLength(440)
    // Alone the 40 would end within 40; in turns with one other tenant within twice that, and the four that ran
    // already.
    expect(done.lastIndexOf('quiet')).toBeLessThan(2 * 40 + 4)
    expect(limits.waiting()).toBe(0)
  })

  it('three tenants take turns', async () => {
    const limits = createLimits(fakeClock(), settings({ running: 1 }))
    const { work, tick, done } = jobs()
    for (const tenant of ['a', 'a', 'a', 'b', 'b', 'c']) void limits.run(tenant, undefined, work(tenant))
    for (let n = 0; n < 6; n += 1) await tick()
    expect(done.join('')).toBe('aabcab')
  })

  it('a tenant’s own limit of running leaves the rest to others; more than may wait is refused', async () => {
    const limits = createLimits(fakeClock(), settings({ running: 4 }))
    limits.set('small', { running: 1, waiting: 2 })
    const { work, running, tick } = jobs()
    const small = Array.from({ length: 4 }, () =>
      limits.run('small', undefined, work('small')).then(
        () => 'ok',
        (failure: { code: string; details: object }) => failure,
      ),
    )
    for (let n = 0; n < 3; n += 1) void limits.run('other', undefined, work('other'))
    expect(running.map(({ tenant }) => tenant)).toEqual(['small', 'other', 'other', 'other'])
    for (let n = 0; n < 6; n += 1) await tick()
    expect(await Promise.all(small)).toMatchObject([
      'ok',
      'ok',
      'ok',
      { code: 'rate_limited', details: { retryAfterMs: 1000 } },
    ])
  })

  it('who gives up while waiting takes no turn; a failure frees its place', async () => {
    const limits = createLimits(fakeClock(), settings({ running: 1 }))
    const { work, tick, done } = jobs()
    const stop = new AbortController()
    const first = limits.run('a', undefined, work('a'))
    const gone = limits.run('b', stop.signal, work('gone'))
    const failing = limits
      .run('c', undefined, () => Promise.reject(new Error('broken')))
      .catch((error: Error) => error.message)
    const last = limits.run('d', undefined, work('d'))
    stop.abort()
    await expect(gone).rejects.toMatchObject({ code: 'cancelled' })
    await tick()
    expect(await failing).toBe('broken')
    await turn()
    await tick()
    await Promise.all([first, last])
    expect(done).toEqual(['a', 'd'])
    await expect(limits.run('e', AbortSignal.abort(), async () => 'at once')).resolves.toBe('at once')
  })
})

describe('requests', () => {
  it('are counted per tenant; too many are told when to come again', () => {
    const clock = fakeClock()
    const limits = createLimits(clock)
    for (let n = 0; n < 1000; n += 1) limits.admit('free')
    limits.set('paid', { requestsPerSecond: 10, burst: 20 })
    for (let n = 0; n < 20; n += 1) limits.admit('paid')
    expect(() => limits.admit('paid')).toThrow(
      expect.objectContaining({ code: 'rate_limited', details: { retryAfterMs: 100 } }),
    )
    clock.advance(100)
    limits.admit('paid')
    expect(() => limits.admit('paid')).toThrow(/10 requests per second/)
    limits.admit('free')
    clock.advance(60_000)
    for (let n = 0; n < 20; n += 1) limits.admit('paid')
    expect(() => limits.admit('paid')).toThrow(/per second/)
  })

  it('runs are counted per person where the operator wants it, and nobody waits for somebody else', () => {
    const clock = fakeClock()
    const limits = createLimits(clock)
    for (let n = 0; n < 100; n += 1) limits.admitPerson('a', 'person-3')
    limits.set('a', { personRunsPerMinute: 6 })
    for (let n = 0; n < 6; n += 1) limits.admitPerson('a', 'person-3')
    expect(() => limits.admitPerson('a', 'person-3')).toThrow(
      expect.objectContaining({
        code: 'rate_limited',
        message: expect.stringMatching(/This person may run 6 steps a minute.*"personRunsPerMinute"/),
        details: { retryAfterMs: 10_000 },
      }),
    )
    limits.admitPerson('a', 'person-4')
    limits.admitPerson('b', 'person-3')
    clock.advance(10_000)
    limits.admitPerson('a', 'person-3')
    expect(() => limits.admitPerson('a', 'person-3')).toThrow(/6 steps a minute/)
    limits.set('a', { personRunsPerMinute: 7 })
    limits.admitPerson('a', 'person-3')
  })

  it('wrong tokens are answered alike, then slowed down by address; a right one is taken all the same', () => {
    const clock = fakeClock()
    const limits = createLimits(clock, settings({ wrongTokens: 3 }))
    for (let n = 0; n < 3; n += 1) limits.wrongToken('192.0.2.1')
    expect(() => limits.wrongToken('192.0.2.1')).toThrow(expect.objectContaining({ code: 'rate_limited' }))
    limits.wrongToken('192.0.2.2')
    clock.advance(60_000)
    limits.wrongToken('192.0.2.1')
  })
})

it('a tenant with all the subscriptions it may have gets the one that it repeats by its key, and no new one', async () => {
  const world = await openOAuthWorld({ limits: { tenant: { subscriptions: 1 } } })
  const { key, token } = world.sandbox.board.credentials
  await world.pack.connections.create(caller, {
    integration: 'work-board',
    type: 'key-token',
    secrets: { key, token },
  })
  const [board] = world.sandbox.board.control.overview()
  const create = (idempotencyKey: string) =>
    world.pack.subscriptions.create(caller, {
      integration: 'work-board',
      trigger: 'new-card',
      config: { boards: [board!.id] },
      options: { delivery: 'poll' },
      agent: { url: 'https://agents.example/start' },
      idempotencyKey,
    })
  const { id } = await create('k1')
  await expect(create('k2')).rejects.toMatchObject({
    code: 'not_allowed',
    message: expect.stringContaining('raise the limit "subscriptions"'),
  })
  expect((await create('k1')).id).toBe(id)
})

describe('over HTTP', () => {
  let world: OAuthWorld
  let server: Awaited<ReturnType<typeof serve>>
  afterEach(async () => {
    await server?.close()
    await world?.close()
  })
  const ask = (path: string, token: string, init: RequestInit = {}) =>
    fetch(server.origin + path, {
      ...init,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    })

  it('addresses of one IPv6 network count together, and many addresses make none of them forgotten', () => {
    const limits = createLimits(fakeClock(), settings({ wrongTokens: 3 }))
    const slowed = expect.objectContaining({ code: 'rate_limited' }) as unknown
    for (const address of ['2001:db8:0:1::1', '2001:db8:0:1:a:b:c:d', '2001:DB8::1:0:0:0:7']) limits.wrongToken(address)
    expect(() => limits.wrongToken('2001:db8:0:1:ffff::')).toThrow(slowed)
    limits.wrongToken('2001:db8:0:2::1')
    for (let n = 0; n < 3; n += 1) limits.wrongToken(n === 0 ? '192.0.2.1' : '::ffff:192.0.2.1')
    for (let n = 0; n < 9_997; n += 1) limits.wrongToken(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`)
    expect(() => limits.wrongToken('192.0.2.1')).toThrow(slowed)
    for (let n = 0; n < 3; n += 1) limits.wrongToken(`198.51.100.${n}`)
    expect(() => limits.wrongToken('198.51.100.9'), 'the ones above that count together').toThrow(slowed)
  })

  it('429 after too many wrong tokens, with the same words for each wrong one before', async () => {
    world = await openOAuthWorld({ limits: { wrongTokens: 5 } })
    server = await serve(world)
    const { text } = await world.pack.tokens.create('default', { name: 'Right' })
    const bodies = new Set<string>()
    for (let n = 0; n < 5; n += 1) {
      const reply = await ask('/v1/runs', `ty_wrong-${n}`)
      expect(reply.status).toBe(401)
      // Each request has an id of its own.
      const { requestId, ...body } = (await reply.json()) as { requestId: string }
      expect(reply.headers.get('x-request-id')).toBe(requestId)
      bodies.add(JSON.stringify(body))
    }
    expect(bodies.size).toBe(1)
    const slowed = await ask('/v1/runs', 'ty_wrong')
    expect([slowed.status, Number(slowed.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect((await ask('/v1/runs', text)).status).toBe(200)
  })

  it('policies of a tenant are set by the operator and in force at once, also after a restart', async () => {
    world = await openOAuthWorld()
    server = await serve(world)
    const { text: admin } = await world.pack.tokens.create('default', { name: 'Admin', scopes: ['admin'] })
    await world.pack.tenants.create({ id: 'blue', name: 'Blue' })
    const { text } = await world.pack.tokens.create('blue', { name: 'Blue' })
    const put = (body: object) =>
      ask('/v1/admin/policies?tenant=blue', admin, { method: 'PUT', body: JSON.stringify(body) })
    expect((await put({ limits: { requestsPerSecond: 1, burst: 2, connections: 1 } })).status).toBe(200)
    expect(await (await ask('/v1/admin/policies?tenant=blue', admin)).json()).toEqual({
      limits: { requestsPerSecond: 1, burst: 2, connections: 1 },
    })
    expect((await put({ limits: { requestsPerSecond: 0 } })).status).toBe(400)
    const statuses = []
    for (let n = 0; n < 4; n += 1) statuses.push((await ask('/v1/runs', text)).status)
    expect(statuses.slice(0, 2)).toEqual([200, 200])
    expect(statuses).toContain(429)
    expect((await ask('/v1/runs', admin)).status).toBe(403)
    // Whoever names a person or acts for them meets their limit; others, and calls for nobody, do not.
    expect((await put({ limits: { personRunsPerMinute: 2 } })).status).toBe(200)
    const bound = await world.pack.tokens.create('blue', { name: 'Theirs', scopes: ['run'], person: 'person-3' })
    const run = (person?: string, by = text) =>
      ask('/v1/steps/work-board/get-boards/run', by, {
        method: 'POST',
        body: JSON.stringify({ input: {}, ...(person === undefined ? {} : { person }) }),
      })
    const codes = []
    for (const reply of [await run('person-3'), await run(undefined, bound.text), await run('person-3')])
      codes.push(((await reply.json()) as { code: string }).code)
    expect(codes).toEqual(['not_connected', 'not_connected', 'rate_limited'])
    const refused = await run(undefined, bound.text)
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, 30])
    for (const person of ['person-4', undefined]) expect((await run(person)).status).toBe(424)
    // A lookup is one call, however many providers it asks, and counts with the runs.
    await put({ limits: { requestsPerSecond: 100, burst: 200, personRunsPerMinute: 1 } })
    const lookUp = () =>
      ask('/v1/lookups/person', text, {
        method: 'POST',
        body: JSON.stringify({ identifiers: { email: 'ada@kauri.example' }, want: ['jobTitle'], person: 'person-5' }),
      })
    expect(((await (await lookUp()).json()) as { code: string }).code).not.toBe('rate_limited')
    expect(((await (await lookUp()).json()) as { code: string }).code).toBe('rate_limited')
    await put({ limits: { requestsPerSecond: 100, burst: 200, connections: 1 } })
    const add = () =>
      world.pack.connections.create(
        { tenant: 'blue' },
        { integration: 'anz-data', type: 'api-key', secrets: world.sandbox.anz.credentials },
      )
    await add()
    await expect(add()).rejects.toMatchObject({
      code: 'not_allowed',
      message: expect.stringContaining('1 connected accounts'),
    })
    await world.pack.connections.create(caller, {
      integration: 'anz-data',
      type: 'api-key',
      secrets: world.sandbox.anz.credentials,
    })
    expect(
      (
        await world.pack.audit.list(
          'blue',
          { limit: 9 },
          { actor: (await world.pack.tokens.list('default')).find(({ name }) => name === 'Admin')!.id },
        )
      ).items[0],
    ).toMatchObject({ path: 'policies.put' })
  })
})
