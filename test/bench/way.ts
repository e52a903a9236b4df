/**
 * How many functions of ours run for a warm Create Card over HTTP until it is answered, and for a delivery until the
 * answer of its agent is recorded: `node test/bench/way.ts [--list]`. Counted are those that run each time, as V8's
 * precise coverage has them; `--list` names them, by file.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { Session } from 'node:inspector/promises'
import type { Profiler } from 'node:inspector'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createHttp } from '../../shared/faces/http/index.ts'
import { createPack, openSqliteStore } from '../../shared/pack.ts'
import { startBoardSandbox } from '../../shared/sandbox/board/index.ts'
import { delivery, openSockets } from './deliveries.ts'
import { report, row } from './support.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const rounds = 8
const warmRounds = 10
/** Longer than writes are put off. */
const settledMs = 400

const sandbox = await startBoardSandbox()
const { key, token, appSecret: secret } = sandbox.credentials
const board = sandbox.control.overview()[0]!.id

let onStart = () => {}
const agent = createServer((request, response) => {
  request.resume().once('end', () => {
    response.writeHead(200).end()
    onStart()
  })
})
await new Promise<void>((resolve) => agent.listen(0, '127.0.0.1', resolve))
const agentOrigin = `http://127.0.0.1:${(agent.address() as AddressInfo).port}`

const directory = mkdtempSync(join(tmpdir(), 'toolyard-bench-'))
process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
const pack = await createPack({
  store: await openSqliteStore({ directory, now: Date.now }),
  masterKey: Buffer.alloc(32, 1),
  wire: { 'work-board': { baseUrl: sandbox.origin, pace: { limits: [], concurrency: 64 } } },
  egress: { privateOrigins: [sandbox.origin] },
  agentOrigins: [agentOrigin],
})
const caller = { tenant: 'default' }
const http = await createHttp({ pack, version: '0.0.0' })
await http.listen({ host: '127.0.0.1', port: 0 })
const { port } = http.server.address() as AddressInfo
const origin = `http://127.0.0.1:${port}`
pack.servedAt(origin)
await pack.apps.put(caller, 'work-board', { key, secret })
await pack.connections.create(caller, {
  integration: 'work-board',
  type: 'key-token',
  name: 'Board',
  secrets: { key, token },
})
const { text: bearer } = await pack.tokens.create('default', { name: 'Bench' })

const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

/** A function by its file, place and name; the sandbox plays the provider and is not of ours here. */
const functionsRun = ({ result }: Profiler.TakePreciseCoverageReturnType): Set<string> => {
  const names = new Set<string>()
  for (const { url, functions } of result) {
    const file = url.startsWith(`file://${root}`) ? url.slice(`file://${root}`.length) : ''
    if (!/^(shared|integrations)\//.test(file) || file.startsWith('shared/sandbox/')) continue
    for (const { functionName, ranges } of functions)
      if (ranges[0]!.count > 0) names.add(`${file} ${functionName || '=>'} @${ranges[0]!.startOffset}`)
  }
  return names
}
const takeFunctions = async () => functionsRun(await session.post('Profiler.takePreciseCoverage'))

/** The functions that run in every one of several rounds. */
const alwaysRun = async (work: () => Promise<unknown>): Promise<string[]> => {
  for (let round = 0; round < warmRounds; round += 1) await work()
  const ran: Set<string>[] = []
  for (let round = 0; round < rounds; round += 1) {
    await wait(settledMs)
    await takeFunctions()
    await work()
    ran.push(await takeFunctions())
  }
  return [...ran[0]!].filter((name) => ran.every((names) => names.has(name))).toSorted()
}

const list = sandbox.control.overview()[0]!.lists[0]!.id
const createCard = async () => {
  const reply = await fetch(`${origin}/v1/steps/work-board/create-card/run`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify({ input: { idList: list, name: 'Call the printer' } }),
  })
  if (reply.status !== 200) throw new Error(await reply.text())
  await reply.arrayBuffer()
}
const ofStep = await alwaysRun(createCard)

await pack.subscriptions.create(caller, {
  integration: 'work-board',
  trigger: 'new-comment-added-to-card',
  config: { boards: [board] },
  agent: { url: `${agentOrigin}/start` },
})
await pack.start()
const [hook] = (await pack.hooks.list(caller, { limit: 1 })).items
const sockets = await openSockets(port, 1)
let sendCount = 0
const startAgent = async () => {
  const started = new Promise<void>((resolve) => (onStart = resolve))
  void sockets.sendOne((sendCount += 1), delivery(board, hook!.callbackUrl, secret, 'commentCard').request)
  await started
  // Its answer is recorded.
  await wait(settledMs)
}
const ofDelivery = await alwaysRun(startAgent)

if (process.argv.includes('--list'))
  console.log(`Create Card\n${ofStep.join('\n')}\n\nDelivery\n${ofDelivery.join('\n')}\n`)
const filesIn = (names: string[]) => new Set(names.map((name) => name.split(' ')[0])).size
report('way', [
  row('functions for a warm Create Card over HTTP', ofStep.length, 'functions', '<= 215'),
  row('files they are in', filesIn(ofStep), 'files'),
  row('functions for a delivery until its start is recorded as delivered', ofDelivery.length, 'functions', '<= 260'),
  row('files they are in', filesIn(ofDelivery), 'files'),
])
process.exit()
