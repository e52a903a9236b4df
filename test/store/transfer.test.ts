import { readFileSync, writeFileSync } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Store } from '../../shared/runtime/ports/index.ts'
import { openSqliteStore } from '../../shared/store/index.ts'
import { openPostgresStore } from '../../shared/store/postgres/store.ts'
import { exportStore, importStore } from '../../shared/store/transfer/index.ts'
import { transferTables } from '../../shared/store/transfer/tables.ts'
import { postgresIsMissing, startPostgres } from '../support/postgres.ts'
import { failsWith } from './fails.ts'
import { makeFolder } from './folder.ts'
import { approval, approvalRule } from './make-approvals.ts'
import { app, connection, file, hook, run, start, event, subscription, t0, tenant, token } from './make.ts'

const clock = { now: () => t0, monotonic: () => performance.now(), sleep: async () => {} }
const log = () => {}
const folders: string[] = []
const folder = async () => {
  const made = await makeFolder()
  folders.push(made)
  return made
}
afterAll(() => Promise.all(folders.map((made) => rm(made, { recursive: true, force: true }))))

const hard = `a "quoted" \\ text\nof two lines, \u2028 and \u0007, 😀, and \uD800 alone`

/** Rows of many tables, with every kind of value. */
const fill = async (store: Store) => {
  await store.instance()
  for (const id of ['b', 'B', 'a-1', 'ä']) await store.tenants.add(tenant(id, { name: hard.replace('\uD800', '') }))
  await store.tokens.add(token('b', 'tok1'))
  await store.apps.put(app('b'))
  await store.connections.add(connection('b', 'c1'))
  await store.subscriptions.add(subscription('b', 's1'))
  await store.hooks.attach(hook('b', 'h1'), 's1')
  await store.ingest({
    events: [event('b', 'e1', { raw: Uint8Array.from({ length: 256 }, (_, index) => index) })],
    starts: [start('b', 'k1')],
  })
  for (let index = 0; index < 500; index += 1)
    await store.runs.record(run('b', `r${index}`, { durationMs: index / 7, credits: index / 3 }))
  await store.files.add(file('b', 'f1'))
  await store.files.append('b', 'f1', 0, new Uint8Array(100_000).fill(7), 100_000)
  await store.approvalRules.add(approvalRule('b', 'rule'), 5)
  await store.approvals.add(approval('b', 'w1', { credits: 1 / 3 }), 5)
  await store.approvals.add(approval('b', 'w2', { identity: null, credits: null, person: null }), 5)
  await store.flush()
}

const filled = async () => {
  const directory = await folder()
  const store = await openSqliteStore({ directory, now: () => t0 })
  await fill(store)
  await store.close()
  return directory
}

const exported = async (place: { directory: string } | { url: string }) => {
  const target = join(await folder(), 'out.jsonl')
  const { rows } = await exportStore({ place, file: target, clock, log })
  return { target, rows, text: readFileSync(target, 'utf8') }
}
const imported = (
  place: { directory: string } | { url: string },
  source: string,
  keys = ['k', 'next'],
  lost: string[] = [],
) => importStore({ place, file: source, clock, log, keys, lost })

describe('an export', () => {
  test('has every table, and what is imported from it is exported with the same bytes', async () => {
    const first = await exported({ directory: await filled() })
    expect(Object.keys(first.rows).toSorted()).toEqual(transferTables().map(({ name }) => name))
    expect(first.rows).toMatchObject({
      tenants: 4,
      runs: 500,
      events: 1,
      starts: 1,
      file_chunks: 1,
      hook_uses: 1,
      approvals: 2,
    })
    const directory = await folder()
    expect((await imported({ directory }, first.target)).rows).toEqual(first.rows)
    expect((await stat(join(directory, 'toolyard.db'))).mode & 0o777).toBe(0o600)
    expect((await exported({ directory })).text).toBe(first.text)
    const store = await openSqliteStore({ directory, now: () => t0 })
    expect((await store.events.byId('b', 'e1'))[0]!.raw).toEqual(Uint8Array.from({ length: 256 }, (_, index) => index))
    expect(await store.approvals.get('b', 'w1')).toEqual(approval('b', 'w1', { credits: 1 / 3 }))
    expect((await store.tenants.get('b'))!.name).toBe(hard.replace('\uD800', ''))
    await store.close()
  })

  test('is not made of a directory that a server uses or that has no database, nor over another file', async () => {
    const directory = await filled()
    const target = join(await folder(), 'out.jsonl')
    const store = await openSqliteStore({ directory, now: () => t0 })
    expect(await failsWith(exportStore({ place: { directory }, file: target, clock, log }), 'unavailable')).toContain(
      'in use',
    )
    await store.close()
    expect(
      await failsWith(exportStore({ place: { directory: await folder() }, file: target, clock, log }), 'not_found'),
    ).toContain('no database')
    writeFileSync(target, 'mine')
    await failsWith(exportStore({ place: { directory }, file: target, clock, log }), 'conflict')
    expect(readFileSync(target, 'utf8')).toBe('mine')
  })

  test('is imported whole or not at all', async () => {
    const { target, text } = await exported({ directory: await filled() })
    const lines = text.trimEnd().split('\n')
    const aRow = lines.findLastIndex((line) => line.startsWith('[') && line.includes('b'))
    const spoilt: [string, string[]][] = [
      ['its end is missing', lines.slice(0, -1)],
      ['checksum', lines.toSpliced(lines.length - 2, 1)],
      ['checksum', lines.with(aRow, lines[aRow]!.replace('b', 'c'))],
      ['does not begin', ['{}', ...lines.slice(1)]],
      ['not JSON', lines.with(3, lines[3]!.slice(1))],
      ['follows its end', [...lines, '[]']],
      ['same version', lines.with(0, lines[0]!.replace(/"schema":\d+/, '"schema":1'))],
    ]
    for (const [reason, kept] of spoilt) {
      writeFileSync(target, kept.map((line) => `${line}\n`).join(''))
      const directory = await folder()
      expect(await failsWith(imported({ directory }, target), 'invalid_input')).toContain(reason)
      expect(
        await failsWith(exportStore({ place: { directory }, file: `${target}2`, clock, log }), 'not_found'),
      ).toContain('no database')
    }
  })

  test('is not imported over data, nor without the keys of its secrets', async () => {
    const directory = await filled()
    const { target } = await exported({ directory })
    expect(await failsWith(imported({ directory }, target), 'conflict')).toContain('holds a database already')
    expect(await failsWith(imported({ directory: await folder() }, target, []), 'unavailable')).toContain(
      'Nothing was imported',
    )
    expect(await failsWith(imported({ directory: await folder() }, `${target}.none`), 'not_found')).toContain(
      'no export',
    )
  })
})

describe.skipIf(postgresIsMissing())('an export and PostgreSQL', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.close())

  test('goes there and back without a change of a byte', async () => {
    const first = await exported({ directory: await filled() })
    const url = await server.createDatabase()
    expect((await imported({ url }, first.target)).rows).toEqual(first.rows)
    const there = await exported({ url })
    expect(there.text).toBe(first.text)
    const directory = await folder()
    await imported({ directory }, there.target)
    expect((await exported({ directory })).text).toBe(first.text)
  })

  test('is made while servers work', async () => {
    const url = await server.createDatabase()
    const store = await openPostgresStore({ url, clock, log })
    await fill(store)
    const writing = (async () => {
      for (let index = 0; index < 200; index += 1) await store.tenants.add(tenant(`w${index}`))
    })()
    const { rows } = await exported({ url })
    await writing
    expect(rows['runs']).toBe(500)
    await store.close()
  })

  test('is not imported over data; one that is not complete, or whose keys are missing, leaves nothing', async () => {
    const { target, text } = await exported({ directory: await filled() })
    const url = await server.createDatabase()
    writeFileSync(target, text.split('\n').slice(0, -2).join('\n'))
    expect(await failsWith(imported({ url }, target), 'invalid_input')).toContain('its end is missing')
    expect((await exported({ url })).rows).toMatchObject({ runs: 0, tenants: 0 })
    writeFileSync(target, text)
    expect(await failsWith(imported({ url }, target, ['other']), 'unavailable')).toContain(
      'Nothing was imported: the secrets of the export are sealed under the master key k; here: other.',
    )
    expect((await exported({ url })).rows).toMatchObject({ runs: 0, tenants: 0 })
    await imported({ url }, target, [], ['k'])
    expect(await failsWith(imported({ url }, target), 'conflict')).toContain('holds data already')
  })
})
