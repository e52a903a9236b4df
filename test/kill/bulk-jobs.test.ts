import { fork } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'csv-parse/sync'
import { expect, it } from 'vitest'
import { startProvider } from '../support/provider.ts'
import type { Told } from './bulk-jobs-worker.ts'

/** A tenth by default; `npm run test:long` has all of them. */
const rows = Number(process.env.JOB_ROWS ?? 1_000)
const kills = Number(process.env.JOB_KILLS ?? 3)
const seed = Number(process.env.SEED ?? 17)
const faultShare = 0.3
const worker = fileURLToPath(new URL('./bulk-jobs-worker.ts', import.meta.url))

/** Numbers from 0 to 1, the same for a seed (mulberry32). */
const seeded = (start: number) => {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const isKnown = (email: string) => email.startsWith('known')

/** A provider that charges one credit for each match, every time, and of whose answers three in ten go wrong. */
const startFaulty = async () => {
  const random = seeded(seed)
  const charges = new Map<string, number>()
  const provider = await startProvider((request, response, body) => {
    const { email = '' } = JSON.parse(body || '{}') as { email?: string }
    const fault = random() < faultShare ? Math.floor(random() * 4) : undefined
    if (fault === 0) return void response.writeHead(429, { 'retry-after': '0' }).end('{}')
    if (fault === 1) return void request.socket.destroy()
    if (isKnown(email)) charges.set(email, (charges.get(email) ?? 0) + 1)
    if (fault === 2) return void response.writeHead(503).end('{}')
    if (fault === 3) return void request.socket.destroy()
    const personReply = { data: { personId: email, fullName: `Person ${email}`, emailAddresses: [{ email }] } }
    response.writeHead(200, { 'content-type': 'application/json', 'x-credits-charged': isKnown(email) ? '1' : '0' })
    response.end(JSON.stringify(isKnown(email) ? personReply : null))
  })
  return { ...provider, charges }
}

it(`a file of ${rows} rows, three in ten answers lost or refused, killed ${kills} times: every row ends once, and none is paid twice`, async () => {
  const provider = await startFaulty()
  const directory = mkdtempSync(join(tmpdir(), 'toolyard-kill-jobs-'))
  const file = join(directory, 'people.csv')
  const emails = Array.from({ length: rows }, (_, row) => `${row % 4 === 3 ? 'nobody' : 'known'}${row}@example.com`)
  writeFileSync(file, `Row,Email\r\n${emails.map((email, row) => `${row},${email}\r\n`).join('')}`)
  /** One process: until it has done the job, or the provider was asked so often. */
  const work = (killAt: number) =>
    new Promise<Told | 'killed'>((resolve, reject) => {
      const child = fork(worker, [join(directory, 'data'), provider.origin, file, 'kill'], {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      })
      let report: Told | undefined
      const timer = setInterval(() => provider.seen.length >= killAt && child.kill('SIGKILL'), 1)
      child.on('message', (message: Told) => (report = message))
      child.once('exit', (code, signal) => {
        clearInterval(timer)
        if (report) resolve(report)
        else if (signal === 'SIGKILL') resolve('killed')
        else reject(new Error(`The worker ended with ${code}.`))
      })
    })
  try {
    for (let kill = 1; kill <= kills; kill += 1)
      expect(await work(Math.floor((rows * kill) / (kills + 1)))).toBe('killed')
    const report = await work(Number.POSITIVE_INFINITY)
    if (report === 'killed') throw new Error('not told')
    const { job, result, settled, unresolved } = report
    expect(job).toMatchObject({ state: 'done', rows, done: rows })
    expect(job.matched + job.noMatch + job.errors).toBe(rows)
    const written = parse(result, { columns: true }) as Record<string, string>[]
    expect(written.map((row) => row['Email'])).toEqual(emails)
    expect(result).toMatch(/\r\n$/)
    for (const row of written) {
      const [email, status] = [row['Email']!, row['toolyard_status']!]
      expect(['match', 'no_match', 'error'], email).toContain(status)
      if (status === 'match')
        expect([isKnown(email), row['toolyard_email'], provider.charges.get(email)]).toEqual([true, email, 1])
      if (status === 'no_match') expect(isKnown(email)).toBe(false)
      if (status === 'error') expect(row['toolyard_reason']).toContain('outcome_unknown')
    }
    expect(Math.max(...provider.charges.values())).toBe(1)
    // What was charged has its match, or says that it may have been charged.
    const answered = new Set(
      written.filter((row) => ['match', 'error'].includes(row['toolyard_status']!)).map((row) => row['Email']),
    )
    expect([...provider.charges.keys()].filter((email) => !answered.has(email))).toEqual([])
    expect(job.matched).toBeGreaterThan(rows * 0.4)
    // The ledger has every charge: as settled, or, where the answer was lost or the process killed before it was
    // written, as one to be resolved.
    const charged = [...provider.charges.values()].reduce((sum, count) => sum + count, 0)
    expect(settled).toBe(job.matched)
    expect(unresolved).toBeGreaterThanOrEqual(charged - settled)
    const requestCount = provider.seen.length
    expect(await work(Number.POSITIVE_INFINITY)).toMatchObject({
      job: { id: job.id, state: 'done', credits: job.credits },
    })
    expect(provider.seen).toHaveLength(requestCount)
  } finally {
    await provider.close()
    rmSync(directory, { recursive: true, force: true })
  }
})
