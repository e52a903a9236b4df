/**
 * One event that starts 20,000 agents, in a process of its own: how long others are kept waiting at most, from the
 * delivery to the last start.
 */
import { execFile } from 'node:child_process'
import { randomUUIDv7 } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createHttp } from '../../shared/faces/http/index.ts'
import { createPack, openSqliteStore } from '../../shared/pack.ts'
import { startBoardSandbox } from '../../shared/sandbox/board/index.ts'
import { delivery, openSockets } from './deliveries.ts'
import { median, report, row } from './support.ts'

/**
 * `pauseMs`: the longest turn of the event loop; `turnCpuMs`: the most CPU that a turn took, without what other
 * processes of the machine took.
 */
type FannedOut = { pauseMs: number; turnCpuMs: number; tookMs: number; cpuMs: number }

const inProcess = async (): Promise<FannedOut> => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    fileURLToPath(import.meta.url),
    'once',
  ])
  return JSON.parse(stdout) as FannedOut
}

const count = 20_000
const caller = { tenant: 'default' }
const threadMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Looks at the clock each millisecond. */
const watchTurns = () => {
  const longest = { pauseMs: 0, turnCpuMs: 0 }
  let [at, cpu] = [performance.now(), threadMs()]
  const timer = setInterval(() => {
    const [nowAt, nowCpu] = [performance.now(), threadMs()]
    longest.pauseMs = Math.max(longest.pauseMs, nowAt - at)
    longest.turnCpuMs = Math.max(longest.turnCpuMs, nowCpu - cpu)
    at = nowAt
    cpu = nowCpu
  }, 1)
  return () => {
    clearInterval(timer)
    return longest
  }
}

const measure = async (): Promise<FannedOut> => {
  const directory = mkdtempSync(join(tmpdir(), 'toolyard-bench-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  const sandbox = await startBoardSandbox()
  const { key, token, appSecret: secret } = sandbox.credentials
  const board = sandbox.control.overview()[0]!.id
  const started = new Set<string>()
  const open = async (port: number) => {
    const store = await openSqliteStore({ directory, now: Date.now })
    const pack = await createPack({
      store,
      masterKey: Buffer.alloc(32, 1),
      wire: { 'work-board': { baseUrl: sandbox.origin, pace: { limits: [], concurrency: 4 } } },
      egress: { privateOrigins: [sandbox.origin] },
      onStart: async ({ data }) => void started.add(data.start),
    })
    const http = await createHttp({ pack, version: '0.0.0' })
    await http.listen({ host: '127.0.0.1', port })
    const address = http.server.address() as AddressInfo
    pack.servedAt(`http://127.0.0.1:${address.port}`)
    return { store, pack, http, port: address.port }
  }

  const first = await open(0)
  await first.pack.apps.put(caller, 'work-board', { key, secret })
  await first.pack.connections.create(caller, {
    integration: 'work-board',
    type: 'key-token',
    name: 'Board',
    secrets: { key, token },
  })
  const made = await first.pack.subscriptions.create(caller, {
    integration: 'work-board',
    trigger: 'new-board-activity',
    config: { boards: [board] },
  })
  const [hook] = (await first.pack.hooks.list(caller, { limit: 1 })).items
  const like = (await first.store.subscriptions.get(caller.tenant, made.id))!
  await Promise.all(
    Array.from({ length: count - 1 }, () => first.store.subscriptions.add({ ...like, id: randomUUIDv7() })),
  )
  await first.http.close()
  await first.pack.close()

  const { pack, http } = await open(first.port)
  await pack.start()
  const sockets = await openSockets(first.port, 1)
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  await wait(1500)
  globalThis.gc!()
  const { request } = delivery(board, hook!.callbackUrl, secret)
  const cpu = process.cpuUsage()
  const began = performance.now()
  const turns = watchTurns()
  await sockets.sendOne(0, request)
  while (started.size < count) {
    if (performance.now() - began > 300_000) throw new Error(`Only ${started.size} were started.`)
    await wait(20)
  }
  const { user, system } = process.cpuUsage(cpu)
  const figures = { ...turns(), tookMs: performance.now() - began, cpuMs: (user + system) / 1000 }
  sockets.close()
  await http.close()
  await pack.close()
  await sandbox.close()
  return figures
}

if (process.argv[2] === 'once') {
  console.log(JSON.stringify(await measure()))
  process.exit(0)
}
const all: FannedOut[] = []
for (let n = 0; n < 7; n += 1) all.push(await inProcess())
const of = (what: keyof FannedOut) => median(all.map((measurement) => measurement[what]))
report('fan-out', [
  row(
    'one event that starts 20,000 subscriptions: longest pause, from its delivery to the last start',
    of('pauseMs'),
    'ms',
    '<= 10',
  ),
  row('the same, most CPU of one turn', of('turnCpuMs'), 'ms'),
  row('the same, until the last start', of('tookMs'), 'ms'),
  row('the same, CPU for each start', (of('cpuMs') * 1000) / count, 'µs', '<= 120'),
])
