/**
 * How soon a delivery of a signal is answered, which its provider requires within 10 seconds: `node
 * test/bench/signals.ts`. The pack and a bare route in processes of their own, in turn within one run.
 */
import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { contactId } from '../../shared/sandbox/contact/lusha/find.ts'
import { callable, clientOf } from '../sandbox/lusha-client.ts'
import { signedHeaders } from '../support/signal-deliveries.ts'
import { openSockets } from './deliveries.ts'
import type { Ready, Setting } from './signal-server.ts'
import { median, p50, report, row } from './support.ts'

const rounds = 7
const alone = 300
const together = 2000
const width = 32

const sandbox = await startContactSandbox({ profile: 'lusha-v3' })
const person = contactId(callable[0]!)

const open = async (name: Setting['name']) => {
  const setting: Setting = { name, provider: sandbox.origin, apiKey: sandbox.credentials.apiKey, person }
  const child = fork(fileURLToPath(new URL('./signal-server.ts', import.meta.url)), [JSON.stringify(setting)])
  const { port, path } = await new Promise<Ready>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`The server "${name}" ended.`)))
    child.once('message', (message) => resolve(message as Ready))
  })
  const sockets = await openSockets(port, width)
  return { child, port, path, sockets }
}
const [served, bare] = [await open('served'), await open('bare')]
const secret = (await clientOf(() => sandbox).get('/api/account/secret')).body.secret as string
bare.child.send(secret)

const request = ({ port, path }: Awaited<ReturnType<typeof open>>): Buffer => {
  const at = Date.now()
  const body = JSON.stringify({
    id: randomUUID(),
    type: 'promotion',
    entityType: 'contact',
    entityId: person,
    subscriptionId: '507f1f77bcf86cd799439011',
    data: {
      personId: Number(person),
      currentCompanyId: 16303001,
      currentCompanyName: 'Wattlebird Freight',
      currentDomain: 'wattlebird-freight.example',
      currentTitle: 'Head of Purchasing',
      currentDepartments: [{ id: 7, value: 'Operations' }],
      signalDate: '2026-03-02',
    },
    timestamp: new Date(at).toISOString(),
    billing: { creditsCharged: 1 },
  })
  const headers = {
    host: `127.0.0.1:${port}`,
    ...signedHeaders(secret, body, at),
    'content-length': Buffer.byteLength(body),
  }
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${head.join('')}\r\n${body}`)
}

const measure = async (server: Awaited<ReturnType<typeof open>>) => {
  const one = await p50(alone, () => server.sockets.sendOne(0, request(server)))
  const requests = Array.from({ length: together }, () => request(server))
  return { one, many: (await server.sockets.sendAll(requests)) / together }
}
for (const server of [served, bare]) await measure(server)
const figures: { served: Awaited<ReturnType<typeof measure>>; bare: Awaited<ReturnType<typeof measure>> }[] = []
for (let round = 0; round < rounds; round += 1)
  figures.push({ served: await measure(served), bare: await measure(bare) })

/** The slowest of a hundred, while so many are sent at once. */
const times: number[] = []
await Promise.all(
  Array.from({ length: width }, async (_, lane) => {
    for (let n = 0; n < together / width; n += 1) {
      const next = request(served)
      const began = performance.now()
      await served.sockets.sendOne(lane, next)
      times.push(performance.now() - began)
    }
  }),
)
const p99 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)]!

report('signals', [
  row(
    'a delivery of a signal answered in the required form (signature, charge in the ledger, commit), alone, time against a bare Fastify route with HMAC',
    median(figures.map((round) => round.served.one / round.bare.one)),
    'x',
  ),
  row('the same, 32 at once', median(figures.map((round) => round.served.many / round.bare.many)), 'x'),
  row('answer to a delivery of a signal, alone, median', median(figures.map((round) => round.served.one)), 'ms'),
  row('answer to a delivery of a signal, 32 at once, p99 (the provider waits 10,000 ms)', p99, 'ms', '< 1000'),
])
for (const { child, sockets } of [served, bare]) {
  sockets.close()
  child.removeAllListeners('exit')
  child.disconnect()
}
await sandbox.close()
