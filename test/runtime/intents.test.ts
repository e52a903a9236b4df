import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createPack } from '../../shared/pack.ts'
import type { Pack, PackOptions } from '../../shared/pack.ts'
import { createIntents } from '../../shared/runtime/idempotency.ts'
import { createMemoryStore } from '../../shared/store/index.ts'
import fourth from '../fixtures/fourth/manifest.ts'
import { fakeClock } from '../support/clock.ts'
import { startProvider } from '../support/provider.ts'

type Provider = Awaited<ReturnType<typeof startProvider>>
const caller = { tenant: 'default' }
const note = (text: string) => ({ integration: 'fourth', step: 'add-note', input: { notebook: 'nb1', text } })

let provider: Provider
/** What the provider does next; by default it adds the note. */
let mode: 'add' | 'fail' | 'hang' | 'busy' = 'add'
let held: (() => void)[] = []

beforeEach(async () => {
  mode = 'add'
  held = []
  provider = await startProvider((request, response, body) => {
    const add = () => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ id: `n${provider.seen.length}`, ...(JSON.parse(body || '{}') as object) }))
    }
    if (mode === 'hang') return void held.push(add)
    if (mode === 'busy') return void response.writeHead(429, { 'retry-after': '3600' }).end('{}')
    if (mode === 'fail')
      return void response.writeHead(500, { 'content-type': 'application/json' }).end('{"message":"oops"}')
    add()
  })
})
afterEach(() => provider.close())

const masterKey = Buffer.alloc(32, 3)
const openPack = async (options: PackOptions = {}) =>
  createPack({
    integrations: [fourth],
    masterKey,
    clock: fakeClock(),
    random: () => 0,
    wire: { fourth: { baseUrl: provider.origin } },
    egress: { privateOrigins: [provider.origin] },
    ...options,
  })
const connect = (pack: Pack, tenant = 'default') =>
  pack.connections.create(
    { tenant },
    { integration: 'fourth', type: 'api-key', name: 'Notes', secrets: { apiKey: 'k-0123456789abcdef' } },
  )

describe('a run that was cut off', () => {
  const request = (resumes: boolean) => ({ hash: 'h', isFormer: () => Promise.resolve(false), resumes })
  const done = { ok: true as const, value: 'done', meta: { runId: 'r2', durationMs: 1, attempts: 1 } }

  it.each([
    ['goes on under its key where what it did is not done again', true],
    ['is of unknown outcome elsewhere', false],
  ])('%s', async (_, resumes) => {
    const store = createMemoryStore()
    const clock = fakeClock()
    const before = createIntents({ store, clock, log: () => {} })
    // The process ends after it said that it sends.
    void before.once(caller, 'k', request(resumes), 'r1', async ({ sending }) => {
      await sending()
      return new Promise(() => {})
    })
    await expect.poll(() => store.intents.get('default', 'k')).toMatchObject({ state: 'sending' })
    const after = createIntents({ store, clock, log: () => {} })
    await after.settle()
    let works = 0
    const work = async ({ sending }: { sending(): Promise<void> }) => {
      await sending()
      works += 1
      return done
    }
    const outcome = await after.once(caller, 'k', request(resumes), 'r2', work)
    expect([works, outcome.ok]).toEqual(resumes ? [1, true] : [0, false])
    // Ended, it is told again and not done again.
    const again = await after.once(caller, 'k', request(resumes), 'r3', work)
    expect([works, again.meta.cached]).toEqual([resumes ? 1 : 0, true])
    await expect(after.once(caller, 'k', { ...request(resumes), hash: 'other' }, 'r4', work)).rejects.toMatchObject({
      code: 'conflict',
    })
  })
})

describe('a run with an idempotency key', () => {
  it('is sent once; the same key and request gives the stored outcome', async () => {
    const pack = await openPack()
    await connect(pack)
    const first = await pack.steps.run(caller, { ...note('a'), idempotencyKey: 'k1' })
    const second = await pack.steps.run(caller, { ...note('a'), idempotencyKey: 'k1' })
    expect(first, JSON.stringify(first)).toMatchObject({ ok: true, value: { id: 'n1' } })
    expect(second).toMatchObject({ ok: true, value: { id: 'n1' }, meta: { cached: true, runId: first.meta.runId } })
    expect(provider.seen.length).toBe(1)
    await pack.close()
  })

  it('refuses the key for another request, and keeps keys of tenants apart', async () => {
    const pack = await openPack()
    await pack.tenants.create({ id: 'other', name: 'Other' })
    await connect(pack)
    await connect(pack, 'other')
    await pack.steps.run(caller, { ...note('a'), idempotencyKey: 'k1' })
    expect(await pack.steps.run(caller, { ...note('b'), idempotencyKey: 'k1' })).toMatchObject({
      ok: false,
      failure: { code: 'conflict' },
    })
    expect(await pack.steps.run({ tenant: 'other' }, { ...note('b'), idempotencyKey: 'k1' })).toMatchObject({
      ok: true,
    })
    expect(provider.seen.length).toBe(2)
    await pack.close()
  })

  it('is waited for while it is in flight, by any number of callers', async () => {
    const pack = await openPack()
    await connect(pack)
    mode = 'hang'
    const all = Array.from({ length: 20 }, () => pack.steps.run(caller, { ...note('a'), idempotencyKey: 'k1' }))
    while (held.length === 0) await new Promise((done) => setImmediate(done))
    mode = 'add'
    held.forEach((add) => add())
    const outcomes = await Promise.all(all)
    expect(outcomes.every((outcome) => outcome.ok)).toBe(true)
    expect(provider.seen.length).toBe(1)
    await pack.close()
  })

  it('stores a definite failure and an unknown outcome, and lets a call that was not sent try again', async () => {
    const pack = await openPack()
    await connect(pack)
    mode = 'fail'
    expect(await pack.steps.run(caller, { ...note('a'), idempotencyKey: 'unknown' })).toMatchObject({
      ok: false,
      failure: { code: 'outcome_unknown', retryable: false },
    })
    mode = 'add'
    expect(await pack.steps.run(caller, { ...note('a'), idempotencyKey: 'unknown' })).toMatchObject({
      ok: false,
      failure: { code: 'outcome_unknown' },
      meta: { cached: true },
    })
    expect(provider.seen.length).toBe(1)
    mode = 'busy'
    expect(await pack.steps.run(caller, { ...note('b'), idempotencyKey: 'busy', deadlineMs: 50 })).toMatchObject({
      ok: false,
      failure: { code: 'rate_limited' },
    })
    await pack.close()
    const next = await openPack()
    await connect(next)
    mode = 'add'
    expect(await next.steps.run(caller, { ...note('b'), idempotencyKey: 'busy' })).toMatchObject({ ok: true })
    await next.close()
  })

  it('is written down twice: when it is about to be sent, and when it has ended', async () => {
    const store = createMemoryStore()
    const states: string[] = []
    const { insert, update, plan } = store.intents
    store.intents.plan = (intent) => (states.push('planned'), plan(intent))
    store.intents.insert = (intent, evictable) => (
      states.push(`${intent.state}, ${provider.seen.length} sent`),
      insert(intent, evictable)
    )
    store.intents.update = (tenant, key, state, ...updateArguments) => (
      states.push(`${state}, ${provider.seen.length} sent`),
      update(tenant, key, state, ...updateArguments)
    )
    const pack = await openPack({ store })
    await connect(pack)
    expect(await pack.steps.run(caller, { ...note('a'), idempotencyKey: 'k1' })).toMatchObject({ ok: true })
    expect(states).toEqual(['sending, 0 sent', 'done, 1 sent'])
    await pack.close()
  })

  it('names the field when the key is unusable', async () => {
    const pack = await openPack()
    await connect(pack)
    for (const key of ['', 'a b', 'x'.repeat(256), 'é'])
      expect(await pack.steps.run(caller, { ...note('a'), idempotencyKey: key })).toMatchObject({
        ok: false,
        failure: { code: 'invalid_input' },
      })
    expect(provider.seen.length).toBe(0)
    await pack.close()
  })
})

describe('after a process died', () => {
  const left = async (state: 'planned' | 'sending') => {
    const clock = fakeClock()
    const store = createMemoryStore()
    const before = await openPack({ store, clock })
    await connect(before)
    // The exact hash is the pack's own business: take it from a run that is held, as a dead process would leave it.
    mode = 'hang'
    void before.steps.run(caller, { ...note('a'), idempotencyKey: 'k1' })
    while (held.length === 0) await new Promise((done) => setImmediate(done))
    await store.intents.update('default', 'k1', state)
    mode = 'add'
    provider.seen.length = 0
    return openPack({ store, clock })
  }

  it('what was planned ends as not sent, and is sent when the same key is asked again', async () => {
    const pack = await left('planned')
    expect(provider.seen.length).toBe(0)
    expect(await pack.steps.run(caller, { ...note('a'), idempotencyKey: 'k1' })).toMatchObject({ ok: true })
    expect(provider.seen.length).toBe(1)
  })

  it('what was being sent is unknown and never sent again', async () => {
    const pack = await left('sending')
    expect(await pack.steps.run(caller, { ...note('a'), idempotencyKey: 'k1' })).toMatchObject({
      ok: false,
      failure: { code: 'outcome_unknown' },
    })
    expect(await pack.steps.run(caller, note('a'))).toMatchObject({ ok: false, failure: { code: 'conflict' } })
    expect(provider.seen.length).toBe(0)
    expect(await pack.steps.run(caller, { ...note('a'), force: true })).toMatchObject({ ok: true })
  })
})

describe('an identical create without a key', () => {
  it('is refused right after an unknown outcome unless forced; another one is not', async () => {
    const pack = await openPack()
    await connect(pack)
    mode = 'fail'
    await pack.steps.run(caller, note('a'))
    mode = 'add'
    expect(await pack.steps.run(caller, note('a'))).toMatchObject({ ok: false, failure: { code: 'conflict' } })
    expect(provider.seen.length).toBe(1)
    expect(await pack.steps.run(caller, note('b'))).toMatchObject({ ok: true })
    expect(await pack.steps.run(caller, { ...note('a'), force: true })).toMatchObject({ ok: true })
    await pack.close()
  })
})
