import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, expect, test, vi } from 'vitest'
import { createPack } from '../../shared/pack.ts'
import { createMemoryStore } from '../../shared/store/index.ts'
import { auditEntry, run, t0 } from './make.ts'

afterEach(() => void vi.restoreAllMocks())

test.each([
  ['a pack', {}],
  ['a pack with a store passed in', { store: createMemoryStore() }],
])('%s that connects and runs steps never creates the database', async (_, options) => {
  const server = createServer((_, response) => response.end('[]'))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const make = vi.spyOn(DatabaseSync.prototype, 'exec')
  const pack = await createPack({
    ...options,
    wire: { 'work-board': { baseUrl: origin } },
    egress: { privateOrigins: [origin] },
  })
  const caller = { tenant: 'default' }
  const secrets = { key: '0'.repeat(32), token: '0'.repeat(64) }
  await pack.connections.create(caller, { integration: 'work-board', type: 'key-token', name: 'One', secrets })
  expect(await pack.steps.run(caller, { integration: 'work-board', step: 'get-boards', input: {} })).toMatchObject({
    ok: true,
  })
  expect(make).not.toHaveBeenCalled()
  expect((await pack.runs.list(caller, { limit: 5 })).items).toHaveLength(1)
  expect(make).toHaveBeenCalled()
  await pack.close()
  server.close()
})

test('a store without rules and approvals says so without a database', async () => {
  const make = vi.spyOn(DatabaseSync.prototype, 'exec')
  const { approvals, approvalRules } = createMemoryStore()
  expect([await approvalRules.list(), await approvalRules.list('a')]).toEqual([[], []])
  expect([await approvals.due(t0, 9, 9), await approvals.tenants()]).toEqual([[], []])
  expect(await approvals.byIdentity('a', 'i')).toBeUndefined()
  expect(make).not.toHaveBeenCalled()
})

test('run rows that are read repeatedly stay limited to the newest 4,000 of each tenant', async () => {
  const store = createMemoryStore()
  await store.runs.record(run('b', 'r0'))
  for (let index = 0; index < 6_000; index += 1) {
    await store.runs.record(run('a', `r${index}`, { createdAt: t0 + index }))
    if (index % 1_000 === 0) await store.runs.get('a', 'r0')
  }
  const { items } = await store.runs.list('a', { limit: 100_000 })
  expect(items.map(({ id }) => id)).toEqual(Array.from({ length: 4_000 }, (_, index) => `r${5_999 - index}`))
  expect(await store.runs.get('b', 'r0')).toBeDefined()
})

test('the audit log stays one chain while old rows are dropped, and an exported head stays part of it', async () => {
  const store = createMemoryStore()
  for (let index = 0; index < 3_000; index += 1) await store.audit.append(auditEntry('a', { at: t0 + index }))
  const head = await store.audit.head('a')
  expect(head.seq).toBe(3_000)
  for (let index = 0; index < 3_000; index += 1) await store.audit.append(auditEntry('a', { at: t0 + 3_000 + index }))
  expect(await store.audit.verify('a', head)).toEqual({ ok: true, rows: 4_000 })
  expect((await store.audit.head('a')).seq).toBe(6_000)
  expect(await store.audit.verify('a', { ...head, hash: '0'.repeat(64) })).toMatchObject({ ok: false, seq: 3_000 })
})

test('two concurrent readers both see rows added before', async () => {
  const store = createMemoryStore()
  await store.runs.record(run('a', 'r1'))
  const [list, storedRun] = await Promise.all([store.runs.list('a', { limit: 5 }), store.runs.get('a', 'r1')])
  expect(list.items).toHaveLength(1)
  expect(storedRun).toEqual(run('a', 'r1'))
})
