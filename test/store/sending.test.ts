/** Runs that are sending, in the embedded store: they share rows of their own until they end. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Store } from '../../shared/runtime/ports/index.ts'
import { databaseFile } from '../../shared/store/directory.ts'
import { openSqliteStore } from '../../shared/store/index.ts'
import { openSqlite } from '../../shared/store/sqlite.ts'
import { testFolder } from './folder.ts'
import { run, t0 } from './make.ts'

let directory: string
let store: Store
beforeEach(async () => {
  directory = await testFolder()
  store = await openSqliteStore({ directory, now: () => t0 })
})
afterEach(() => store.close())

const begin = (tenant: string, id: string) => store.runs.record(run(tenant, id, { state: 'sending' }), { admits: true })
const end = (tenant: string, id: string) => store.runs.record(run(tenant, id))

/** What a process that died now would leave, opened. */
const left = async (): Promise<{ store: Store; rows: number }> => {
  const copy = join(directory, 'left')
  await mkdir(copy)
  await store.backup(join(copy, databaseFile))
  const db = openSqlite(join(copy, databaseFile))
  const rows = db.run('select count(*) as n from sending_runs').rows[0]!['n']
  db.close()
  return { store: await openSqliteStore({ directory: copy, now: () => t0 }), rows: Number(rows) }
}
const statesIn = async (from: Store, tenant: string) =>
  (await from.runs.list(tenant, { limit: 10 })).items.map(({ id, state }) => `${id} ${state}`).sort()

test('those that share a commit share a row, and what a process that died was sending is found', async () => {
  await Promise.all([begin('t', 'r1'), begin('t', 'r2'), begin('u', 'r1')])
  await end('t', 'r1')
  const { store: again, rows } = await left()
  expect(rows).toBe(2)
  const cutOff = await again.runs.cutOff()
  expect(cutOff.map(({ tenant, id }) => `${tenant} ${id}`).sort()).toEqual(['t r2', 'u r1'])
  expect(cutOff.find(({ tenant }) => tenant === 't')).toEqual(run('t', 'r2', { state: 'sending' }))
  expect((await again.runs.get('t', 'r1'))?.state).toBe('done')
  await again.close()
})

test('the row goes when all of its runs have ended', async () => {
  await Promise.all([begin('t', 'r1'), begin('t', 'r2')])
  await end('t', 'r1')
  await end('t', 'r2')
  await end('t', 'another')
  const { store: again, rows } = await left()
  expect(rows).toBe(0)
  expect(await again.runs.cutOff()).toEqual([])
  await again.close()
})

test('they are shown like others, and end like others after that', async () => {
  await begin('t', 'r1')
  expect((await store.runs.get('t', 'r1'))?.state).toBe('sending')
  expect(await store.runs.get('u', 'r1')).toBeUndefined()
  expect(await statesIn(store, 't')).toEqual(['r1 sending'])
  await end('t', 'r1')
  expect(await statesIn(store, 't')).toEqual(['r1 done'])
  expect((await store.runs.usage('t', 0))[0]?.runs).toBe(1)
})

test('a run that begins while the others are listed is not lost', async () => {
  await begin('t', 'r1')
  const second = begin('t', 'r2')
  const listed = store.runs.list('t', { limit: 10 })
  const third = begin('t', 'r3')
  await Promise.all([second, listed, third])
  const { store: again } = await left()
  expect((await again.runs.cutOff()).map(({ id }) => id).sort()).toEqual(['r1', 'r2', 'r3'])
  await again.close()
})

test('a run that ends while the others are listed has ended', async () => {
  await Promise.all([begin('t', 'r1'), begin('t', 'r2')])
  const ended = end('t', 'r1')
  // The rows of ends of one turn are handed over together, a moment later.
  await Promise.resolve().then(() => {})
  await Promise.all([store.runs.list('t', { limit: 10 }), ended])
  expect(await statesIn(store, 't')).toEqual(['r1 done', 'r2 sending'])
})

test('a run whose row was removed by retention does not come back with one that began beside it', async () => {
  await Promise.all([begin('t', 'old'), begin('t', 'long')])
  await end('t', 'old')
  const later = t0 + 1
  expect(
    await store.prune({
      now: later,
      payloads: 0,
      starts: 0,
      deleted: 0,
      runs: later,
      ownWrites: 0,
      audit: 0,
      gaps: 0,
      limit: 100,
    }),
  ).toMatchObject({
    runs: 1,
  })
  const { store: again } = await left()
  expect(await statesIn(again, 't')).toEqual(['long sending'])
  await again.close()
})

test('what could not be recorded is not sending', async () => {
  const full = await openSqliteStore({
    directory: join(directory, 'full'),
    now: () => t0,
    minFreeBytes: Number.MAX_SAFE_INTEGER,
  })
  const refused = full.runs.record(run('t', 'r1', { state: 'sending' }), { admits: true })
  await expect(refused).rejects.toMatchObject({ code: 'unavailable' })
  expect((await full.runs.list('t', { limit: 10 })).items).toEqual([])
  await full.close()
})
