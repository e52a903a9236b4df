/**
 * A store with a million runs: how long a query stops everybody else, and whether retention keeps up: `node
 * test/bench/growth.ts`. The rows are made by SQL. A stop is the most CPU time of the main thread between two turns of
 * the event loop: on a shared machine the time of day has the pauses of others in it.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore } from '../../shared/store/index.ts'
import { linkTo, noLink } from '../../shared/store/audit-chain.ts'
import { migrate } from '../../shared/store/migrate.ts'
import { migrations } from '../../shared/store/migrations.ts'
import { pragmas } from '../../shared/store/sqlite-store.ts'
import { openSqlite } from '../../shared/store/sqlite.ts'
import type { Param } from '../../shared/store/sqlite.ts'
import { auditEntry, run, t0 } from '../store/make.ts'
import { median, report, row } from './support.ts'

const runs = 1_000_000
const dayMs = 86_400_000
const tries = 7
const perCommit = 20_000

const directory = mkdtempSync(join(tmpdir(), 'toolyard-bench-'))
const file = join(directory, 'toolyard.db')

/** One tenant, 365 days, 20 steps and 5 connections; each run with a row of the audit log. */
const fill = () => {
  const db = openSqlite(file)
  db.script(`${pragmas}; pragma synchronous = off; pragma cache_size = -200000`)
  migrate(db, migrations.slice(0, 25), () => {})
  db.script(`insert into runs (tenant, id, integration, step, connection, effect, state, attempts, calls, credits, credits_estimated, created_at, duration_ms)
    with recursive n (n) as (select 0 union all select n + 1 from n where n < ${runs - 1})
    select 'a', printf('run_%08x%08x', (n * 2654435761) % 4294967296, n), 'work-board', 'step-' || (n % 20), 'con_' || (n % 5), 'read', 'done', 1, 1, 0.5, 0,
      ${t0} - 365 * ${dayMs} + cast(n * (365.0 * ${dayMs} / ${runs}) as integer), 12.5 from n`)
  let link = noLink
  const columns = Object.keys(linkTo(noLink, auditEntry('a'))).sort()
  const insert = `insert into audit (${columns.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)).join(', ')})
    values (${columns.map(() => '?').join(', ')})`
  for (let from = 0; from < runs; from += perCommit) {
    db.script('begin')
    for (let n = from; n < from + perCommit; n += 1) {
      const next = linkTo(link, auditEntry('a', { at: t0 - (runs - n) * 30 }))
      db.run(
        insert,
        columns.map((name) => next[name as keyof typeof next] as Param),
      )
      link = next
    }
    db.script('commit')
  }
  db.run('insert into audit_chains (tenant, anchor_seq, anchor_hash, head_seq, head_hash) values (?, 0, ?, ?, ?)', [
    'a',
    '',
    link.seq,
    link.hash,
  ])
  db.script('pragma wal_checkpoint(truncate)')
  db.close()
}

const cpuMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** How long the work took, and the longest it kept others waiting. */
const watched = async (work: () => Promise<unknown>): Promise<{ ms: number; stopMs: number }> => {
  let stopMs = 0
  let isDone = false
  const pauseWatch = (async () => {
    for (let last = cpuMs(); !isDone;) {
      await new Promise((resolve) => setImmediate(resolve))
      stopMs = Math.max(stopMs, cpuMs() - last)
      last = cpuMs()
    }
  })()
  const began = performance.now()
  await work()
  const ms = performance.now() - began
  isDone = true
  await pauseWatch
  return { ms, stopMs }
}

fill()
const store = await openSqliteStore({ directory, now: () => t0 })
const figures: Record<string, { ms: number[]; stopMs: number[] }> = {}
const measure = async (what: string, times: number, work: () => Promise<unknown>) => {
  const of = (figures[what] ??= { ms: [], stopMs: [] })
  for (let n = 0; n < times; n += 1) {
    const { ms, stopMs } = await watched(work)
    of.ms.push(ms)
    of.stopMs.push(stopMs)
  }
}
const page = { limit: 50 }
for (let n = 0; n < tries; n += 1) {
  await measure('list of a state without hits', 1, () => store.runs.list('a', page, { state: 'failed' }))
  await measure('list of a connection without hits', 1, () => store.runs.list('a', page, { connection: 'con_none' }))
  await measure('list of a state and a step, newest page', 1, () =>
    store.runs.list('a', page, { state: 'done', step: 'step-3' }),
  )
  await measure('usage of a year', 1, () => store.runs.usage('a', t0 - 365 * dayMs))
}
await measure('audit check', 3, async () => {
  const verdict = await store.audit.verify('a')
  if (!verdict.ok) throw new Error(JSON.stringify(verdict))
})

/** Rows that arrive: runs as they are recorded, 50 at once. */
const arrivals = 20_000
const began = performance.now()
for (let from = 0; from < arrivals; from += 50)
  await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      store.runs.record(run('a', `new-${from + n}`, { state: 'done', createdAt: t0 + from + n })),
    ),
  )
const arrivedPerSecond = arrivals / ((performance.now() - began) / 1000)

const before = statSync(file).size
let removed = 0
const retention = await watched(async () => {
  const old = t0 - dayMs
  for (let more = true; more && removed < runs / 2;) {
    const pruned = await store.prune({
      now: t0,
      payloads: 0,
      starts: 0,
      deleted: 0,
      runs: old,
      ownWrites: 0,
      audit: t0,
      gaps: 0,
      limit: 2000,
    })
    removed += pruned.runs + pruned.audit
    more = pruned.more
  }
})
const removedPerSecond = removed / (retention.ms / 1000)
for (let more = true; more;)
  ({ more } = await store.prune({
    now: t0,
    payloads: 0,
    starts: 0,
    deleted: 0,
    runs: 0,
    ownWrites: 0,
    audit: 0,
    gaps: 0,
    limit: 2000,
  }))
await store.close()
const shrunk = statSync(file).size / before
rmSync(directory, { recursive: true, force: true })

report('growth', [
  ...Object.entries(figures).flatMap(([what, { ms, stopMs }]) => [
    row(`1 M runs: ${what}, longest stop of others`, median(stopMs), 'ms', '<= 20'),
    row(`1 M runs: ${what}`, median(ms), 'ms'),
  ]),
  row('1 M runs: retention, longest stop of others', retention.stopMs, 'ms'),
  row(
    'rows that retention removes per second, against run rows that arrive per second',
    removedPerSecond / arrivedPerSecond,
    'x',
    '>= 1',
  ),
  row('file after retention has removed a quarter of it, against before', shrunk, 'x', '<= 0.9'),
])
