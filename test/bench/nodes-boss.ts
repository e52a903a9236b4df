/**
 * Plain pg-boss in a process of its own: inserts the rows that an intake inserts, and works off the jobs that an agent
 * is called for.
 */
import { createHash } from 'node:crypto'
import { Agent, request } from 'undici'
import { Pool } from 'pg'
import { PgBoss } from 'pg-boss'

export type Setting = { databaseUrl: string; agent: string }
/** `intake`: rows alone; `starts`: each event is also a job that calls the agent. */
export type Order = { what: 'intake' | 'starts'; count: number }
export type Done = { ms: number }

const { databaseUrl, agent } = JSON.parse(process.argv[2]!) as Setting
const queue = 'starts'
const producers = 256
const maxGroup = 500
/** As large as what is delivered to the nodes. */
const payloadOf = (id: string) => Buffer.from(JSON.stringify({ action: { id, data: { text: 'x'.repeat(2800) } } }))

const pool = new Pool({ connectionString: databaseUrl, max: 10 })
await pool.query(`create table events (tenant text not null, connection text not null, id text not null, type text not null, at bigint not null,
  received_at bigint not null, via text not null, state text not null, raw bytea, primary key (tenant, connection, id))`)
await pool.query('create index events_received on events (tenant, received_at)')
const boss = new PgBoss({ connectionString: databaseUrl, max: 10 })
boss.on('error', () => {})
await boss.start()
await boss.createQueue(queue)

type Unit = { id: string; raw: Buffer; resolve(): void; reject(thrown: unknown): void }
let waiting: Unit[] = []
let isCommitting = false

/** The events and, where wanted, their jobs, in one transaction. */
const commit = async (units: Unit[], withJobs: boolean) => {
  const client = await pool.connect()
  try {
    const ids = units.map(({ id }) => id)
    await client.query('begin')
    await client.query(
      `insert into events select 'default', 'con', id, 'commentCard', $2, $2, 'webhook', 'matched', raw
        from unnest($1::text[], $3::bytea[]) as given (id, raw) on conflict do nothing`,
      [ids, Date.now(), units.map(({ raw }) => raw)],
    )
    if (withJobs)
      await boss.insert(
        queue,
        ids.map((id) => ({ data: { event: id, key: createHash('sha256').update(id).digest('hex') } })),
        { db: { executeSql: (text, values) => client.query(text, values) } },
      )
    await client.query('commit')
  } finally {
    client.release()
  }
}
const work = async (withJobs: boolean) => {
  if (isCommitting) return
  isCommitting = true
  await new Promise((resolve) => setImmediate(resolve))
  while (waiting.length > 0) {
    const units = waiting.splice(0, maxGroup)
    await commit(units, withJobs).then(
      () => units.forEach(({ resolve }) => resolve()),
      (thrown: unknown) => units.forEach(({ reject }) => reject(thrown)),
    )
  }
  isCommitting = false
}

let made = 0
const insert = (withJobs: boolean) =>
  new Promise<void>((resolve, reject) => {
    const id = `66f0${(made += 1).toString(16).padStart(20, '0')}`
    waiting.push({ id, raw: payloadOf(id), resolve, reject })
    void work(withJobs)
  })
const insertAll = async (count: number, withJobs: boolean) => {
  let next = 0
  const lane = async () => {
    while (next++ < count) await insert(withJobs)
  }
  await Promise.all(Array.from({ length: producers }, lane))
}

const text = payloadOf('a').toString()
const dispatcher = new Agent({ connections: 64 })
let called = 0
/** Not `work`, which waits half a second after each batch. */
const call = async () => {
  for (;;) {
    const jobs = await boss.fetch(queue, { batchSize: 50 })
    if (jobs.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    await Promise.all(
      jobs.map(async ({ data }) => {
        const { body } = await request(agent, {
          method: 'POST',
          dispatcher,
          body: JSON.stringify({ data, event: text }),
        })
        await body.dump()
      }),
    )
    if (jobs.length > 0)
      await boss.complete(
        queue,
        jobs.map(({ id }) => id),
      )
    called += jobs.length
  }
}
void call()

process.on('message', (order: Order) => {
  void (async () => {
    const began = performance.now()
    const targetCount = called + order.count
    await insertAll(order.count, order.what === 'starts')
    while (order.what === 'starts' && called < targetCount) await new Promise((resolve) => setTimeout(resolve, 5))
    process.send!({ ms: performance.now() - began } satisfies Done)
  })()
})
process.once('disconnect', () => process.exit(0))
process.send!({ ms: 0 } satisfies Done)
