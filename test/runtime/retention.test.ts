import { rm } from 'node:fs/promises'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { createPack } from '../../shared/pack.ts'
import type { Store } from '../../shared/runtime/ports/index.ts'
import { ages, createRetention } from '../../shared/runtime/admin/retention.ts'
import { openSqliteStore } from '../../shared/store/index.ts'
import { fakeClock } from '../support/clock.ts'
import { makeFolder } from '../store/folder.ts'
import { auditEntry, event, intent, run, start, subscription } from '../store/make.ts'

const folders: string[] = []
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))))

const day = 24 * 3_600_000
const open = async () => {
  const clock = fakeClock()
  const directory = await makeFolder()
  folders.push(directory)
  return { clock, store: await openSqliteStore({ directory, now: clock.now, minFreeBytes: 0 }) }
}
const tenants = ['a', 'b', 'c']
const times = (count: number) => Array.from({ length: count }, (_, index) => index)

/** Some of everything that goes by age, of each tenant; gives how many rows there are. */
const fill = async (store: Store, at: number, count: number, name: string) => {
  const work = tenants.flatMap((tenant) => [
    ...times(count).map((n) => store.runs.record(run(tenant, `${name}-r${n}`, { createdAt: at }))),
    ...times(count).map(() => store.audit.append(auditEntry(tenant, { at }))),
    ...times(count).map((n) =>
      store.intents.plan(intent(tenant, `${name}-k${n}`, { createdAt: at, expiresAt: at + day })),
    ),
    store.ingest({
      events: times(count).map((n) => event(tenant, `${name}-e${n}`, { receivedAt: at })),
      starts: times(count).map((n) => start(tenant, `${name}-s${n}`, { state: 'done', endedAt: at })),
      gaps: times(count).map((n) => ({
        tenant,
        id: `${name}-g${n}`,
        connection: 'c1',
        model: 'm',
        fromAt: at,
        toAt: at,
        kind: 'k',
        reason: 'r',
        createdAt: at,
      })),
    }),
    ...times(count).map((n) =>
      store.undecodable.add({
        tenant,
        id: `${name}-u${n}`,
        integration: 'i',
        connection: 'c1',
        hook: 'h',
        receivedAt: at,
        reason: 'r',
        raw: null,
      }),
    ),
    store.ownWrites.add(
      times(count).map((n) => ({
        tenant,
        connection: 'c1',
        object: `${name}-o${n}`,
        runId: 'r',
        step: 's',
        startId: null,
        at,
      })),
    ),
  ])
  await Promise.all(work)
}

/** How many rows of each kind are left of all tenants; payloads and starts' data as they are emptied. */
const left = async (store: Store) => {
  const counts = { runs: 0, audit: 0, gaps: 0, undecodable: 0, payloads: 0, starts: 0 }
  const page = { limit: 100_000 }
  for (const tenant of tenants) {
    counts.runs += (await store.runs.list(tenant, page)).items.length
    counts.audit += (await store.audit.list(tenant, page)).items.length
    counts.gaps += (await store.gaps.list(tenant, page)).items.length
    counts.undecodable += (await store.undecodable.list(tenant, page)).items.length
    counts.payloads += (await store.events.list(tenant, page)).items.filter(({ raw }) => raw !== null).length
    counts.starts += (await store.starts.list(tenant, page)).items.filter(({ data }) => data !== null).length
  }
  return counts
}

describe('retention', () => {
  test('a backlog of an old data directory is worked off at one go: every kind, every tenant', async () => {
    const { clock, store } = await open()
    const old = clock.now() - 400 * day
    await fill(store, old, 700, 'old')
    await fill(store, clock.now(), 5, 'young')
    await store.subscriptions.add(subscription('a', 'live'))
    const retention = createRetention({ store, clock, log: () => {} })
    clock.advance(60_000)
    retention.touch()
    await retention.idle()
    expect(await left(store)).toEqual({ runs: 15, audit: 15, gaps: 15, undecodable: 15, payloads: 15, starts: 15 })
    expect(await store.intents.prune(clock.now())).toBe(0)
    for (const tenant of tenants) expect((await store.audit.verify(tenant)).ok).toBe(true)
    expect(await store.ownWrites.find('a', 'c1', ['old-o1', 'young-o1'], 0, Infinity)).toHaveLength(1)
    await retention.stop()
    await store.close()
  })

  test('removal keeps up: what fell due in a minute is gone within the next, not a share of it', async () => {
    const { clock, store } = await open()
    const retention = createRetention({ store, clock, log: () => {} })
    const perMinute = 3_000
    const then = clock.now() - ages.runs - 10 * 60_000
    for (let minute = 0; minute < 3; minute += 1) {
      const at = then + minute * 60_000
      await Promise.all(times(perMinute).map((n) => store.runs.record(run('a', `m${minute}-${n}`, { createdAt: at }))))
      clock.advance(60_000)
      retention.touch()
      await retention.idle()
      expect((await store.runs.list('a', { limit: 1 })).items.length).toBe(0)
    }
    await retention.stop()
    await store.close()
  })

  test('a pack used as a library, without start(): a run sets it off, and close waits for what is under way', async () => {
    const { clock, store } = await open()
    await fill(store, clock.now() - 400 * day, 50, 'old')
    const pack = await createPack({ store: { ...store, close: async () => {} }, clock, masterKey: Buffer.alloc(32, 4) })
    clock.advance(60_000)
    await pack.steps.run({ tenant: 'a' }, { integration: 'work-board', step: 'get-boards', input: {} })
    while ((await left(store)).payloads > 0) await new Promise(setImmediate)
    await pack.close()
    // The run that set it off.
    expect((await left(store)).runs).toBe(1)
    await store.close()
  })
})

test('a pack that does not open leaves no timer behind', async () => {
  const timers = vi.spyOn(globalThis, 'setInterval')
  await expect(
    createPack({ jwt: { issuer: 'https://id.example', audience: 'toolyard', jwksUrl: 'no address' } }),
  ).rejects.toMatchObject({
    code: 'invalid_input',
  })
  expect(timers).not.toHaveBeenCalled()
  timers.mockRestore()
})
