import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryStore, openSqliteStore } from '../../shared/store/index.ts'
import type { Store } from '../../shared/runtime/ports/index.ts'
import { event, run, start, t0 } from '../store/make.ts'
import { report, row } from './support.ts'
import type { Row } from './support.ts'

const payload = new Uint8Array(Buffer.from(JSON.stringify({ action: { id: 'a', data: { text: 'x'.repeat(2800) } } })))
const producers = 50
const msPerRun = 1500

/** Writes per second of `producers` loops that each wait for their own acknowledgement. */
const throughput = async (
  write: (index: number) => Promise<unknown>,
): Promise<{ perSecond: number; cpuMicros: number }> => {
  const began = performance.now()
  const cpu = process.cpuUsage()
  let count = 0
  const loop = async () => {
    while (performance.now() - began < msPerRun) {
      count += 1
      await write(count)
    }
  }
  await Promise.all(Array.from({ length: producers }, loop))
  const { user, system } = process.cpuUsage(cpu)
  return { perSecond: count / ((performance.now() - began) / 1000), cpuMicros: (user + system) / count }
}

/** One write after the other: each has a commit of its own. */
const oneByOne = (write: (index: number) => Promise<unknown>) => {
  let last: Promise<unknown> = Promise.resolve()
  return (index: number) => (last = last.then(() => write(index)))
}

const onDisk = async <T>(work: (store: Store) => Promise<T>): Promise<T> => {
  const directory = await mkdtemp(join(tmpdir(), 'toolyard-bench-'))
  const store = await openSqliteStore({ directory, now: Date.now })
  try {
    return await work(store)
  } finally {
    await store.close()
    await rm(directory, { recursive: true, force: true })
  }
}

const ingest = (store: Store) => (index: number) => {
  // Like the provider's: the time first, then a count. A start key is a hash.
  const id = `66f0${index.toString(16).padStart(20, '0')}`
  const starts = index % 10 === 0 ? [start('bench', createHash('sha256').update(id).digest('hex'))] : []
  return store.ingest({ events: [event('bench', id, { raw: payload, receivedAt: t0 + index })], starts })
}
const record = (store: Store) => (index: number) =>
  store.runs.record(run('bench', `run-${index}`, { createdAt: t0 + index }))

/** Claims in batches of 50 and ends every start; starts per second. */
const drain = async (store: Store): Promise<number> => {
  const count = 10_000
  for (let index = 0; index < count; index += 500) {
    await store.ingest({ starts: Array.from({ length: 500 }, (_, part) => start('bench', `start-${index + part}`)) })
  }
  const began = performance.now()
  for (;;) {
    const claimed = await store.starts.claim(t0, 50, 60_000)
    if (claimed.length === 0) break
    await Promise.all(
      claimed.map(({ tenant, id, leaseEpoch }) => store.starts.end(tenant, id, leaseEpoch, { state: 'done', at: t0 })),
    )
  }
  return count / ((performance.now() - began) / 1000)
}

/** How many times as fast run rows are removed as they are written, of three tenants. */
const removal = async (store: Store): Promise<number> => {
  const count = 60_000
  const began = performance.now()
  for (let index = 0; index < count; index += 1000)
    await Promise.all(
      Array.from({ length: 1000 }, (_, part) =>
        store.runs.record(run(`t${part % 3}`, `run-${index + part}`, { createdAt: t0 })),
      ),
    )
  const written = performance.now()
  const later = t0 + 1
  let gone = 0
  for (let more = true; more;) {
    const pruned = await store.prune({
      now: later,
      payloads: 0,
      starts: 0,
      deleted: 0,
      runs: later,
      ownWrites: 0,
      audit: 0,
      gaps: 0,
      limit: 2000,
    })
    gone += pruned.runs
    more = pruned.more
  }
  if (gone !== count) throw new Error(`${gone} of ${count} rows were removed.`)
  return (written - began) / (performance.now() - written)
}

export const benchStore = async (): Promise<Row[]> => {
  const grouped = await onDisk((store) => throughput(ingest(store)))
  const single = await onDisk((store) => throughput(oneByOne(ingest(store))))
  const runsGrouped = await onDisk((store) => throughput(record(store)))
  const runsInMemory = await throughput(record(createMemoryStore()))
  const startsPerSecond = await onDisk(drain)
  const removed = await onDisk(removal)
  const opened = await onDisk(async (store) => {
    await store.flush()
    const directory = await mkdtemp(join(tmpdir(), 'toolyard-bench-'))
    const began = performance.now()
    const fresh = await openSqliteStore({ directory, now: Date.now })
    const took = performance.now() - began
    await fresh.close()
    await rm(directory, { recursive: true, force: true })
    return took
  })
  return [
    row('inbox, 3 kB events, group commit', grouped.perSecond, 'events/s'),
    row('inbox, the same, CPU', grouped.cpuMicros, 'us/event'),
    row('inbox, a commit per event', single.perSecond, 'events/s'),
    row('inbox, group commit against a commit per event', grouped.perSecond / single.perSecond, 'x', '>= 4'),
    row('run rows, embedded store', runsGrouped.perSecond, 'rows/s'),
    row('run rows, in memory', runsInMemory.perSecond, 'rows/s'),
    row('starts claimed in batches of 50 and ended', startsPerSecond, 'starts/s'),
    row('run rows that retention removes per second, against rows written per second', removed, 'x', '>= 1'),
    row('opening an empty data directory', opened, 'ms'),
  ]
}

if (import.meta.main) report('store', await benchStore())
