import { createHash } from 'node:crypto'
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
  })
  afterAll(async () => {
    for (const node of nodes) await node.close()
    await server.close()
  })
  const slots = (node = 0) => nodes[node]!.cluster.slots!
  /** Whoever waits now is not forgotten: on a busy machine, calls may be further apart than a wish lasts. */
  const keepWishes = async () => {
    const database = new Client({ connectionString: url, options: '-c search_path=toolyard' })
    await database.connect()
    await database.query('update rate_wishes set at = at + 3600000')
    await database.query('update weighty_wishes set at = at + 3600000')
    await database.end()
  }
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
    const began = performance.now()
    expect((await slots(0).take([short], 5, 't', false)).granted).toBe(2)
    for (;;) {
      const { granted, waitMs } = await slots(1).take([short], 1, 't', false)
      if (granted > 0) break
      expect(waitMs).toBeLessThanOrEqual(400)
      await wait(waitMs)
    }
    // The first were granted after that.
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
    for (const end = performance.now() + 20_000; granted < 3 && performance.now() < end; await wait(10))
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
    await keepWishes()
    const granted = [] as number[]
    for (const tenant of ['a', 'b', 'c', 'd', 'e'])
      granted.push((await slots(1).take([app('five')], 300, tenant, false)).granted)
    expect(granted).toEqual([60, 60, 60, 60, 60])
  })

  test('bulk waits while a single call of the same tenant does', async () => {
    const full = token('bulk', 1)
    await slots().take([full], 1, 't', false)
    expect((await slots().take([full], 1, 't', false)).granted).toBe(0)
    await keepWishes()
    const wider = { ...full, max: 5 }
    expect((await slots(1).take([wider], 3, 't', true)).granted).toBe(0)
    expect((await slots(0).take([wider], 1, 't', false)).granted).toBe(1)
    expect((await slots(2).take([wider], 3, 't', true)).granted).toBe(3)
  })

  test('of an app: a tenant whose calls wait at two processes keeps its share when those of one are all granted', async () => {
    for (const node of [0, 1]) expect((await slots(node).take([app('apart', 0)], 10, 'a', false)).granted).toBe(0)
    await keepWishes()
    expect((await slots(0).take([app('apart')], 10, 'a', false)).granted).toBe(10)
    // The other process has still to come: 140 of its share are left for it.
    expect((await slots(2).take([app('apart')], 300, 'b', false)).granted).toBe(150)
    expect((await slots(1).take([app('apart')], 140, 'a', false)).granted).toBe(140)
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

  const points = (key: string, weight: number, max = 100, windowMs = 60_000): SharedWindow => ({
    ...token(key, max, windowMs),
    weight,
  })

  test('of a limit in points: as many calls as their weight leaves room for, and those of plain limits beside it', async () => {
    expect((await slots(0).take([points('points', 30)], 9, 't', false)).granted).toBe(3)
    expect((await slots(1).take([points('points', 3), token('beside', 2)], 9, 'u', false)).granted).toBe(2)
    expect((await slots(2).take([points('points', 4)], 1, 't', false)).granted).toBe(1)
    expect((await slots(1).take([points('points', 1)], 9, 't', false)).granted).toBe(0)
  })

  test('of a limit in points: never more than it has, whatever they weigh and however many ask at once', async () => {
    const weights = Array.from({ length: 40 }, (_, index) => 1 + ((index * 37) % 29))
    const granted = await Promise.all(
      weights.map(async (weight, index) => {
        const done = await slots(index % 3).take([points('mixed', weight)], 1 + (index % 2), `t${index % 4}`, false)
        return done.granted * weight
      }),
    )
    const used = granted.reduce((sum, weight) => sum + weight, 0)
    expect(used).toBeLessThanOrEqual(100)
    expect(used).toBeGreaterThan(50)
  })

  test('in points are returned, and moved, by their weight', async () => {
    const window = points('weighed', 30)
    const { at } = await slots(0).take([window], 3, 't', false)
    // Of one of them, which cost 5 in truth, 25 points come back.
    slots(0).giveBack([{ ...window, weight: 25 }], at, 1, 't')
    const begun = performance.now()
    for (
      let granted = 0;
      granted === 0;
      granted = (await slots(1).take([points('weighed', 35)], 1, 'u', false)).granted
    )
      if (performance.now() - begun > 10_000) throw new Error('The points never came back.')
    const database = new Client({ connectionString: url, options: '-c search_path=toolyard' })
    await database.connect()
    const counts = async () => {
      const { rows } = await database.query(
        'select cardinality(array_positions(at, $1)) as first, cardinality(at) as every from rate_slots where $1 = any(at)',
        [at],
      )
      return rows as { first: number; every: number }[]
    }
    expect(await counts()).toEqual([{ first: 65, every: 100 }])
    slots(1).move([window], [at])
    for (let now = await counts(); now[0]!.first !== 35; now = await counts()) {
      if (performance.now() - begun > 10_000) throw new Error('They were never moved.')
      await wait(10)
    }
    await database.end()
  })

  test('light calls leave points to a heavier one that began to wait before them', async () => {
    const take = async (weight: number, tenant: string) =>
      (await slots().take([points('heavy', weight, 100, 3_000)], 1, tenant, false)).granted
    expect(await take(60, 'a')).toBe(1)
    expect(await take(90, 'b')).toBe(0)
    await keepWishes()
    // 40 are free, and none is given to whom came later.
    expect(await take(10, 'c')).toBe(0)
    const begun = performance.now()
    for (let granted = 0; granted === 0; granted = await take(90, 'b')) {
      if (performance.now() - begun > 20_000) throw new Error('The heavy call was never let through.')
      await take(10, 'c')
      await wait(20)
    }
  })

  test('a heavy call does not hold back a light one that began to wait before it', async () => {
    const take = async (weight: number, tenant: string, max: number) =>
      (await slots().take([points('later', weight, max)], 1, tenant, false)).granted
    expect(await take(95, 'a', 100)).toBe(1)
    expect(await take(10, 'c', 100)).toBe(0)
    expect(await take(50, 'b', 100)).toBe(0)
    await keepWishes()
    // 20 are free: too few for the heavy call, and none for whom came after it.
    expect(await take(10, 'd', 115)).toBe(0)
    expect(await take(10, 'c', 115)).toBe(1)
  })

  test('are counted together with processes of the former version, which know no weights', async () => {
    const database = new Client({ connectionString: url, options: '-c search_path=toolyard' })
    await database.connect()
    const former = async (key: string, wanted: number) => {
      const { rows } = await database.query('select * from take_slots($1, $2, $3, $4, $5, $6, $7, $8, $9)', [
        [key],
        [100],
        [60_000],
        [false],
        wanted,
        1,
        false,
        200,
        1500,
      ])
      return (rows as { granted: number; at_ms: number }[])[0]!
    }
    const hashedKey = createHash('sha256').update('former').digest('hex').slice(0, 40)
    const { granted, at_ms: at } = await former(hashedKey, 60)
    expect(granted).toBe(60)
    expect((await slots().take([token('former')], 60, 't', false)).granted).toBe(40)
    await database.query('select move_slots($1, $2)', [[hashedKey], [at]])
    await database.query('select return_slots($1, $2, $3, $4)', [[hashedKey], at, 1, 1])
    expect((await former(hashedKey, 5)).granted).toBe(1)
    await database.end()
  })
})
