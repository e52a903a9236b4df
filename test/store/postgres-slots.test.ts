import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Cluster, SharedWindow } from '../../shared/runtime/ports/index.ts'
import { openPostgresStore } from '../../shared/store/postgres/store.ts'
import { postgresIsMissing, startPostgres } from '../support/postgres.ts'

const clock = { now: () => Date.now(), monotonic: () => performance.now(), sleep: async () => {} }

describe.skipIf(postgresIsMissing())('rate limits that processes share', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  let url: string
  const nodes: { cluster: Cluster; close(): Promise<void> }[] = []
  beforeAll(async () => {
    server = await startPostgres()
    url = await server.createDatabase()
    for (let count = 0; count < 3; count += 1) nodes.push(await openPostgresStore({ url, clock, log: () => {} }))
  }, 60_000)
  afterAll(async () => {
    for (const node of nodes) await node.close()
    await server.close()
  })
  const slots = (node = 0) => nodes[node]!.cluster.slots!
  const token = (key: string, max = 100, windowMs = 60_000): SharedWindow => ({ key, max, windowMs, per: 'connection' })
  const app = (key: string, max = 300, windowMs = 60_000): SharedWindow => ({ key, max, windowMs, per: 'app' })

  test('are given out once, however many ask at the same time', async () => {
    const grants = Array.from({ length: 60 }, (_, index) =>
      slots(index % 3).take([token('once')], 1 + (index % 5), 't', false),
    )
    const granted = (await Promise.all(grants)).map((grant) => grant.granted)
    expect(granted.reduce((sum, count) => sum + count, 0)).toBe(100)
    expect(await slots().take([token('once')], 1, 't', false)).toMatchObject({ granted: 0, waitMs: 500 })
  })

  test('come back a window and a margin after they were given', async () => {
    const short = token('back', 2, 200)
    expect((await slots(0).take([short], 5, 't', false)).granted).toBe(2)
    const began = performance.now()
    for (;;) {
      const { granted, waitMs } = await slots(1).take([short], 1, 't', false)
      if (granted > 0) break
      expect(waitMs).toBeLessThanOrEqual(400)
      await wait(waitMs)
    }
    // Asked for after the first were granted, so the time between is at least that of the window.
    expect(performance.now() - began).toBeGreaterThan(350)
  })

  test('count from when a late answer was told', async () => {
    const window = token('moved', 3, 700)
    const { at } = await slots(0).take([window], 2, 't', false)
    await wait(400)
    const began = performance.now()
    slots(1).move([window], [at])
    // By the clock of the database, since what is asked on a busy machine is asked late.
    const database = new Client({ connectionString: url, options: '-c search_path=toolyard' })
    await database.connect()
    let stored: number[] = []
    while (new Set(stored).size < 2) {
      await wait(10)
      const { rows } = await database.query('select at from rate_slots where cardinality(at) = 2 and $1 = any(at)', [
        at,
      ])
      stored = (rows as { at: number[] }[])[0]!.at
    }
    await database.end()
    expect(stored).toEqual([at, expect.any(Number)])
    expect(stored[1]! - at).toBeGreaterThan(390)
    for (let granted = 0; granted < 3;) {
      const done = await slots(2).take([window], 1, 't', false)
      granted += done.granted
      if (done.granted === 0) await wait(Math.min(20, done.waitMs))
    }
    // The free one at once, that of the call that was not moved 900 ms after it was granted, the moved one that long
    // after it was moved.
    expect(performance.now() - began).toBeGreaterThan(880)
  })

  test('that were not used are free again at once, those of others are not', async () => {
    const window = token('returned', 10)
    const { at } = await slots(0).take([window], 4, 't', false)
    expect((await slots(1).take([window], 6, 'u', false)).granted).toBe(6)
    slots(0).giveBack([window], at, 3, 'u')
    slots(0).giveBack([window], at, 3, 't')
    let granted = 0
    for (let looked = 0; granted < 3 && looked < 200; looked += 1)
      granted += (await slots(1).take([window], 3 - granted, 'u', false)).granted
    expect(granted).toBe(3)
    expect((await slots(1).take([window], 10, 'u', false)).granted).toBe(0)
  })

  test('of several limits all or none are taken', async () => {
    const [wide, narrow] = [token('wide'), token('narrow', 3)]
    expect((await slots().take([wide, narrow], 10, 't', false)).granted).toBe(3)
    expect((await slots(1).take([narrow, wide], 10, 't', false)).granted).toBe(0)
    expect((await slots(2).take([wide], 200, 't', false)).granted).toBe(97)
  })

  test('of an app: all for one tenant alone, even shares while others wait', async () => {
    expect((await slots().take([app('alone')], 250, 'a', false)).granted).toBe(250)
    // b gets what is left and waits for more, so a gets nothing of what comes back before b has its share.
    expect((await slots(1).take([app('alone')], 100, 'b', false)).granted).toBe(50)
    expect((await slots(0).take([app('alone')], 10, 'a', false)).granted).toBe(0)

    for (const tenant of ['a', 'b', 'c', 'd', 'e']) await slots().take([app('five', 0)], 1, tenant, false)
    const granted = [] as number[]
    for (const tenant of ['a', 'b', 'c', 'd', 'e'])
      granted.push((await slots(1).take([app('five')], 300, tenant, false)).granted)
    expect(granted).toEqual([60, 60, 60, 60, 60])
  })

  test('bulk waits while a single call of the same tenant does', async () => {
    const full = token('bulk', 1)
    await slots().take([full], 1, 't', false)
    expect((await slots().take([full], 1, 't', false)).granted).toBe(0)
    const wider = { ...full, max: 5 }
    expect((await slots(1).take([wider], 3, 't', true)).granted).toBe(0)
    expect((await slots(1).take([wider], 1, 't', false)).granted).toBe(1)
    expect((await slots(2).take([wider], 3, 't', true)).granted).toBe(3)
  })

  test('are paused for every process', async () => {
    const window = token('paused')
    await slots().take([window], 1, 't', false)
    slots().pause([window], 300)
    const began = performance.now()
    let isPaused = false
    for (;;) {
      const { granted, waitMs } = await slots(1).take([window], 1, 't', false)
      if (granted === 0) isPaused = true
      else if (isPaused) break
      if (performance.now() - began > 20_000) throw new Error('It was never paused, or never went on.')
      await wait(Math.min(20, waitMs))
    }
  })
})
