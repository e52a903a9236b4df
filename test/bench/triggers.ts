/**
 * Receiving deliveries, finding whom they concern, and starting agents: `node test/bench/triggers.ts`. Servers in
 * processes of their own, in turn within one run.
 */
import { fork } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startBoardSandbox } from '../../shared/sandbox/board/index.ts'
import { delivery, openSockets } from './deliveries.ts'
import type { Busy, Ready, Setting } from './intake-server.ts'
import { matchOnce } from './matching.ts'
import type { Matched } from './matching.ts'
import { median, report, row } from './support.ts'

const rounds = 5
const width = 256
const perRound = { bare: 6000, grouped: 4000, tenth: 4000, single: 400 }
type Name = keyof typeof perRound

const sandbox = await startBoardSandbox()
const { key, token, appSecret: secret } = sandbox.credentials
const board = sandbox.control.overview()[0]!.id

/** When each event's start came to the agent. */
const arrived = new Map<string, number>()
const agent = createServer(async (request, response) => {
  const { data } = JSON.parse(await text(request)) as { data: { id: string } }
  arrived.set(data.id, performance.now())
  response.writeHead(200).end()
})
await new Promise<void>((resolve) => agent.listen(0, '127.0.0.1', resolve))
const agentOrigin = `http://127.0.0.1:${(agent.address() as AddressInfo).port}`

const open = async (name: Setting['name']) => {
  const setting: Setting = { name, provider: sandbox.origin, agent: agentOrigin, key, token, secret, board }
  const child = fork(fileURLToPath(new URL('./intake-server.ts', import.meta.url)), [JSON.stringify(setting)], {
    execArgv: process.execArgv,
  })
  const next = <T>() =>
    new Promise<T>((resolve, reject) => {
      const failed = () => reject(new Error(`The server "${name}" ended.`))
      child.once('exit', failed)
      child.once('message', (message) => {
        child.off('exit', failed)
        resolve(message as T)
      })
    })
  const { port, callbackUrl } = await next<Ready>()
  const sockets = await openSockets(port, width)
  return {
    sockets,
    callbackUrl,
    async busy(): Promise<Busy> {
      const reply = next<Busy>()
      child.send('busy')
      return reply
    },
    close() {
      sockets.close()
      child.disconnect()
    },
  }
}

// ---- intake

const names: Name[] = ['bare', 'grouped', 'tenth', 'single']
const servers = Object.fromEntries(
  await Promise.all(names.map(async (name) => [name, await open(name)] as const)),
) as Record<Name, Awaited<ReturnType<typeof open>>>
type Figures = { wall: number[]; active: number[]; cpu: number[] }
const figures = Object.fromEntries(names.map((name) => [name, { wall: [], active: [], cpu: [] }])) as unknown as Record<
  Name,
  Figures
>

const measure = async (name: Name, count: number): Promise<{ wall: number; active: number; cpu: number }> => {
  const { sockets, callbackUrl, busy } = servers[name]
  const requests = Array.from({ length: count }, () => delivery(board, callbackUrl, secret).request)
  await busy()
  const wall = await sockets.sendAll(requests)
  const { activeMs, cpuMs } = await busy()
  return { wall: wall / count, active: activeMs / count, cpu: cpuMs / count }
}

for (const name of names) await measure(name, perRound[name] * (name === 'single' ? 1 : 2))
for (let round = 0; round < rounds; round += 1) {
  for (const name of names) {
    const took = await measure(name, perRound[name])
    for (const what of ['wall', 'active', 'cpu'] as const) figures[name][what].push(took[what])
  }
}
/** How many times as much the second does in the same time; round by round, since the machine's speed drifts. */
const ratio = (what: keyof Figures, name: Name, against: Name) =>
  median(figures[against][what].map((ms, round) => ms / figures[name][what][round]!))
const perSecond = (name: Name) => 1000 / median(figures[name].wall)
for (const name of names) servers[name].close()

// ---- matching

const matching: Matched[] = []
for (let n = 0; n < 7; n += 1) matching.push(await matchOnce())
const ofMatching = (what: keyof Matched) => median(matching.map((measurement) => measurement[what]))

// ---- from the event to the agent

const starting = await open('starting')
const sentAt = new Map<string, number>()
const eventsPerSecond = 100
const seconds = 15
for (let n = 0; n < eventsPerSecond * seconds; n += 1) {
  const { id, request } = delivery(board, starting.callbackUrl, secret, 'commentCard')
  const ahead = n * (1000 / eventsPerSecond) - (performance.now() - (sentAt.values().next().value ?? performance.now()))
  if (ahead > 0) await wait(ahead)
  sentAt.set(id, performance.now())
  void starting.sockets.sendOne(n, request)
}
for (let n = 0; n < 100 && arrived.size < sentAt.size; n += 1) await wait(100)
const delays = [...sentAt].map(([id, at]) => (arrived.get(id) ?? Infinity) - at).sort((a, b) => a - b)
const p99 = delays[Math.floor(delays.length * 0.99)]!
starting.close()

report('triggers', [
  row(
    'durable intake of deliveries (signature, group commit, answer after it), deliveries per second against a bare Fastify route with HMAC',
    ratio('wall', 'grouped', 'bare'),
    'x',
    '>= 0.5',
  ),
  row('the same where one delivery in ten starts an agent', ratio('wall', 'tenth', 'bare'), 'x'),
  row('the same, deliveries for each second the event loop is busy', ratio('active', 'grouped', 'bare'), 'x'),
  row('the same, CPU time against the bare route', ratio('cpu', 'grouped', 'bare'), 'x'),
  row('group commit against a commit for each delivery', ratio('wall', 'grouped', 'single'), 'x', '>= 4'),
  row(
    'one event matched against 100,000 subscriptions and its two starts made, CPU against a bare undici request',
    ofMatching('ratio'),
    'x',
    '<= 0.15',
  ),
  row('one event matched against 100,000 subscriptions, starts made', ofMatching('matchUs'), 'µs', '<= 10'),
  row('finding whom of 100,000 subscriptions one event concerns', ofMatching('lookUs'), 'µs'),
  row('starts made of one event', ofMatching('startsPerEvent'), ''),
  row('heap of 100,000 subscriptions', ofMatching('heapMb'), 'MB', '<= 60'),
  row('event to agent at 100 events a second, p99', p99, 'ms', '< 1000'),
  row('event to agent at 100 events a second, median', median(delays), 'ms'),
  row('durable intake', perSecond('grouped'), 'deliveries/s'),
  row('bare route', perSecond('bare'), 'deliveries/s'),
])
await sandbox.close()
agent.closeAllConnections()
agent.close()
