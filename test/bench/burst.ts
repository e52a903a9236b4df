/**
 * 200 runs at once on the served package with the embedded store: how late its event loop is meanwhile, and the memory
 * it still holds a minute afterwards: `node test/bench/burst.ts`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Pool } from 'undici'
import { installPackage } from './installed.ts'
import { residentMb } from './processor-time.ts'
import { drive, median, report, row, startMock } from './support.ts'

const width = 200
const generations = 7
const restMs = 60_000

const id = (end: string) => end.padStart(24, '0')
const works = {
  'Create Card': { step: 'create-card', input: { idList: id('1'), name: 'Call the printer', pos: '1' }, count: 20_000 },
  'lists of 100 cards': { step: 'get-list-cards', input: { idList: id('100') }, count: 2_000 },
}
type Work = keyof typeof works

const adminToken = 'a-token-chosen-by-the-operator'
const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
const account = {
  integration: 'work-board',
  type: 'key-token',
  name: 'Bench',
  secrets: {
    key: 'b41f7e0c95d2483aa6f1c0e7d39b5528',
    token: 'ATTA9c1de27ab04f8835e6d2c7719fb3a06d4e85c12f7b90ad36e15f84c2b7d9e0a3fC0FFEE1',
  },
}

/** The server, on an empty directory and with an account at the provider. */
const serve = async (entry: string, provider: string) => {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-bench-burst-'))
  const wire = join(folder, 'wire.json')
  writeFileSync(wire, JSON.stringify({ 'work-board': { baseUrl: provider, pace: { limits: [], concurrency: 64 } } }))
  const log = join(folder, 'log')
  const child = spawn(process.execPath, ['--import', import.meta.resolve('./loop-meter.ts'), entry, 'serve'], {
    env: {
      PATH: process.env.PATH,
      // Set as its launcher sets it, which would otherwise start it again, without the channel.
      MALLOC_ARENA_MAX: '1',
      MALLOC_TRIM_THRESHOLD_: '131072',
      TOOLYARD_DATA: folder,
      TOOLYARD_PORT: '0',
      TOOLYARD_TOKEN: adminToken,
      TOOLYARD_WIRE: wire,
      TOOLYARD_PRIVATE_ORIGINS: provider,
    },
    stdio: ['ignore', 'pipe', openSync(log, 'w'), 'ipc'],
  })
  const ended = once(child, 'close')
  let printed = ''
  let address: string | undefined
  for await (const text of child.stdout!) {
    printed += String(text)
    address = /http:\/\/\S+:\d+/.exec(printed)?.[0]
    if (address !== undefined) break
  }
  if (address === undefined) throw new Error(`The server ended before it was up: ${readFileSync(log, 'utf8')}`)
  const { origin } = new URL(address)
  const reply = await fetch(`${origin}/v1/connections`, { method: 'POST', headers, body: JSON.stringify(account) })
  if (!reply.ok) throw new Error(`connections: ${reply.status} ${await reply.text()}`)
  return {
    origin,
    residentMb: () => residentMb(child.pid!),
    async lateMs(): Promise<number> {
      const answer = once(child, 'message')
      child.send('late')
      return (await answer)[0] as number
    },
    async close() {
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A process of its own that is warm and does the work. `restMb`: its memory after a minute of peace. */
const measure = async (entry: string, work: Work, provider: string) => {
  const { step, input, count } = works[work]
  const server = await serve(entry, provider)
  const pool = new Pool(server.origin, { connections: width, pipelining: 1 })
  const body = JSON.stringify({ input })
  const run = async () => {
    const reply = await pool.request({ method: 'POST', path: `/v1/steps/work-board/${step}/run`, headers, body })
    const answer = await reply.body.text()
    if (reply.statusCode !== 200) throw new Error(`${step}: ${reply.statusCode} ${answer.slice(0, 400)}`)
  }
  await drive(width, count / 2, run)
  await server.lateMs()
  await drive(width, count, run)
  const lateMs = await server.lateMs()
  const peakMb = server.residentMb()
  const rest = async () => {
    await wait(restMs)
    const restMb = server.residentMb()
    await pool.close()
    await server.close()
    return restMb
  }
  return { lateMs, peakMb, restMb: rest() }
}

const installed = await installPackage()
const { origin, stop } = await startMock()
const rows = []
for (const work of Object.keys(works) as Work[]) {
  const processes: Awaited<ReturnType<typeof measure>>[] = []
  // While one has its peace, the next one works: that takes none of its memory.
  for (let n = 0; n < generations; n += 1) processes.push(await measure(installed.entry, work, origin))
  const restMb = median(await Promise.all(processes.map((each) => each.restMb)))
  const of = (what: 'lateMs' | 'peakMb') => median(processes.map((each) => each[what]))
  rows.push(
    row(`200 runs at once (${work}): event loop, p99 of its delay`, of('lateMs'), 'ms', '<= 50'),
    row(`200 runs at once (${work}): memory a minute afterwards`, restMb, 'MB', '<= 200'),
    row(`200 runs at once (${work}): memory at the end of them`, of('peakMb'), 'MB'),
  )
}
stop()
installed.remove()
report('burst', rows)
