import { expect, test } from 'vitest'
import type { LedgerEntry, Store } from '../../shared/runtime/ports/index.ts'
import { openSqliteStore } from '../../shared/store/index.ts'
import { testFolder } from './folder.ts'
import { budget, run, t0 } from './make.ts'

const day = 86_400_000
const rows = 2_000
const entryOf = (n: number, person = 'ann'): LedgerEntry => ({
  tenant: 'a',
  entry: `r${n}`,
  entryAt: t0 + n,
  job: null,
  connection: 'c1',
  integration: n % 2 === 0 ? 'even' : 'odd',
  step: 's',
  token: null,
  person,
})
const spend = async ({ credits }: Store, n: number, person?: string) => {
  const entry = entryOf(n, person)
  await credits.reserve({ ...entry, part: 1, kind: 'reserved', credits: 2, estimated: true, at: t0 })
  await credits.settle({ ...entry, at: t0, charged: 1, estimated: 0, unknown: 0 })
}

/** How many turns of the event loop others got while this was done. */
const turnsDuring = async (work: () => Promise<unknown>): Promise<number> => {
  let turns = 0
  let isDone = false
  const turn = () => {
    if (isDone) return
    turns += 1
    setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  isDone = true
  return turns
}

const openWith = async () => {
  const store = await openSqliteStore({ directory: await testFolder(), now: () => t0 })
  await Promise.all(
    Array.from({ length: rows }, async (_, n) => {
      await store.runs.record(run('a', `r${n}`, { person: 'ann', createdAt: t0 + n }))
      await spend(store, n)
    }),
  )
  return store
}

test('what a person used and spent is read in slices, between which others get their turn', async () => {
  const store = await openWith()
  const usage = async () => (await store.runs.usageOfPeople('a', t0 - day, ['ann', 'bea'])).get('ann')!
  expect(await usage()).toMatchObject([{ runs: rows }])
  expect(await turnsDuring(usage)).toBeGreaterThan(3)
  const spent = () => store.credits.spent('a', t0 - day, 'ann')
  expect((await spent()).reduce((sum, row) => sum + row.spent, 0)).toBe(rows)
  // Each entry has three rows.
  expect(await turnsDuring(spent)).toBeGreaterThan(10)
  await store.close()
})

test('a budget of a person opens with all they spent, also while it is being read', async () => {
  const store = await openWith()
  const span = { startsAt: t0 - day / 2, endsAt: t0 + day / 2 }
  const all = budget('a', 'all', { scope: 'person', subject: 'ann' })
  const odd = budget('a', 'odd', { scope: 'person', subject: 'ann', integration: 'odd' })
  for (const each of [all, odd]) await store.budgets.put(each)
  let later: Promise<void> | undefined
  const turns = await turnsDuring(async () => {
    const opening = store.budgets.open(all, span)
    // An entry of a time that has been read already.
    later = new Promise((done) => setImmediate(done)).then(async () => {
      await store.credits.settle({ ...entryOf(0), entry: 'late', at: t0, charged: 5, estimated: 0, unknown: 0 })
    })
    await opening
  })
  await later
  await store.budgets.open(odd, span)
  expect(turns).toBeGreaterThan(10)
  const spent = Object.fromEntries(
    (await store.budgets.periods('a', t0)).map((period) => [period.budget, period.spent]),
  )
  expect(spent).toEqual({ all: rows + 5, odd: rows / 2 })
  await store.close()
})

test('a budget of a person opens with all they spent, also while more comes all the time', async () => {
  const store = await openWith()
  const span = { startsAt: t0 - day / 2, endsAt: t0 + day / 2 }
  const all = budget('a', 'all', { scope: 'person', subject: 'ann' })
  await store.budgets.put(all)
  let isOpen = false
  let late = 0
  const writer = async () => {
    for (; !isOpen; late += 1) {
      await new Promise((done) => setImmediate(done))
      const entry = { ...entryOf(0), entry: `late${late}` }
      await store.credits.settle({ ...entry, at: t0, charged: 1, estimated: 0, unknown: 0 })
    }
  }
  const writing = writer()
  await store.budgets.open(all, span)
  isOpen = true
  await writing
  expect(late).toBeGreaterThan(10)
  const [period] = await store.budgets.periods('a', t0)
  expect(period!.spent).toBe(rows + late)
  await store.close()
})
