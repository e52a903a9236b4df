import { rm } from 'node:fs/promises'
import { afterAll, expect, test } from 'vitest'
import { createMemoryStore, openSqliteStore } from '../../shared/store/index.ts'
import { storeContract } from './contract.ts'
import { makeFolder } from './folder.ts'
import { run, t0 } from './make.ts'

const folders: string[] = []
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))))

storeContract('memory', async () => createMemoryStore())
storeContract('sqlite', async () => {
  const directory = await makeFolder()
  folders.push(directory)
  return openSqliteStore({ directory, now: () => t0 })
})

test('the memory store forgets old runs instead of growing, never the newest 2,000', async () => {
  const store = createMemoryStore()
  for (let index = 0; index < 45_000; index += 1)
    await store.runs.record(run('a', `r${index}`, { createdAt: t0 + index }))
  await store.runs.record(run('b', 'r0'))
  const { items } = await store.runs.list('a', { limit: 100_000 })
  expect(items.length).toBeGreaterThanOrEqual(2_000)
  expect(items.length).toBeLessThanOrEqual(4_002)
  expect(items[0]!.id).toBe('r44999')
  expect(items.at(-1)!.id).toBe(`r${45_000 - items.length}`)
  expect(await store.runs.get('a', 'r44000')).toBeDefined()
  expect(await store.runs.get('a', 'r0')).toBeUndefined()
  expect(await store.runs.get('b', 'r0')).toBeDefined()
  // Recorded again after it became old: still one row.
  await store.runs.record(run('a', 'r44000', { createdAt: t0 + 44_000, state: 'failed' }))
  expect((await store.runs.list('a', { limit: 100_000 }, { state: 'failed' })).items).toHaveLength(1)
  expect((await store.runs.list('a', { limit: 100_000 })).items).toHaveLength(items.length)
})
