/**
 * A store of a gigabyte is exported and imported by the command of the package, into PostgreSQL and back, without a
 * process of more than 150 MB. A checkout takes 30 MB more at its first start, in which Node reads the types of the
 * source. TOOLYARD_TRANSFER_MB: another size.
 */
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSqliteStore } from '../../shared/store/index.ts'
import { event, file, run, t0 } from '../store/make.ts'
import { postgresIsMissing, startPostgres } from '../support/postgres.ts'
import { layOutPackage } from './package.ts'

const megabytes = Number(process.env['TOOLYARD_TRANSFER_MB'] ?? 1024)
const maxRssMb = 150
let launcher: string

const peakOf = (pid: number): number => {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

/** Runs the command; gives what it printed and the most memory it had, in MB. */
const toolyard = async (args: string[], env: Record<string, string>) => {
  const child = spawn(process.execPath, [launcher, ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (text += part))
  let peakMb = 0
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  let code: number | null | undefined
  void ended.then((value) => (code = value))
  while (code === undefined) {
    peakMb = Math.max(peakMb, peakOf(child.pid!))
    await wait(10)
  }
  expect(code, text).toBe(0)
  return { text, peakMb }
}

const sumOf = async (path: string) => {
  const sum = createHash('sha256')
  for await (const chunk of createReadStream(path)) sum.update(chunk as Buffer)
  return sum.digest('hex')
}

/** Half of it in chunks of files, the rest in events of several sizes and in runs. */
const fill = async (directory: string) => {
  const store = await openSqliteStore({ directory, now: () => t0 })
  await store.files.add(file('t', 'f1', { secrets: {} }))
  await store.ingest({ events: [event('t', 'e0', { raw: null })] })
  await store.runs.record(run('t', 'r0'))
  await store.close()
  const db = new DatabaseSync(join(directory, 'toolyard.db'))
  db.exec('pragma synchronous = off; begin')
  const chunk = db.prepare('insert into file_chunks (tenant, file, number, content) values (?, ?, ?, ?)')
  for (let number = 0; number < megabytes * 4; number += 1) chunk.run('t', 'f1', number, randomBytes(128 * 1024))
  const copied = (table: string, change: string) => {
    const columns = db
      .prepare(`select name from pragma_table_info('${table}')`)
      .all()
      .map(({ name }) => String(name))
    return db.prepare(
      `insert into ${table} (${columns.join(', ')}) select ${columns.map((name) => (name === 'id' ? '?' : name === change ? '?' : name)).join(', ')} from ${table} where tenant = 't' limit 1`,
    )
  }
  const events = copied('events', 'raw')
  const order = db
    .prepare(`select name from pragma_table_info('events')`)
    .all()
    .map(({ name }) => String(name))
  const idFirst = order.indexOf('id') < order.indexOf('raw')
  // Now and then one as large as a delivery may be.
  for (let number = 0; number < megabytes * 60; number += 1) {
    const raw = randomBytes(number % 2000 === 0 ? 900_000 : 3000)
    events.run(...(idFirst ? [`e${number + 1}`, raw] : [raw, `e${number + 1}`]))
  }
  const runs = copied('runs', 'state')
  for (let number = 0; number < megabytes * 200; number += 1) runs.run(`r${number + 1}`, 'done')
  db.exec('commit; pragma wal_checkpoint(truncate)')
  db.close()
}

describe.skipIf(postgresIsMissing())(`a store of ${megabytes} MB`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-transfer-'))
  let server: Awaited<ReturnType<typeof startPostgres>>
  beforeAll(async () => {
    launcher = await layOutPackage(folder)
    server = await startPostgres()
    mkdirSync(join(folder, 'data'))
    await fill(join(folder, 'data'))
  }, 600_000)
  afterAll(async () => {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('moves to PostgreSQL and back, in constant memory and without a change of a byte', async () => {
    expect(statSync(join(folder, 'data/toolyard.db')).size).toBeGreaterThan(megabytes * 0.7 * 2 ** 20)
    const url = await server.createDatabase()
    const [first, second, third] = ['first', 'second', 'third'].map((name) => join(folder, `${name}.jsonl`)) as [
      string,
      string,
      string,
    ]
    const peaks = [
      await toolyard(['export', first], { TOOLYARD_DATA: join(folder, 'data') }),
      await toolyard(['import', first], { TOOLYARD_DATA: join(folder, 'none'), DATABASE_URL: url }),
      await toolyard(['export', second], { TOOLYARD_DATA: join(folder, 'none'), DATABASE_URL: url }),
      await toolyard(['import', second], { TOOLYARD_DATA: join(folder, 'back') }),
      await toolyard(['export', third], { TOOLYARD_DATA: join(folder, 'back') }),
    ].map(({ peakMb }) => Math.round(peakMb))
    console.log(
      `Peak memory in MB of export, import to PostgreSQL, export from it, import, export: ${peaks.join(', ')}`,
    )
    expect(await sumOf(second)).toBe(await sumOf(first))
    expect(await sumOf(third)).toBe(await sumOf(first))
    for (const peak of peaks) expect(peak).toBeLessThan(maxRssMb)
  }, 1_800_000)
})
