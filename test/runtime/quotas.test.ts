import { describe, expect, test } from 'vitest'
import type { Outcome } from '../../shared/kit/index.ts'
import { createBackground } from '../../shared/runtime/steps/background.ts'
import { createIntents } from '../../shared/runtime/idempotency.ts'
import type { Keyed } from '../../shared/runtime/idempotency.ts'
import { createLimits, defaultLimits } from '../../shared/runtime/admin/limits.ts'
import { checkLabels, createKeyedQuota } from '../../shared/runtime/admin/quotas.ts'
import { createMemoryStore } from '../../shared/store/memory-store.ts'
import { fakeClock } from '../support/clock.ts'

const caller = { tenant: 'a' }
const megabyte = 'x'.repeat(2 ** 20)

const start = () => {
  const clock = fakeClock()
  const store = createMemoryStore()
  const limits = createLimits(clock, { ...defaultLimits, tenant: { ...defaultLimits.tenant, keyedMegabytes: 10 } })
  const intents = createIntents({
    store,
    clock,
    log: () => {},
    quota: createKeyedQuota({ store, quotas: limits, clock }),
  })
  let runs = 0
  const run = (key: string, what: 'read' | 'write', by = caller): Promise<Outcome> =>
    intents.once(
      by,
      key,
      { hash: `hash of ${key}`, isFormer: async () => false },
      `run_${key}`,
      async ({ sending }: Keyed) => {
        if (what === 'write') await sending()
        runs += 1
        return { ok: true, value: megabyte, meta: { runId: `run_${key}`, durationMs: 1, attempts: 1 } }
      },
    )
  return { clock, store, limits, run, runs: () => runs }
}

describe('outcomes stored for idempotency keys', () => {
  test('of reads make room, oldest first: they never fill the disk, and the newest are still replayed', async () => {
    const { store, run, runs } = start()
    for (let index = 0; index < 50; index += 1) await run(`k${index}`, 'read')
    expect(await store.intents.bytes('a')).toBeLessThanOrEqual(10 * 2 ** 20)
    expect((await run('k49', 'read')).meta).toMatchObject({ cached: true })
    expect(runs()).toBe(50)
    expect((await run('k0', 'read')).meta).not.toHaveProperty('cached')
  })

  test('of writes stay: a full tenant is refused before anything is sent, and nobody else is', async () => {
    const { clock, run, runs } = start()
    for (let index = 0; index < 10; index += 1) await run(`w${index}`, 'write')
    clock.advance(2_000)
    await expect(run('w10', 'write')).rejects.toMatchObject({
      code: 'rate_limited',
      message: expect.stringMatching(
        /fill its 10 MB.*Nothing was sent.*ask the operator to raise the limit "keyedMegabytes"/,
      ),
    })
    expect(runs()).toBe(10)
    // What was promised is kept, and a refused key is free.
    for (let index = 0; index < 10; index += 1)
      expect((await run(`w${index}`, 'write')).meta).toMatchObject({ cached: true })
    expect((await run('w10', 'write', { tenant: 'b' })).ok).toBe(true)
    clock.advance(26 * 3_600_000 + 1)
    expect((await run('w10', 'write')).ok).toBe(true)
  })

  test('of reads go before a write is refused', async () => {
    const { run } = start()
    for (let index = 0; index < 6; index += 1) await run(`w${index}`, 'write')
    for (let index = 0; index < 20; index += 1) await run(`r${index}`, 'read')
    expect((await run('w6', 'write')).ok).toBe(true)
    expect((await run('w0', 'write')).meta).toMatchObject({ cached: true })
  })
})

test('a run that was done is answered as done, though no room can be made for its outcome', async () => {
  const clock = fakeClock()
  const quota = { admit: async () => {}, stored: () => Promise.reject(new Error('the disk is full')) }
  const intents = createIntents({ store: createMemoryStore(), clock, log: () => {}, quota })
  const request = { hash: 'h', isFormer: async () => false }
  const work = async ({ sending }: Keyed): Promise<Outcome> => {
    await sending()
    return { ok: true, value: 'made', meta: { runId: 'r', durationMs: 1, attempts: 1 } }
  }
  expect(await intents.once(caller, 'k', request, 'r', work)).toMatchObject({ ok: true, value: 'made' })
})

test('unknown outcomes of one tenant push out none of another one', () => {
  const clock = fakeClock()
  const intents = createIntents({ store: createMemoryStore(), clock, log: () => {} })
  intents.noteUnknown(caller, 'mine')
  for (let index = 0; index <= 10_000; index += 1) intents.noteUnknown({ tenant: 'noisy' }, `h${index}`)
  expect(() => intents.requireNotSuspect(caller, () => ['mine'])).toThrow(/unknown outcome/)
  expect(() => intents.requireNotSuspect({ tenant: 'noisy' }, () => ['mine', 'h0'])).not.toThrow()
  expect(() => intents.requireNotSuspect({ tenant: 'noisy' }, () => ['h10000'])).toThrow(/unknown outcome/)
})

test('outcomes of background runs are bounded by their size: the newest are still there to be asked for', async () => {
  const runs = { get: async () => ({}) } as unknown as Parameters<typeof createBackground>[0]['runs']
  const run = async (): Promise<Outcome> => ({
    ok: true,
    value: 'x'.repeat(9_000_000),
    meta: { runId: 'r', durationMs: 1, attempts: 1 },
  })
  const registry = {} as Parameters<typeof createBackground>[0]['registry']
  const background = createBackground({ run, runs, registry, clock: fakeClock() })
  const begun = Array.from({ length: 9 }, () => background.begin(caller, { integration: 'a', step: 'b', input: {} }))
  await Promise.all(begun.map(({ coming }) => coming))
  const outputs = await Promise.all(begun.map(async ({ runId }) => 'output' in (await background.get(caller, runId))))
  expect(outputs).toEqual([false, false, ...Array.from({ length: 7 }, () => true)])
})

test('labels are bounded in number and size, and the refusal names what to ask for', () => {
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`l${index}`, '']))
  expect(() => checkLabels(many, 50)).toThrow(
    /51 labels, and one resource may have 50. Give fewer, or ask the operator to raise the limit "labels"/,
  )
  expect(() => checkLabels({ ['n'.repeat(65)]: '' }, 50)).toThrow(/1 to 64 characters/)
  expect(() => checkLabels({ team: 'x'.repeat(257) }, 50)).toThrow(/at most 256 characters/)
  expect(() => checkLabels({ team: 'design' }, 50)).not.toThrow()
})

test('a tenant below its even share runs at once, though another one has taken every place', async () => {
  const limits = createLimits(fakeClock(), {
    ...defaultLimits,
    running: 8,
    tenant: { ...defaultLimits.tenant, running: 8 },
  })
  const never = () => new Promise<void>(() => {})
  for (let index = 0; index < 20; index += 1) void limits.run('noisy', undefined, never)
  let began = 0
  for (let index = 0; index < 4; index += 1) void limits.run('quiet', undefined, () => ((began += 1), never()))
  expect(began).toBe(4)
  expect(limits.waiting()).toBe(12)
})
