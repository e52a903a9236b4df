/** Processes on one PostgreSQL whose machines disagree about the time, by less and by much more than anything lasts. */
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { openPostgresStore } from '../../shared/store/postgres/store.ts'
import { postgresIsMissing, startPostgres } from '../support/postgres.ts'
import { setTimeOf } from './database-time.ts'
import { event, start } from './make.ts'

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
const caller = { tenant: 'default' }
const machine = (aheadMs: number) => ({
  now: () => Date.now() + aheadMs,
  monotonic: () => performance.now(),
  sleep: (ms: number, signal?: AbortSignal) => wait(ms, undefined, { signal }),
})

describe.skipIf(postgresIsMissing())('clocks of processes on one PostgreSQL', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  const closing: { close(): Promise<unknown> }[] = []
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterEach(async () => {
    for (const resource of closing.splice(0)) await resource.close()
  })
  afterAll(() => server.close())
  const open = async (url: string, aheadMs: number) => {
    const node = await openPostgresStore({ url, clock: machine(aheadMs), log: () => {}, deadMs: 1_000 })
    closing.push(node)
    return node
  }
  const offs = [-30 * hour, -900_000, -120_000, 120_000, 900_000, 30 * hour]

  test('all of them show the time of the database, and are told how far their own clocks are off', async () => {
    const url = await server.createDatabase()
    const nodes = await Promise.all(offs.map((aheadMs) => open(url, aheadMs)))
    const differences = (offsets: (number | null)[]) =>
      offsets.map((ms) => Math.round(ms! / 1_000) * 1_000).toSorted((a, b) => a - b)
    // Each is wrong by half of a round trip until one is faster: on a busy machine by a second at first.
    await vi.waitFor(
      async () => {
        const times = nodes.map(({ cluster }) => cluster.clock.now() - Date.now())
        for (const off of times) expect(Math.abs(off)).toBeLessThan(1_000)
        expect(differences(nodes.map(({ cluster }) => cluster.clockAheadMs()))).toEqual(offs)
        expect(differences((await nodes[0]!.cluster.members()).map(({ clockAheadMs }) => clockAheadMs))).toEqual(offs)
      },
      { timeout: 30_000 },
    )
  })

  test('what one has leased no other one takes before the database says that it ended', async () => {
    const url = await server.createDatabase()
    const nodes = await Promise.all([0, ...offs].map((aheadMs) => open(url, aheadMs)))
    const [right] = nodes
    const time = await setTimeOf(url)
    closing.push(time)
    let now = Date.now()
    await time.set(now)
    for (const [n, node] of nodes.entries()) {
      const id = `s${n}`
      await right!.ingest({
        starts: [start('t', id, { dueAt: now })],
        events: [event('t', id, { state: 'pending', dueAt: now })],
      })
      const at = node.cluster.clock.now()
      expect((await node.starts.claim(at, 9, minute)).map((row) => [row.id, row.dueAt])).toEqual([[id, now + minute]])
      expect((await node.events.claimPending(at, 9, minute)).map((row) => [row.id, row.dueAt])).toEqual([
        [id, now + minute],
      ])
      const claimElsewhere = async () => {
        const claims = await Promise.all(
          nodes.map(async ({ starts, events, cluster: { clock } }) => [
            ...(await starts.claim(clock.now(), 9, minute)),
            ...(await events.claimPending(clock.now(), 9, minute)),
          ]),
        )
        return claims.flat().map((row) => row.id)
      }
      expect(await claimElsewhere()).toEqual([])
      await time.set((now += minute - 1))
      expect(await claimElsewhere()).toEqual([])
      expect(await node.starts.renew('t', id, 1, at, minute)).toBe(true)
      await time.set((now += 1))
      // The event, whose claim has ended; the lease of the start was renewed.
      expect(await claimElsewhere()).toEqual([id])
      await node.starts.end('t', id, 1, { state: 'done', at })
      await right!.events.matched({ tenant: 't', connection: 'c1', id }, [])
    }
  })

  test('what a dead process had is due at once, whatever the clock of the one that finds it shows', async () => {
    const url = await server.createDatabase()
    const [dead, finder, third] = [await open(url, 0), await open(url, day), await open(url, -day)]
    const at = dead.cluster.clock.now()
    await dead.ingest({
      starts: [start('t', 's1', { dueAt: at })],
      events: [event('t', 'e1', { state: 'pending', dueAt: at })],
    })
    expect(await dead.starts.claim(at, 9, hour)).toHaveLength(1)
    expect(await dead.events.claimPending(at, 9, hour)).toHaveLength(1)
    await finder.cluster.forget([dead.cluster.node])
    expect((await third.starts.claim(0, 9, hour)).map(({ id }) => id)).toEqual(['s1'])
    expect((await third.events.claimPending(0, 9, hour)).map(({ id }) => id)).toEqual(['e1'])
  })

  test('jobs wake for what is due at their time', async () => {
    const url = await server.createDatabase()
    const [ahead, behind] = [await open(url, day), await open(url, -day)]
    for (const [from, to] of [
      [ahead, behind],
      [behind, ahead],
    ] as const) {
      const began = performance.now()
      let end = async () => {}
      const woken = new Promise<number>((resolve) => {
        end = to.cluster.jobs.work('starts', async () => resolve(performance.now() - began))
      })
      await from.ingest({
        starts: [start('t', `from ${from.cluster.node}`, { dueAt: from.cluster.clock.now() + 2_000 })],
      })
      // Not at once, and not in a day.
      expect(await woken).toBeGreaterThan(1_500)
      await end()
    }
  })

  test('keys, sessions, tokens, files and samples of one last for another as long as they say', async () => {
    const url = await server.createDatabase()
    const masterKey = Buffer.alloc(32, 5)
    const openPack = async (aheadMs: number): Promise<Pack> => {
      const pack = await createPack({
        store: await openPostgresStore({ url, clock: machine(aheadMs), log: () => {} }),
        masterKey,
      })
      closing.push(pack)
      return pack
    }
    const packs = [await openPack(-30 * hour), await openPack(0), await openPack(30 * hour)]
    for (const maker of packs) {
      const made = await maker.tokens.create('default', { name: 'hour', expiresAt: Date.now() + hour })
      const { id } = await maker.files.create(caller, {
        name: 'a.txt',
        mediaType: 'text/plain',
        base64: 'YQ==',
        expiresInHours: 1,
      })
      for (const user of packs) {
        const tokenCaller = await user.tokens.authenticate(made.text)
        const { code } = await maker.sessions.createCode(tokenCaller)
        const { secret } = await user.sessions.signIn({ code })
        for (const third of packs)
          expect(await third.sessions.authenticate(secret)).toMatchObject({ token: made.token.id })
        expect((await user.files.list(caller, { limit: 9 })).items.map((file) => file.id)).toContain(id)
      }
    }
  })
})
