import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Change } from '../../shared/runtime/ports/index.ts'
import { openChanges } from '../../shared/store/postgres/changes.ts'
import { openPostgresStore } from '../../shared/store/postgres/store.ts'
import { postgresIsMissing, startPostgres } from '../support/postgres.ts'
import { app, connection, event, hook, subscription, t0, tenant, token } from './make.ts'

const clock = { now: () => t0, monotonic: () => performance.now(), sleep: async () => {} }
const nameOf = ({ kind, tenant: of, id }: Change) => `${kind} ${of} ${id}`

const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

describe.skipIf(postgresIsMissing())('what other processes change', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  const opened: { close(): Promise<void> }[] = []
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close()
  })
  afterAll(() => server.close())

  const openTwo = async () => {
    const url = await server.createDatabase()
    const open = async () => {
      const store = await openPostgresStore({ url, clock, log: () => {} })
      opened.push(store)
      return store
    }
    const [firstStore, other] = [await open(), await open()]
    const changeNames: string[] = []
    const follow = () => firstStore.cluster.follow((changes) => void changeNames.push(...changes.map(nameOf)))
    return { url, open, one: firstStore, other, told: changeNames, follow }
  }

  test('rows of every kind that processes hold in memory are told of, and only where they were changed elsewhere', async () => {
    const { one: firstStore, other, told: changeNames, follow } = await openTwo()
    follow()
    await other.tenants.add(tenant('t'))
    await other.tokens.add(token('t', 'tok'))
    await other.apps.put(app('t'))
    await other.connections.add(connection('t', 'con'))
    await other.subscriptions.add(subscription('t', 'sub'))
    await other.hooks.attach(hook('t', 'hook'), 'sub')
    await other.keyring.put('wrapped')
    await firstStore.tenants.add(tenant('mine'))
    await firstStore.cluster.catchUp()
    expect(changeNames).toEqual([
      'tenant t t',
      'token t tok',
      'app t work-board',
      'connection t con',
      'subscription t sub',
      'hook t hook',
      'keyring  ',
    ])
    changeNames.length = 0
    await other.tokens.revoke('t', 'tok', t0)
    await other.subscriptions.patch('t', 'sub', { deletedAt: t0 })
    await other.connections.remove('t', 'con')
    await firstStore.cluster.catchUp()
    // The order is no promise: listeners read each row as it is by then.
    expect(changeNames.toSorted()).toEqual(['connection t con', 'subscription t sub', 'token t tok'])
  })

  test('what concerns no other process is not told', async () => {
    const { one: firstStore, other, told: changeNames, follow } = await openTwo()
    follow()
    await other.connections.add(connection('t', 'con'))
    await other.hooks.attach(hook('t', 'hook'), 'sub')
    await firstStore.cluster.catchUp()
    changeNames.length = 0
    await other.connections.patch('t', 'con', { lastUsedAt: t0 + 5 })
    await other.hooks.patch('t', 'hook', { lastDeliveryAt: t0 + 5, failures: 3 })
    await other.timestamps.put('alive', t0)
    await firstStore.cluster.catchUp()
    expect(changeNames).toEqual([])
    await other.hooks.patch('t', 'hook', { types: ['another'] })
    await firstStore.cluster.catchUp()
    expect(changeNames).toEqual(['hook t hook'])
  })

  test('they are told without being asked for, also after the database was away', async () => {
    const { other, told: changeNames, follow } = await openTwo()
    follow()
    await other.tenants.add(tenant('a'))
    await until(() => changeNames.includes('tenant a a'))
    await server.kill()
    await server.start()
    await other.tenants.add(tenant('b')).catch(() => other.tenants.add(tenant('b')))
    await until(() => changeNames.includes('tenant b b'))
    expect(changeNames.filter((name) => name === 'tenant a a')).toHaveLength(1)
  })

  test('a transaction that commits after later ones is told too, and each is told once', async () => {
    const { url, one: firstStore, other, told: changeNames, follow } = await openTwo()
    follow()
    const late = new Client({ connectionString: url })
    await late.connect()
    await late.query(
      `set search_path to toolyard; begin; insert into tenants (id, name, created_at) values ('late', 'Late', 0)`,
    )
    await other.tenants.add(tenant('a'))
    await firstStore.cluster.catchUp()
    await other.tenants.add(tenant('b'))
    await firstStore.cluster.catchUp()
    await late.query('commit')
    await late.end()
    await firstStore.cluster.catchUp()
    await firstStore.cluster.catchUp()
    expect(changeNames).toEqual(['tenant a a', 'tenant b b', 'tenant late late'])
  })

  test('a listener that fails is told again', async () => {
    const { one: firstStore, other } = await openTwo()
    let calls = 0
    firstStore.cluster.follow(async () => {
      calls += 1
      if (calls === 1) throw new Error('not now')
    })
    await other.tenants.add(tenant('a'))
    await until(() => calls === 2)
  })

  test('events are refused where another process changed a subscription of their connection that this one has not read', async () => {
    const { one: firstStore, other } = await openTwo()
    const arrival = (id: string, of = 'con') => ({ events: [event('t', id, { connection: of })] })
    await other.subscriptions.add(subscription('t', 'sub', { connection: 'con' }))
    expect(await other.ingest(arrival('e1'))).toEqual({ events: ['e1'], starts: [] })
    expect(await firstStore.ingest(arrival('e2'))).toMatchObject({ isBehind: true, events: [] })
    expect(await firstStore.events.byId('t', 'e2')).toEqual([])
    expect(await firstStore.ingest(arrival('e3', 'another'))).toEqual({ events: ['e3'], starts: [] })
    const together = [arrival('e4'), arrival('e5', 'another'), arrival('e6'), arrival('e7', 'another')]
    expect(await Promise.all(together.map(firstStore.ingest))).toMatchObject([
      { isBehind: true, events: [] },
      { events: ['e5'] },
      { isBehind: true, events: [] },
      { events: ['e7'] },
    ])
    await firstStore.cluster.catchUp()
    expect(await firstStore.ingest(arrival('e2'))).toEqual({ events: ['e2'], starts: [] })
  })
})

test('a process that was away for too long, or whose database was restored, is told that everything may have changed', async () => {
  let head = { horizon: '100', at: 1000 }
  const send = async (queries: { name: string }[]) =>
    queries.map(({ name }) => ({
      rows: name === 'changes now' ? [head] : name === 'changes since' ? [{ ...head, id: null }] : [{ alive: 1 }],
      changes: 0,
    }))
  const feed = await openChanges({
    connections: { send },
    notifications: { listen: async () => {} },
    node: 'node_1',
    log: () => {},
  })
  const changeKinds: string[] = []
  feed.follow((changes) => void changeKinds.push(...changes.map(({ kind }) => kind)))
  head = { horizon: '101', at: 1299 }
  await feed.catchUp()
  expect(changeKinds).toEqual([])
  head = { horizon: '102', at: 1600 }
  await feed.catchUp()
  expect(changeKinds).toEqual(['everything'])
  head = { horizon: '90', at: 1601 }
  await feed.catchUp()
  expect(changeKinds).toEqual(['everything', 'everything'])
  await feed.close()
})

test('old changes are removed until none are left, however many there are', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    const left = [5000, 5000, 12]
    const removed: number[] = []
    const feed = await openChanges({
      connections: {
        send: async (queries) =>
          queries.map(({ name }) => {
            if (name !== 'changes old') return { rows: [{ horizon: '100', at: 1000, id: null }], changes: 0 }
            removed.push(left.shift() ?? 0)
            return { rows: [], changes: removed.at(-1)! }
          }),
      },
      notifications: { listen: async () => {} },
      node: 'node_1',
      log: () => {},
    })
    vi.advanceTimersByTime(60_000)
    await expect.poll(() => removed).toEqual([5000, 5000, 12])
    await feed.close()
  } finally {
    vi.useRealTimers()
  }
})
