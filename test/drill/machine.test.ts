/**
 * One machine, as docs/deploying.md and docs/operating.md say: the installed package behind nginx with TLS. Under a
 * stream of deliveries its key is rotated, it is backed up and killed, and its disk is full; then it is restored.
 */
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { startBoardSandbox } from '../../shared/sandbox/board/index.ts'
import { toolyard } from '../faces/process.ts'
import { makeCertificates } from '../faults/certificate.ts'
import { startAgent } from '../nodes/agent.ts'
import { createNode } from '../nodes/node.ts'
import { adminToken, ask, must, until } from '../nodes/place.ts'
import { freePort } from '../support/free-port.ts'
import { startNginx } from '../operating/nginx.ts'
import { install } from '../package/installed.ts'
import { attached, happen, prepareBoards, randomFrom, startsWanted } from '../support/board-events.ts'
import { canMount, openDisk } from '../support/small-disk.ts'
import { attach } from './attach.ts'
import { figure } from './figures.ts'

const rotations = figure(10)
const kills = figure(10)
const perSecond = 20
const phaseMs = 2_000
/** The provider's waits before it tries again, as documented, fifteen times shorter. */
const retriesMs = [2_000, 4_000, 8_000]

/** The package in front of nobody, nginx with TLS in front of it, a board that trusts its certificate, and an agent. */
const openMachine = async () => {
  const ends: (() => unknown)[] = []
  onTestFinished(async () => {
    for (const end of ends.toReversed()) await end()
  })
  const folder = await mkdtemp(join(tmpdir(), 'toolyard-machine-'))
  ends.push(() => rm(folder, { recursive: true, force: true }))
  const installed = install()
  ends.push(installed.remove)
  const disk = canMount() ? openDisk(256) : undefined
  if (disk) ends.push(disk.close)
  const { authority, good } = makeCertificates('localhost')
  await writeFile(join(folder, 'cert.pem'), good.cert)
  await writeFile(join(folder, 'key.pem'), good.key)
  const trusted = getCACertificates('default')
  setDefaultCACertificates([...trusted, authority])
  ends.push(() => setDefaultCACertificates(trusted))
  const [port, plain, upstream] = [await freePort(), await freePort(), await freePort()]
  ends.push(await startNginx({ directory: folder, port, plain, upstream }))
  const board = await startBoardSandbox({
    hooks: { retriesMs, timeoutMs: 5_000 },
    limits: { token: 1e9, key: 1e9, memberRoute: 1e9 },
  })
  ends.push(board.close)
  const agent = await startAgent(randomFrom(1), 20)
  ends.push(agent.close)
  const wireFile = join(folder, 'wire.json')
  await writeFile(wireFile, JSON.stringify({ 'work-board': { baseUrl: board.origin, authUrl: board.origin } }))
  const origin = `https://localhost:${port}`
  const envOf = (data: string) => ({
    TOOLYARD_DATA: data,
    TOOLYARD_PORT: String(upstream),
    TOOLYARD_PUBLIC_URL: origin,
    TOOLYARD_TRUSTED_PROXIES: '127.0.0.1',
    TOOLYARD_TOKEN: adminToken,
    TOOLYARD_WIRE: wireFile,
    TOOLYARD_PRIVATE_ORIGINS: board.origin,
    TOOLYARD_AGENT_ORIGINS: agent.origin,
    TOOLYARD_SCAN_SECONDS: '10',
    TOOLYARD_LOG: 'json',
  })
  const entry = join(installed.home, 'shared/toolyard.js')
  return {
    folder,
    disk,
    board,
    agent,
    origin,
    data: join(disk?.folder ?? folder, 'data'),
    /** The server of the package on this data directory; ends with the test. */
    server(data: string) {
      const node = createNode(upstream, envOf(data), { entry })
      ends.push(node.kill)
      onTestFinished(({ task }) => void (task.result?.state === 'fail' && console.log(node.log())))
      return node
    },
    async run(data: string, args: string[]) {
      const { code, out, err } = await toolyard(args, envOf(data), { entry })
      expect([args, code], out + err).toEqual([args, 0])
      return out
    },
  }
}
type Machine = Awaited<ReturnType<typeof openMachine>>

const runStep = (origin: string, headers: Record<string, string> = {}) =>
  ask(origin, '/v1/steps/work-board/get-boards/run', { body: { input: {} }, headers })

/** The disk is full for as long as the provider tries again: nothing new is taken, and it continues by itself. */
const fillDisk = async ({ disk, origin }: Machine) => {
  if (!disk) return console.warn('The full disk is left out: this process may not mount.')
  disk.fill()
  await until('the server is not ready', async () => (await ask(origin, '/readyz')).status === 503, 60_000)
  const { status, json } = await runStep(origin, { 'idempotency-key': 'on-a-full-disk' })
  expect([status, json.code, json.detail]).toEqual([503, 'unavailable', expect.stringMatching(/disk/) as string])
  await wait(phaseMs)
  disk.free()
  await until('the server is ready by itself', async () => (await ask(origin, '/readyz')).status === 200, 60_000)
  expect((await runStep(origin, { 'idempotency-key': 'on-a-full-disk' })).status).toBe(200)
}

const openStarts = async (origin: string) =>
  /^toolyard_starts_open 0$/m.test(String((await ask(origin, '/metrics')).json)) ? 0 : 1

it(`the installed package behind nginx: ${rotations} rotations of the key, a backup, ${kills} kills and a full disk under ${perSecond} events a second; then restored`, async () => {
  const machine = await openMachine()
  const { board, agent, origin, data, folder } = machine
  const server = machine.server(data)
  expect(await server.start()).toBe(true)
  const { boards, places } = prepareBoards(board)
  await attach(machine, boards)
  const began = Date.now()
  const random = randomFrom(1)
  let isOver = false
  const streaming = (async () => {
    while (!isOver) await happen(board, places, perSecond / 2, perSecond, random, () => {})
  })()
  await wait(phaseMs)
  for (let n = 0; n < rotations; n += 1) await machine.run(data, ['keys', 'rotate'])
  const known = [...agent.calls.keys()]
  await wait(phaseMs)
  const backup = join(folder, 'backup.db')
  await machine.run(data, ['backup', backup])
  for (let n = 0; n < kills; n += 1) {
    await wait(phaseMs)
    await server.kill()
    expect(await server.start()).toBe(true)
  }
  await wait(phaseMs)
  await fillDisk(machine)
  await wait(phaseMs)
  isOver = true
  await streaming
  const isDone = () => board.control.deliveries().every(({ state }) => state === 'done' || state === 'lost')
  await until('every delivery is over', isDone, 60_000)
  const missing = () => startsWanted(board, boards, began).filter((start) => !agent.keys.has(start))
  await until('every start has come', () => missing().length === 0, 120_000).catch(() => undefined)
  expect(missing()).toEqual([])
  await until('nothing is open', async () => (await openStarts(origin)) === 0, 60_000)

  // Elsewhere: a new data directory with the key file, as the page says.
  expect((await server.stop()).code).toBe(0)
  const fresh = join(folder, 'fresh')
  await mkdir(fresh, { mode: 0o700 })
  await copyFile(join(data, 'master.key'), join(fresh, 'master.key'))
  await machine.run(fresh, ['restore', backup])
  const restored = machine.server(fresh)
  expect(await restored.start()).toBe(true)
  expect((await runStep(origin)).status).toBe(200)
  expect((await must(origin, '/v1/subscriptions')).items).toHaveLength(attached.length)
  await until('nothing is open', async () => (await openStarts(origin)) === 0, 60_000)
  const calls = [...agent.calls.values()].reduce((sum, { length }) => sum + length, 0)
  console.log('machine:', { starts: agent.calls.size, calls, deliveries: board.control.deliveries().length })
  expect([...agent.keys].filter(([, keys]) => keys.size > 1)).toEqual([])
  expect(known.length).toBeGreaterThan(0)
  expect(known.filter((key) => agent.calls.get(key)!.length > 1)).toEqual([])
})
