import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPack } from '../../shared/pack.ts'
import { createVault, wrappedKeyring } from '../../shared/store/index.ts'
import { openPostgresStore } from '../../shared/store/postgres/store.ts'
import { postgresIsMissing, startPostgres } from '../support/postgres.ts'
import { storeContract } from './contract.ts'
import { timedByCalls } from './database-time.ts'
import { failsWith } from './fails.ts'
import { auditEntry, run, t0, tenant } from './make.ts'

const clock = { now: () => t0, monotonic: () => performance.now(), sleep: async () => {} }

const until = async <T>(look: () => Promise<T | undefined>): Promise<T> => {
  for (;;) {
    const value = await look()
    if (value !== undefined) return value
  }
}

describe.skipIf(postgresIsMissing())('PostgreSQL', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  const opened: { close(): Promise<void> }[] = []
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(async () => {
    for (const store of opened) await store.close()
    await server.close()
  })
  const open = async (url: string) => {
    const store = await openPostgresStore({ url, clock, log: () => {} })
    opened.push(store)
    return store
  }

  storeContract('postgres', async () => {
    const url = await server.createDatabase()
    return timedByCalls(await openPostgresStore({ url, clock, log: () => {} }), url)
  })

  test('what one process writes another one reads, and both may open a new database at once', async () => {
    const url = await server.createDatabase()
    const [firstStore, other] = await Promise.all([open(url), open(url)])
    await firstStore.tenants.add(tenant('shared'))
    expect(await other.tenants.get('shared')).toEqual(tenant('shared'))
    expect(await firstStore.instance()).toBe(await other.instance())
  })

  test('writes of a process stay in the order in which they were handed over', async () => {
    const store = await open(await server.createDatabase())
    const written = Array.from({ length: 300 }, (_, index) =>
      store.runs.record(run('order', 'r1', { attempts: index })),
    )
    await Promise.all(written)
    expect(await store.runs.get('order', 'r1')).toMatchObject({ attempts: 299 })
  })

  test('of what is written together, only what cannot be written is refused', async () => {
    const store = await open(await server.createDatabase())
    await store.tenants.add(tenant('t1'))
    const results = await Promise.allSettled([
      store.tenants.add(tenant('t0')),
      store.tenants.add(tenant('t1')),
      store.tenants.add(tenant('t2')),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect((await store.tenants.list()).map(({ id }) => id)).toEqual(['t0', 't1', 't2'])
  })

  test('a text that PostgreSQL cannot hold is refused, and the rest goes on', async () => {
    const store = await open(await server.createDatabase())
    expect(await failsWith(store.tenants.add(tenant('a', { name: 'A\0B' })), 'invalid_input')).toContain('NUL')
    await store.tenants.add(tenant('a', { name: `It's "quoted" \\x41 ? $1 😀` }))
    expect(await store.tenants.get('a')).toMatchObject({ name: `It's "quoted" \\x41 ? $1 😀` })
  })

  test('values of rows are not in the log of the database, also where a statement fails', async () => {
    const store = await open(await server.createDatabase())
    const secret = 'value-4711-of-a-row'
    await store.tenants.add(tenant('log', { name: secret }))
    await store.tenants.add(tenant('log', { name: secret })).catch(() => undefined)
    expect(server.log()).toContain('insert into tenants')
    expect(server.log()).not.toContain(secret)
  })

  test('a database that cannot be reached, or refuses the password, is named with the remedy', async () => {
    const url = await server.createDatabase()
    expect(await failsWith(open(url.replace(/:[^:@]*@/, ':wrong@')), 'unavailable')).toContain(
      'password of DATABASE_URL',
    )
    expect(await failsWith(open(url.replace(/\/[^/]*$/, '/nowhere')), 'unavailable')).toContain('does not exist')
    expect(await failsWith(open('postgres://toolyard@127.0.0.1:1/none'), 'unavailable')).toContain('cannot be reached')
  })

  test('a lease belongs to one process until it is released or ends, and a number shows who had it last', async () => {
    const url = await server.createDatabase()
    const [firstStore, other] = [await open(url), await open(url)]
    const first = (await firstStore.cluster.lease('work', 60_000))!
    expect(first.isHeld()).toBe(true)
    expect(await other.cluster.lease('work', 60_000)).toBeUndefined()
    await first.release()
    expect(first.isHeld()).toBe(false)
    const second = (await other.cluster.lease('work', 1))!
    const third = await until(() => firstStore.cluster.lease('work', 60_000))
    expect(third.epoch).toBeGreaterThan(second.epoch)
    expect(second.epoch).toBeGreaterThan(first.epoch)
    expect([await second.renew(60_000), await first.renew(60_000), await third.renew(60_000)]).toEqual([
      false,
      false,
      true,
    ])
  })

  test('processes that write to the audit log of a tenant at once write one chain, whole and signed', async () => {
    const url = await server.createDatabase()
    const stores = await Promise.all([open(url), open(url), open(url)])
    const vault = createVault({ masterKey: Buffer.alloc(32, 3), keyId: 'k1' })
    for (const { audit } of stores) await audit.signWith(vault)
    const entries = Array.from({ length: 300 }, (_, index) =>
      auditEntry('chain', { at: t0 + index, path: `/${index}` }),
    )
    await Promise.all(
      entries.map(async (entry, index) => {
        // Not all in one batch.
        for (let turn = 0; turn < index % 7; turn += 1) await stores[0]!.tenants.list()
        await stores[index % 3]!.audit.append(entry)
      }),
    )
    for (const { audit } of stores) expect(await audit.verify('chain')).toEqual({ ok: true, rows: 300 })
    const { items } = await stores[0]!.audit.list('chain', { limit: 1000 })
    expect(new Set(items.map(({ path }) => path)).size).toBe(300)
    expect(items.map(({ seq }) => seq)).toEqual(Array.from({ length: 300 }, (_, index) => 300 - index))
  })

  test('servers have one master key: that of the first, until one replaces it; processes that start at once with a wrapped key share one', async () => {
    const url = await server.createDatabase()
    const [firstStore, other] = [await open(url), await open(url)]
    expect(await firstStore.cluster.agreeOnKey('k1', [])).toBe('k1')
    expect(await other.cluster.agreeOnKey('k2', [])).toBe('k1')
    expect(await other.cluster.agreeOnKey('k2', ['k0', 'k1'])).toBe('k2')
    expect(await firstStore.cluster.agreeOnKey('k1', [])).toBe('k2')
    const options = { masterKey: Buffer.alloc(32, 1), integrations: [] }
    await failsWith(createPack({ ...options, store: firstStore }), 'unavailable')

    const wrap = {
      wrap: async (key: Buffer) => key.toString('hex'),
      unwrap: async (text: string) => Buffer.from(text, 'hex'),
    }
    const keyrings = await Promise.all(
      [firstStore, other, firstStore, other].map((store) => wrappedKeyring(store, wrap)),
    )
    expect(new Set(keyrings.map(({ keys }) => keys[0]!.id)).size).toBe(1)
  })

  test('after a restart of the database the store goes on by itself', async () => {
    const store = await open(await server.createDatabase())
    await store.tenants.add(tenant('before'))
    await server.kill()
    await failsWith(store.tenants.add(tenant('meanwhile')), 'unavailable')
    await server.start()
    await store.tenants.add(tenant('after'))
    expect((await store.tenants.list()).map(({ id }) => id).toSorted()).toEqual(['after', 'before'])
  })
})
