import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openPostgresStore } from '../../shared/store/postgres/store.ts'
import { postgresIsMissing, startPostgres } from '../support/postgres.ts'
import { openSilentPath } from '../support/silent-path.ts'
import { failsWith } from './fails.ts'
import { run, tenant } from './make.ts'

const clock = { now: Date.now, monotonic: () => performance.now(), sleep: async () => {} }
const limits = { connectMs: 1_500, answerMs: 2_000 }
/** Far more than the limits together, and far less than a lost path would take. */
const patienceMs = 20_000

describe.skipIf(postgresIsMissing())('a path to PostgreSQL that is lost without a word', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.close())

  /** A database that has its schema, which takes longer to make than these limits allow, and a path to it. */
  const openPath = async () => {
    const path = await openSilentPath(server.port)
    onTestFinished(() => path.close())
    const direct = await server.createDatabase()
    await (await openPostgresStore({ url: direct, clock, log: () => {} })).close()
    return { path, direct, url: path.through(direct) }
  }
  const open = async () => {
    const { path, direct, url } = await openPath()
    const lines: string[] = []
    const store = await openPostgresStore({ url, clock, limits, log: (_, event) => void lines.push(event) })
    onTestFinished(() => (path.heal(), store.close()))
    return { path, direct, store, lines }
  }
  const timed = async <T>(work: Promise<T>): Promise<T> => {
    const began = performance.now()
    const [done] = await Promise.allSettled([work])
    expect(performance.now() - began).toBeLessThan(patienceMs)
    if (done.status === 'rejected') throw done.reason
    return done.value
  }

  test('reads and writes fail as unavailable, and work again as soon as the path is there', async () => {
    const { path, store } = await open()
    await store.tenants.add(tenant('a'))
    path.lose()
    expect(await timed(failsWith(store.tenants.get('a'), 'unavailable'))).toMatch(/database/i)
    expect(await timed(failsWith(store.tenants.add(tenant('b')), 'unavailable'))).toMatch(/database/i)
    // Many at once do not wait for each other's connections to be given up one by one.
    const many = Array.from({ length: 40 }, () => failsWith(store.tenants.get('a'), 'unavailable'))
    await timed(Promise.all(many))
    path.heal()
    expect(await timed(store.tenants.get('a'))).toEqual(tenant('a'))
    await store.tenants.add(tenant('c'))
  })

  test('connections that were idle while it was lost are not tried one after the other', async () => {
    const { path, store } = await open()
    // Ten connections.
    await Promise.all(Array.from({ length: 10 }, () => store.tenants.list()))
    path.lose()
    await timed(failsWith(store.tenants.get('a'), 'unavailable'))
    path.heal()
    await timed(Promise.all(Array.from({ length: 10 }, () => store.tenants.list())))
  })

  test('what was sent and is given up never arrives later', async () => {
    const { path, store, direct } = await open()
    await store.tenants.add(tenant('a'))
    path.lose({ there: true })
    await timed(failsWith(store.tenants.add(tenant('late')), 'unavailable'))
    path.heal()
    const other = await openPostgresStore({ url: direct, clock, log: () => {} })
    onTestFinished(() => other.close())
    await timed(store.tenants.add(tenant('after')))
    expect((await other.tenants.list()).map(({ id }) => id)).toEqual(['a', 'after'])
  })

  test('a write whose answer is lost may have been carried out; it is not sent a second time, and said again it changes nothing', async () => {
    const { path, store, lines } = await open()
    await store.tenants.add(tenant('a'))
    path.lose({ back: true })
    await timed(failsWith(store.runs.record(run('a', 'r1')), 'unavailable'))
    path.heal()
    expect(await timed(store.runs.get('a', 'r1'))).toMatchObject({ id: 'r1' })
    await store.runs.record(run('a', 'r1'))
    expect(lines).toContain('store.silent')
    expect(await failsWith(store.tenants.add(tenant('a')), 'conflict')).toContain('exists already')
  })

  test('a store closes although its path is lost', async () => {
    const { path, url } = await openPath()
    const store = await openPostgresStore({ url, clock, limits, log: () => {} })
    const stop = store.cluster.follow(() => {})
    await store.tenants.list()
    path.lose()
    stop()
    await timed(store.close())
  })

  test('and does not open through one', async () => {
    const { path, url } = await openPath()
    path.lose()
    expect(await timed(failsWith(openPostgresStore({ url, clock, limits, log: () => {} }), 'unavailable'))).toContain(
      'cannot be reached',
    )
  })

  test('what others changed is told again once the path is there', async () => {
    const { path, store, direct } = await open()
    const other = await openPostgresStore({ url: direct, clock, log: () => {} })
    onTestFinished(() => other.close())
    const changeIds: string[] = []
    store.cluster.follow((changes) => void changeIds.push(...changes.map(({ id }) => id)))
    await other.tenants.add(tenant('before'))
    await expect.poll(() => changeIds, { timeout: patienceMs }).toContain('before')
    path.lose()
    await other.tenants.add(tenant('meanwhile'))
    await timed(failsWith(store.tenants.list(), 'unavailable'))
    path.heal()
    await expect.poll(() => changeIds, { timeout: patienceMs }).toContain('meanwhile')
  })
})
