import { existsSync } from 'node:fs'
import { readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Configuration } from '../../shared/settings.ts'
import { checkStart } from '../../shared/faces/cli/start-checks.ts'
import { checkMarker, openSqliteStore, readKeyring, restoreBackup } from '../../shared/store/index.ts'
import { exportStore, importStore } from '../../shared/store/transfer/index.ts'
import { failsWith } from './fails.ts'
import { testFolder } from './folder.ts'
import { t0, tenant } from './make.ts'

const open = (directory: string) => openSqliteStore({ directory, now: () => t0 })
const clock = { now: () => t0 }
const log = () => {}

/** A data directory with a key, a tenant and a backup elsewhere. */
const begun = async () => {
  const directory = await testFolder()
  const store = await open(directory)
  const { keys } = await readKeyring({ file: join(directory, 'master.key'), store })
  await store.tenants.add(tenant('a'))
  const id = await store.instance()
  const backup = join(await testFolder(), 'backup.db')
  await store.backup(backup)
  await store.close()
  const files = async () => (await readdir(directory)).filter((name) => name.startsWith('toolyard.db'))
  const restore = () =>
    restoreBackup({ file: backup, directory, now: () => t0, keys: keys.map((key) => key.id), lost: [] })
  return { directory, id, backup, files, restore }
}
/** The same after its database was lost. */
const lost = async () => {
  const made = await begun()
  for (const name of await made.files()) await rm(join(made.directory, name))
  return made
}

describe('the marker of a store', () => {
  test('is left beside the key by the first start, for its owner alone', async () => {
    const { directory, id } = await begun()
    const file = join(directory, 'store.id')
    expect(await readFile(file, 'utf8')).toBe(`${id}\n`)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const again = await open(directory)
    expect(await again.instance()).toBe(id)
    await again.close()
  })

  test('a database that is missing is not replaced by an empty one: what is missing is named, and how to restore it', async () => {
    const { directory, id, files } = await lost()
    const message = await failsWith(open(directory), 'unavailable')
    expect(message).toContain(`held the store ${id}, and toolyard.db is missing`)
    expect(message).toContain('toolyard restore <file>')
    expect(await files()).toEqual([])
    // Nor does the refused start keep the directory locked.
    expect(await failsWith(open(directory), 'unavailable')).toContain('toolyard.db is missing')
  })

  test('nor is one that was emptied, as without its log', async () => {
    const { directory, files } = await lost()
    await writeFile(join(directory, 'toolyard.db'), '', { mode: 0o600 })
    expect(await failsWith(open(directory), 'unavailable')).toContain('toolyard.db is empty')
    expect((await stat(join(directory, 'toolyard.db'))).size).toBe(0)
    expect(await files()).toEqual(['toolyard.db'])
  })

  test('nor that of another store taken for it', async () => {
    const [firstStore, other] = [await lost(), await begun()]
    await rename(join(other.directory, 'toolyard.db'), join(firstStore.directory, 'toolyard.db'))
    expect(await failsWith(open(firstStore.directory), 'unavailable')).toContain(
      `toolyard.db is that of another store, ${other.id}`,
    )
  })

  test('a killed process whose writes are only in its log starts again as before', async () => {
    const { directory, id } = await begun()
    const store = await open(directory)
    await store.tenants.add(tenant('b'))
    // As it lies on the disk at that moment.
    const copy = await testFolder()
    for (const name of await readdir(directory))
      if (!name.startsWith('lock') && !name.endsWith('-shm'))
        await writeFile(join(copy, name), await readFile(join(directory, name)), { mode: 0o600 })
    await store.close()
    const again = await open(copy)
    expect(await again.instance()).toBe(id)
    expect((await again.tenants.list()).map((row) => row.id)).toEqual(['a', 'b'])
    await again.close()
  })

  test('a backup is restored where the database was lost, and then it starts', async () => {
    const { directory, id, restore } = await lost()
    await restore()
    const store = await open(directory)
    expect(await store.instance()).toBe(id)
    expect((await store.tenants.list()).map((row) => row.id)).toEqual(['a'])
    await store.close()
  })

  test('the marker is that of what was restored or imported, whatever was there before', async () => {
    const [firstStore, other] = [await lost(), await begun()]
    const file = join(await testFolder(), 'rows.jsonl')
    await exportStore({ place: { directory: other.directory }, file, clock, log })
    await importStore({ place: { directory: firstStore.directory }, file, clock, log, keys: [], lost: [] })
    expect(await readFile(join(firstStore.directory, 'store.id'), 'utf8')).toBe(`${other.id}\n`)
    await (await open(firstStore.directory)).close()
  })

  test('a key without a marker, as an earlier version left it, starts and is marked; so does a directory whose marker was removed', async () => {
    const { directory, files } = await lost()
    await rm(join(directory, 'store.id'))
    expect(await files()).toEqual([])
    await (await open(directory)).close()
    expect(existsSync(join(directory, 'store.id'))).toBe(true)
  })

  test('what is checked before a start finds it, and makes nothing', async () => {
    const { directory, files } = await lost()
    const configuration = {
      databaseUrl: undefined,
      lostMasterKeys: [],
      sources: {},
      profiles: {},
      host: '127.0.0.1',
      port: 0,
    } as unknown as Configuration
    const databaseOf = async (over: Partial<Configuration>) =>
      (await checkStart({ configuration: { ...configuration, ...over }, directory, isServed: false })).filter(
        ({ check }) => check === 'database',
      )
    expect(await databaseOf({})).toMatchObject([
      { state: 'wrong', says: expect.stringContaining('toolyard.db is missing') },
    ])
    expect(await databaseOf({ databaseUrl: 'postgres://u:p@db.example.com/t' })).toEqual([])
    await failsWith(checkMarker(directory), 'unavailable')
    expect(await files()).toEqual([])
  })
})
