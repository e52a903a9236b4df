import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { JobKind } from '../../shared/runtime/ports/index.ts'
import { openPostgresStore } from '../../shared/store/postgres/store.ts'
import { postgresIsMissing, startPostgres } from '../support/postgres.ts'
import { failsWith } from './fails.ts'
import { event, start } from './make.ts'

const clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms: number, signal?: AbortSignal) => wait(ms, undefined, { signal }),
}
type Node = Awaited<ReturnType<typeof openPostgresStore>>

describe.skipIf(postgresIsMissing())('jobs in PostgreSQL', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  let url: string
  const opened: Node[] = []
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterEach(async () => {
    for (const node of opened.splice(0)) await node.close()
  })
  afterAll(() => server.close())
  const open = async () => {
    const node = await openPostgresStore({ url, clock, log: () => {} })
    opened.push(node)
    return node
  }
  const waiting = async () => {
    const client = new Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query(
      `select name, data ->> 'key' as key, extract(epoch from start_after - now())::float8 as in_s from toolyard_jobs.job where state = 'created' order by start_after`,
    )
    await client.end()
    return rows.map(({ name, key, in_s: inS }) => ({ name, key, isLater: Number(inS) > 1 })) as {
      name: JobKind
      key: string
      isLater: boolean
    }[]
  }
  /** Resolves with the keys that a process was woken with, once it was. */
  const worked = (node: Node, kind: JobKind) =>
    new Promise<string[]>((resolve) => {
      node.cluster.jobs.work(kind, async (keys) => resolve(keys))
    })

  test('a start and its job are committed together, or neither is; jobs for the same are one', async () => {
    url = await server.createDatabase()
    const node = await open()
    const now = Date.now()
    await node.ingest({
      events: [event('t', 'e1')],
      starts: [start('t', 's1', { dueAt: now }), start('t', 's2', { dueAt: now })],
    })
    await node.ingest({
      events: [event('t', 'e2')],
      starts: [start('t', 's3', { dueAt: now }), start('t', 's4', { dueAt: now + 60_000 })],
    })
    await node.ingest({ starts: [start('u', 's1', { dueAt: now, state: 'missed' })] })
    const expected = [
      { name: 'starts', key: 't', isLater: false },
      { name: 'starts', key: 't', isLater: true },
    ]
    expect(await waiting()).toEqual(expected)
    const fence = { lease: 'nobody has it', epoch: 1 }
    await failsWith(node.ingest({ starts: [start('u', 's2', { dueAt: now })], fence }), 'conflict')
    expect(await waiting()).toEqual(expected)
  })

  test('another process is woken, also for a retry at its time', async () => {
    url = await server.createDatabase()
    const [firstStore, other] = [await open(), await open()]
    const woken = worked(other, 'starts')
    const now = Date.now()
    await firstStore.ingest({ starts: [start('t', 's1', { dueAt: now })] })
    expect(await woken).toEqual(['t'])
    const [claimed] = await firstStore.starts.claim(now, 9, 60_000)
    await firstStore.starts.end('t', 's1', claimed!.leaseEpoch, { state: 'pending', at: now, dueAt: now + 60_000 })
    expect(await waiting()).toEqual([{ name: 'starts', key: 't', isLater: true }])
  })

  test('a job is given to a process when its time has come', async () => {
    url = await server.createDatabase()
    const [firstStore, other] = [await open(), await open()]
    const poll = {
      tenant: 't',
      connection: 'c1',
      integration: 'i',
      resource: 'r',
      cursor: null,
      scannedAt: null,
      failures: 0,
      reason: null,
    }
    await firstStore.polls.put({ ...poll, dueAt: Date.now() + 500 })
    expect(await worked(other, 'polls')).toEqual([JSON.stringify(['t', 'c1'])])
  })
})
