import { describe, expect, it } from 'vitest'
import { fail } from '#kit'
import { createIntents } from '../../shared/runtime/idempotency.ts'
import { createUnwrittenEnds } from '../../shared/runtime/unwritten-ends.ts'
import type { Store } from '../../shared/runtime/ports/index.ts'
import { createRunRecords } from '../../shared/runtime/steps/run-records.ts'
import { createMemoryStore } from '../../shared/store/index.ts'

const at = Date.UTC(2026, 2, 1)
const clock = { now: () => at, monotonic: () => 0, sleep: async () => {} }
const away = () => fail('unavailable', 'The database does not answer.')
const caller = { tenant: 'default' }
const log = () => {}

describe('the end of a run that the store was not heard to take', () => {
  const running = {
    caller,
    call: { integration: 'work-board', step: 'create-card', input: {} },
    runId: 'run_1',
    createdAt: at,
    began: 0,
    effect: 'create' as const,
    session: undefined,
  }
  const runs = async (store: Store) => (await store.runs.usage('default', 0)).reduce((sum, row) => sum + row.runs, 0)

  for (const [what, isWritten] of [
    ['was not written', false],
    ['was written', true],
  ] as const)
    it(`and ${what} is there once it can be, and is counted once`, async () => {
      const store = createMemoryStore()
      let isAway = true
      const lossy: Pick<Store, 'runs'> = {
        runs: {
          ...store.runs,
          record: async (run, options) => {
            if (!isAway || isWritten) await store.runs.record(run, options)
            if (isAway) throw away()
          },
          get: async (tenant, id) => {
            if (isAway) throw away()
            return store.runs.get(tenant, id)
          },
        },
      }
      const ends = createUnwrittenEnds()
      createRunRecords({ store: lossy, health: { worked: log, refused: log }, clock, log, ends }).succeeded(
        running,
        5,
        {},
      )
      await expect.poll(() => ends.has('run_1')).toBe(true)
      await ends.settle()
      expect(ends.has('run_1')).toBe(true)
      isAway = false
      await ends.settle()
      expect(ends.has('run_1')).toBe(false)
      expect(await store.runs.get('default', 'run_1')).toMatchObject({ state: 'done' })
      expect(await runs(store)).toBe(1)
    })
})

it('a key that may have been taken although the store was not heard is free again for others', async () => {
  const store = createMemoryStore()
  let isAway = true
  // As several processes use it.
  const shared = {
    ...store,
    cluster: { tell: async () => {} } as unknown as NonNullable<Store['cluster']>,
    intents: {
      ...store.intents,
      plan: async (...planArguments: Parameters<Store['intents']['plan']>) => {
        const planned = await store.intents.plan(...planArguments)
        if (isAway) throw away()
        return planned
      },
    },
  }
  const request = { hash: 'h', isFormer: async () => false }
  const outcome = { ok: true, value: 1, meta: { runId: 'run_2', durationMs: 0, attempts: 1 } } as const
  const firstIntents = createIntents({ store: shared, clock, log })
  await expect(firstIntents.once(caller, 'k', request, 'run_1', async () => outcome)).rejects.toMatchObject({
    code: 'unavailable',
  })
  expect(await store.intents.get('default', 'k')).toMatchObject({ state: 'planned', runId: 'run_1' })
  isAway = false
  await firstIntents.settleOwed()
  expect(await store.intents.get('default', 'k')).toMatchObject({ state: 'not_sent' })
  const other = createIntents({ store: shared, clock, log })
  expect(await other.once(caller, 'k', request, 'run_2', async () => outcome)).toMatchObject({ ok: true, value: 1 })
})

it('what marks a key as sending is asked for once, and where it failed nothing is sent later either', async () => {
  const store = createMemoryStore()
  let tries = 0
  const lossy = { ...store, intents: { ...store.intents, insert: async () => ((tries += 1), Promise.reject(away())) } }
  const intents = createIntents({ store: lossy, clock, log })
  const work = intents.once(caller, 'k', { hash: 'h', isFormer: async () => false }, 'run_1', async ({ sending }) => {
    const said = await Promise.allSettled([sending(), sending()])
    expect(said.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await expect(sending()).rejects.toMatchObject({ code: 'unavailable' })
    throw away()
  })
  await expect(work).rejects.toMatchObject({ code: 'unavailable' })
  expect(tries).toBe(1)
})
