import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createIntents, hashRequest } from '../../shared/runtime/idempotency.ts'
import { createVault } from '../../shared/store/envelope.ts'
import { createMemoryStore } from '../../shared/store/memory-store.ts'
import { fakeClock } from '../support/clock.ts'

/** The turn of the event loop in which each thing is done, counted from the first. */
const turnsOf = () => {
  let turn = 0
  let isCounting = true
  const count = () => {
    turn += 1
    if (isCounting) setImmediate(count)
  }
  setImmediate(count)
  return { now: () => turn, stop: () => (isCounting = false) }
}

test('a large outcome is printed, sealed and stored in turns of their own, a small one at once', async () => {
  const clock = fakeClock()
  const store = createMemoryStore()
  const real = createVault({ masterKey: randomBytes(32) })
  const turns = turnsOf()
  const at: Record<string, number> = {}
  const vault = {
    open: real.open,
    seal: ((...sealArguments) => ((at['sealed'] = turns.now()), real.seal(...sealArguments))) as typeof real.seal,
  }
  // Nothing was sent, so its row is inserted when it ends.
  const { insert } = store.intents
  store.intents.insert = (...insertArguments) => ((at['stored'] = turns.now()), insert(...insertArguments))
  const intents = createIntents({ store, vault, clock, log: () => {} })
  const run = async (key: string, value: string) => {
    const outcome = await intents.once(
      { tenant: 'a' },
      key,
      { hash: key, isFormer: async () => false },
      key,
      async () => {
        at['ended'] = turns.now()
        return { ok: true, value, meta: { runId: key, durationMs: 1, attempts: 1 } }
      },
    )
    at['given'] = turns.now()
    return outcome
  }
  await run('large', 'x'.repeat(2 ** 20))
  expect(at['sealed']).toBeGreaterThan(at['ended']!)
  expect(at['stored']).toBeGreaterThan(at['sealed']!)
  expect(at['given']).toBeGreaterThan(at['stored']!)
  expect(await run('large', 'another')).toMatchObject({ value: 'x'.repeat(2 ** 20), meta: { cached: true } })
  await run('small', 'x')
  // The store commits in the turn after.
  expect(at).toEqual({ ended: at['ended'], sealed: at['ended'], stored: at['ended'], given: at['ended']! + 1 })
  turns.stop()
})

test('the hash of a request is the one that stored rows hold', () => {
  const input = {
    b: [1, -0, null, true, 'é😀"\n'],
    a: { 10: 'x', 9: {}, z: undefined, '': [] },
    list: [[], [undefined, { y: 1, x: 2 }]],
  }
  expect(hashRequest(['work-board', 'create-card', null, input])).toBe(
    'e0fef45d1911337e253ee4c466e58daec88fec91affd9bcb93a049304af51fdf',
  )
})
