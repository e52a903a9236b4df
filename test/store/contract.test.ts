import { rm } from 'node:fs/promises'
import { afterAll } from 'vitest'
import { createMemoryStore, openSqliteStore } from '../../shared/store/index.ts'
import { storeContract } from './contract.ts'
import { makeFolder } from './folder.ts'
import { t0 } from './make.ts'

const folders: string[] = []
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))))

storeContract('memory', async () => createMemoryStore({ now: () => t0 }))
storeContract('sqlite', async () => {
  const directory = await makeFolder()
  folders.push(directory)
  return openSqliteStore({ directory, now: () => t0 })
})
