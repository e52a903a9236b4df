/** Child of the kill test of jobs: works on one job over an embedded store until it is done, or killed. */
import { createReadStream } from 'node:fs'
import { createPack, openSqliteStore } from '../../shared/pack.ts'
import type { BulkJobView } from '../../shared/runtime/bulk-jobs/bulk-jobs.ts'
import { createOverride } from '../../shared/sandbox/contact/documented/override.ts'

/**
 * `settled`: credits of the job that the ledger says were charged; `unresolved`: lookups of which it says that they may
 * have been. `maxMegabytes`: the most memory that the process had.
 */
export type Told = { job: BulkJobView; result: string; settled: number; unresolved: number; maxMegabytes: number }

/** `without`: the result is not told, since it is large. */
const [directory, origin, file, key, without] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string | undefined,
]
const caller = { tenant: 'default' }

const pack = await createPack({
  store: await openSqliteStore({ directory, now: Date.now }),
  masterKey: Buffer.alloc(32, 6),
  wire: {
    'contact-data': { ...createOverride(origin, { requests: 1, windowMs: 1 }), pace: { limits: [], concurrency: 20 } },
  },
  egress: { privateOrigins: [origin] },
})
if ((await pack.connections.list(caller)).length === 0)
  await pack.connections.create(caller, {
    integration: 'contact-data',
    type: 'api-key',
    name: 'Contacts',
    secrets: { apiKey: 'key-0123456789' },
  })

const stored = await pack.files.create(caller, {
  name: 'people.csv',
  content: createReadStream(file),
  idempotencyKey: key,
})
const made = await pack.jobs.create(caller, {
  file: stored.id,
  integration: 'contact-data',
  confirm: true,
  idempotencyKey: key,
})
if (made.state === 'paused') await pack.jobs.resume(caller, made.id, {})

for (;;) {
  const job = await pack.jobs.get(caller, made.id)
  if (job.state !== 'preparing' && job.state !== 'running') {
    const maxMegabytes = process.resourceUsage().maxRSS / 1_024
    const kinds = new Map<string, Set<string>>()
    let settled = 0
    let next: string | undefined
    do {
      const page = await pack.ledger.list(caller, { limit: 100, ...(next === undefined ? {} : { cursor: next }) })
      for (const { kind, job: of, entry, credits } of page.items) {
        if (of !== made.id) continue
        if (kind === 'settled' || kind === 'resolved') settled += credits
        kinds.set(entry, (kinds.get(entry) ?? new Set()).add(kind))
      }
      next = page.next
    } while (without === undefined && next !== undefined)
    const unresolved = [...kinds.values()].filter(
      (of) => !of.has('resolved') && (of.has('unknown') || !(of.has('settled') || of.has('released'))),
    ).length
    let result = ''
    if (job.result !== null && without === undefined)
      for await (const bytes of (await pack.files.open(caller, job.result)).read())
        result += Buffer.from(bytes).toString()
    const report: Told = { job, result, settled, unresolved, maxMegabytes }
    await new Promise((sent) => process.send!(report, sent))
    break
  }
  await new Promise((done) => setTimeout(done, 20))
}
await pack.close()
process.disconnect()
