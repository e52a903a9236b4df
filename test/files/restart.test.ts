import { rm } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { createPack, openSqliteStore } from '../../shared/pack.ts'
import { file } from '../store/make.ts'
import { makeFolder } from '../store/folder.ts'
import { bytesOf, masterKey } from './world.ts'

const ages = { payloads: 0, starts: 0, deleted: 0, runs: 0, ownWrites: 0, audit: 0, gaps: 0, limit: 100 }
const caller = { tenant: 'default' }

it('what an upload that was cut off left goes with the first retention after a restart; a whole file stays', async () => {
  const directory = await makeFolder()
  const open = async () => {
    const store = await openSqliteStore({ directory, now: Date.now })
    return { store, pack: await createPack({ store, masterKey }) }
  }
  const first = await open()
  const content = async function* () {
    yield bytesOf(300_000)
  }
  const { id } = await first.pack.files.create(caller, { name: 'whole.bin', content: content() })
  const whole = await first.store.files.get('default', id)
  // As a process that is killed leaves it: written in part, never finished.
  await first.store.files.add(
    file('default', 'fil_cut', { secrets: whole!.secrets, createdAt: Date.now(), expiresAt: Date.now() + 3_600_000 }),
  )
  await first.store.files.append('default', 'fil_cut', 0, bytesOf(1_000), 1_000)
  await first.store.flush()
  await first.pack.close()

  const second = await open()
  try {
    expect(await second.store.files.usage('default')).toEqual({ files: 2, bytes: 301_000 })
    for (let more = true; more;) ({ more } = await second.store.prune({ now: Date.now(), ...ages }))
    expect(await second.store.files.usage('default')).toEqual({ files: 1, bytes: 300_000 })
    expect(await second.store.files.chunk('default', 'fil_cut', 0)).toBeUndefined()
    const parts: Uint8Array[] = []
    for await (const part of (await second.pack.files.open(caller, id)).read()) parts.push(part)
    expect(Buffer.concat(parts).equals(bytesOf(300_000))).toBe(true)
  } finally {
    await second.pack.close()
    await rm(directory, { recursive: true, force: true })
  }
})
