/** A job over a long file, by the package's command in one process, takes no more memory than one over a short file. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPack, openSqliteStore } from '../../shared/pack.ts'
import { createOverride } from '../../shared/sandbox/contact/documented/override.ts'
import { report, row } from '../bench/support.ts'
import { layOutPackage } from './package.ts'

const key = Buffer.alloc(32, 6)
const rows = Number(process.env['JOB_ROWS'] ?? 1_000_000)
const directory = mkdtempSync(join(tmpdir(), 'toolyard-long-job-'))
let launcher: string

/** Answers every address with a person of it. */
const provider = createServer(async (request, response) => {
  const { email } = (await json(request)) as { email: string }
  response.writeHead(200, { 'content-type': 'application/json', 'x-credits-charged': '1' })
  response.end(JSON.stringify({ data: { personId: email, fullName: `Person ${email}`, emailAddresses: [{ email }] } }))
})
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  launcher = await layOutPackage(directory)
  provider.listen(0, '127.0.0.1')
  await once(provider, 'listening')
  const origin = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  const wire = {
    'contact-data': { ...createOverride(origin, { requests: 1, windowMs: 1 }), pace: { limits: [], concurrency: 20 } },
  }
  writeFileSync(join(directory, 'wire.json'), JSON.stringify(wire))
  env = {
    PATH: process.env['PATH'],
    TOOLYARD_DATA: join(directory, 'data'),
    TOOLYARD_WIRE: join(directory, 'wire.json'),
    TOOLYARD_PRIVATE_ORIGINS: origin,
    TOOLYARD_MASTER_KEY: key.toString('base64'),
  }
}, 300_000)
afterAll(() => {
  provider.closeAllConnections()
  provider.close()
  rmSync(directory, { recursive: true, force: true })
})

const start = (...args: string[]) => {
  const child = spawn(process.execPath, [launcher, ...args], {
    env,
    cwd: directory,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-5000)))
  return { child, said: () => said }
}

const peakOf = (pid: number) => {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

/** An account, in the data directory that the command uses. */
const connect = async () => {
  const store = await openSqliteStore({ directory: join(directory, 'data'), now: Date.now })
  const pack = await createPack({ store, masterKey: key })
  await pack.connections.create(
    { tenant: 'default' },
    { integration: 'contact-data', type: 'api-key', name: 'Contacts', secrets: { apiKey: 'key-0123456789' } },
  )
  await pack.close()
}

test(`${rows} rows stay under 150 MB of memory`, async () => {
  await connect()
  const file = createWriteStream(join(directory, 'people.csv'))
  file.write('Row,Email,Note\n')
  for (let n = 0; n < rows; n += 1)
    if (!file.write(`${n},person${n}@example.com,"a note that nobody reads, number ${n}"\n`)) await once(file, 'drain')
  await new Promise((done) => file.end(done))
  const { child, said } = start(
    'bulk',
    'enrich',
    'people.csv',
    '--integration',
    'contact-data',
    '--map',
    'email=Email',
    '--out',
    'result.csv',
    '--yes',
  )
  let megabytes = 0
  // The kernel keeps the peak, and it rises until the very end.
  const timer = setInterval(() => (megabytes = Math.max(megabytes, peakOf(child.pid!))), 20)
  const [code] = (await once(child, 'exit')) as [number]
  clearInterval(timer)
  expect(code, said()).toBe(0)
  expect(said()).toContain(`${rows} match`)
  report('bulk-jobs', [row(`a job over a file of ${rows} rows: memory of its process`, megabytes, 'MB', '<= 150')])
  expect(megabytes).toBeLessThanOrEqual(150)
})
