/** Where the operator has said nothing, new data let people sign in to clients and former data do not. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createPack } from '../../shared/pack.ts'
import type { PackOptions } from '../../shared/pack.ts'
import { openSqliteStore } from '../../shared/store/index.ts'
import { exportStore, importStore } from '../../shared/store/transfer/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'toolyard-new-data-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const clock = { now: () => Date.now(), monotonic: () => performance.now(), sleep: async () => {} }
const masterKeys = [{ id: 'k', key: randomBytes(32) }]
const publicUrl = 'https://tools.example'
let count = 0
const newDirectory = () => join(folder, String((count += 1)))

/** Whether people may let clients in at a server that is started with this directory. */
const letsIn = async (directory: string, options: PackOptions = {}): Promise<boolean> => {
  const store = await openSqliteStore({ directory, now: Date.now })
  const pack = await createPack({ store, masterKeys, publicUrl, oauthServer: 'default', ...options } as PackOptions)
  await pack.close()
  return pack.oauth !== undefined
}

/** Data as a version left them that knew nothing of this. */
const formerDirectory = async () => {
  const directory = newDirectory()
  const store = await openSqliteStore({ directory, now: Date.now })
  await store.tenants.add({ id: 'default', name: 'Default', createdAt: 0 } as never)
  await store.close()
  return directory
}
const move = async (from: string) => {
  const [file, directory] = [`${from}.jsonl`, newDirectory()]
  await exportStore({ place: { directory: from }, file, clock, log: () => {} })
  await importStore({ place: { directory }, file, clock, log: () => {}, keys: ['k'], lost: [] })
  return directory
}

it('new data do, also at a later start and in another store', async () => {
  const directory = newDirectory()
  expect(await letsIn(directory)).toBe(true)
  expect(await letsIn(directory)).toBe(true)
  expect(await letsIn(await move(directory))).toBe(true)
})

it('former data do not, also in another store, unless the operator says so', async () => {
  const directory = await formerDirectory()
  expect(await letsIn(directory)).toBe(false)
  const moved = await move(directory)
  expect(await letsIn(moved)).toBe(false)
  expect(await letsIn(moved, { oauthServer: 'on' })).toBe(true)
  expect(await letsIn(moved)).toBe(false)
})

it('new data do not without a public address, and never where the operator says no', async () => {
  const directory = newDirectory()
  expect(await letsIn(directory, { publicUrl: undefined } as never)).toBe(false)
  expect(await letsIn(directory, { oauthServer: 'off' })).toBe(false)
  // The data are as new as before: an address that comes later counts.
  expect(await letsIn(directory)).toBe(true)
})
