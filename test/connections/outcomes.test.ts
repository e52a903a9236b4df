import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../../shared/runtime/ports/index.ts'
import { keyIdOf, openSqliteStore } from '../../shared/store/index.ts'
import { testFolder } from '../store/folder.ts'
import { caller } from '../support/world.ts'
import { openOAuthWorld } from '../support/oauth-world.ts'
import type { OAuthWorld } from '../support/oauth-world.ts'

let directory: string
let store: Store
let world: OAuthWorld
const masterKey = { keys: [] as { id: string; key: Buffer }[], save: async () => {} }
beforeEach(async () => {
  directory = await testFolder()
  store = await openSqliteStore({ directory, now: Date.now })
  const key = randomBytes(32)
  masterKey.keys = [{ id: keyIdOf(key), key }]
  world = await openOAuthWorld({ store, masterKey })
  const { key: appKey, token } = world.sandbox.board.credentials
  await world.pack.connections.create(caller, {
    integration: 'work-board',
    type: 'key-token',
    secrets: { key: appKey, token },
  })
})

const getBoards = (idempotencyKey: string) =>
  world.pack.steps.run(caller, { integration: 'work-board', step: 'get-boards', input: {}, idempotencyKey })
const filesHold = async (text: string) => {
  await store.flush()
  const bytes = await Promise.all(
    ['toolyard.db', 'toolyard.db-wal'].map((name) => readFile(join(directory, name), 'latin1').catch(() => '')),
  )
  return bytes.some((content) => content.includes(text))
}

describe('outcomes of keyed runs', () => {
  it('lie sealed in the database and in backups, and are given again', async () => {
    const first = await getBoards('key-1')
    expect(JSON.stringify(first)).toContain('Launch plan')
    expect(await getBoards('key-1')).toMatchObject({
      ok: true,
      value: (first as { value: object }).value,
      meta: { cached: true },
    })
    expect(await filesHold('Launch plan')).toBe(false)
    await world.pack.backup(caller, join(directory, 'one.db'))
    expect(await readFile(join(directory, 'one.db'), 'latin1')).not.toContain('Launch plan')
  })

  it('are sealed again by a rotation, also those behind a page of them', async () => {
    for (let n = 0; n < 25; n += 1) await getBoards(`key-${n}`)
    const { keyId, failed } = await world.pack.keys.rotate(caller)
    expect([failed, await store.sealed.paged('outcome', keyId, 5)]).toEqual([[], []])
    for (const key of ['key-0', 'key-24'])
      expect(await getBoards(key)).toMatchObject({ ok: true, meta: { cached: true } })
  })

  it('that an earlier version stored as they were are still given', async () => {
    await getBoards('key-1')
    const outcome = { ok: true, value: { boards: [], count: 0 }, meta: { runId: 'r', durationMs: 1, attempts: 1 } }
    await store.intents.update('default', 'key-1', 'done', outcome)
    expect(await getBoards('key-1')).toMatchObject({ ok: true, value: { count: 0 }, meta: { cached: true } })
  })

  it('that do not open are refused, and nothing is sent', async () => {
    await getBoards('key-1')
    const before = world.sandbox.board.control.requests().length
    await store.intents.update('default', 'key-1', 'done', { sealed: { outcome: 'v1.000000000000.a.b.c' } })
    expect(await getBoards('key-1')).toMatchObject({
      ok: false,
      failure: { code: 'unavailable', retryable: false, message: expect.stringContaining('Nothing was sent now') },
    })
    expect(world.sandbox.board.control.requests().length).toBe(before)
  })
})
