import { createHmac, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { start, withDirectory } from '../faces/process.ts'
import type { Started } from '../faces/process.ts'
import { startBoardSandbox } from '../../shared/sandbox/board/index.ts'
import { findIds } from '../sandbox/board-client.ts'
import { startAgent, until } from '../support/agent-world.ts'
import { operator as token } from './requests.ts'
import { freePort } from '../support/free-port.ts'

/**
 * A server that is stopped and started again and again, as upgrades do, while a provider goes on delivering and repeats
 * what was not taken.
 */
const cycles = 20
const perSecond = 100
const upMs = 2_000

/**
 * A read over a socket that the former server closed in that moment is sent again, as any client of a restarted server
 * must.
 */
const read = async (url: string): Promise<string> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).text()
    } catch (thrown) {
      if (tries === 3) throw thrown
    }
  }
}

const ask = async (
  address: string,
  path: string,
  body?: unknown,
  method = body === undefined ? 'GET' : 'POST',
): Promise<any> => {
  const reply = await fetch(`${address}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

/** A provider has so many deliveries under way at once, and waits before it tries one again. */
const atOnce = 50
const againMs = 250
/** However long a stop and a start take on a busy machine, a cycle has no more events than this. */
const mostOfCycle = 300

/** Delivers events at a steady pace, each until it is taken. */
const startSender = (callback: string, secret: string, board: string) => {
  const sent: string[] = []
  const seen = { tries: 0, refused: 0, unreachable: 0, taken: 0 }
  const deliver = async (id: string) => {
    const body = JSON.stringify({
      model: { id: board },
      action: {
        id,
        type: 'createCard',
        date: new Date().toISOString(),
        idMemberCreator: 'b'.repeat(24),
        data: {
          board: { id: board, name: 'B' },
          list: { id: 'c'.repeat(24), name: 'L' },
          card: { id, name: 'C', idShort: 1, shortLink: 'abcdefgh' },
        },
      },
      webhook: { id: 'e'.repeat(24) },
    })
    const headers = {
      'content-type': 'application/json',
      'x-trello-webhook': createHmac('sha1', secret).update(body).update(callback).digest('base64'),
    }
    for (;;) {
      seen.tries += 1
      const status = await fetch(callback, { method: 'POST', headers, body, signal: AbortSignal.timeout(30_000) }).then(
        async (reply) => (await reply.arrayBuffer(), reply.status),
        () => 0,
      )
      if (status === 200) return void (seen.taken += 1)
      if (status === 0) seen.unreachable += 1
      else seen.refused += 1
      await wait(againMs)
    }
  }
  const waiting: string[] = []
  const work = async () => {
    while (isOpen || waiting.length > 0) {
      const id = waiting.shift()
      await (id === undefined ? wait(2) : deliver(id))
    }
  }
  let isOpen = true
  const cycle = { began: performance.now(), sent: 0 }
  const pace = (async () => {
    while (isOpen) {
      const due = Math.min(mostOfCycle, Math.floor(((performance.now() - cycle.began) / 1000) * perSecond))
      for (; cycle.sent < due; cycle.sent += 1) {
        const id = randomBytes(12).toString('hex')
        sent.push(id)
        waiting.push(id)
      }
      await wait(5)
    }
  })()
  const workers = Array.from({ length: atOnce }, work)
  return {
    sent,
    seen,
    nextCycle: () => Object.assign(cycle, { began: performance.now(), sent: 0 }),
    async stop() {
      isOpen = false
      await pace
      await Promise.all(workers)
    },
  }
}

/** A board, an agent, and a server between them that can be started again and again. */
const openPlace = async (folder: string) => {
  const board = await startBoardSandbox({ timeScale: 0.01 })
  const agent = await startAgent()
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  const wire = join(folder, 'wire.json')
  await writeFile(wire, JSON.stringify({ 'work-board': { baseUrl: board.origin, authUrl: board.origin } }))
  const env = {
    TOOLYARD_DATA: join(folder, 'data'),
    TOOLYARD_PORT: String(port),
    TOOLYARD_PUBLIC_URL: address,
    TOOLYARD_TOKEN: token,
    TOOLYARD_WIRE: wire,
    TOOLYARD_PRIVATE_ORIGINS: board.origin,
    TOOLYARD_AGENT_ORIGINS: agent.origin,
  }
  const up = async (): Promise<Started> => {
    const server = start(['serve'], env)
    // However the test ends.
    onTestFinished(() => server.kill('SIGKILL'))
    await server.printed('curl')
    return server
  }
  /** Attaches the agent to new cards; gives where the board delivers. */
  const attach = async () => {
    const { key, token: secret, appSecret } = board.credentials
    const watched = findIds(board).board
    await ask(address, '/v1/apps/work-board', { key, secret: appSecret }, 'PUT')
    await ask(address, '/v1/connections', {
      integration: 'work-board',
      type: 'key-token',
      name: 'Board',
      secrets: { key, token: secret },
    })
    const made = await ask(address, '/v1/subscriptions', {
      integration: 'work-board',
      trigger: 'new-card',
      config: { boards: [watched] },
      agent: { url: `${agent.origin}/new` },
    })
    agent.secrets.set('/new', made.agent.secret)
    const [hook] = (await ask(address, '/v1/hooks')).items
    await wait(5)
    return { callback: hook.callbackUrl as string, appSecret, watched }
  }
  return { board, agent, address, up, attach, close: () => Promise.all([board.close(), agent.close()]) }
}

it(
  '20 stops and starts under 100 events a second: nothing is lost, nothing is doubled, each stop is short',
  () =>
    withDirectory(async (folder) => {
      const { agent, address, up, attach, close } = await openPlace(folder)
      let server = await up()
      const { callback, appSecret, watched } = await attach()
      const sender = startSender(callback, appSecret, watched)
      const stops: number[] = []
      const codes: (number | null)[] = []
      for (let cycle = 0; cycle < cycles; cycle += 1) {
        sender.nextCycle()
        // Not always at the same moment of what goes on.
        await wait(upMs + cycle * 37)
        const began = performance.now()
        server.kill('SIGTERM')
        const { code, err } = await server.ended
        stops.push(performance.now() - began)
        codes.push(code)
        expect(err).toContain('"event":"stopped"')
        server = await up()
      }
      await sender.stop()
      const started = () => new Set(agent.taken.map(({ start }) => start.data.id))
      // What does not come is said below, with what is known of it.
      await until('every event has started the agent', () => agent.taken.length >= sender.sent.length, 180_000).catch(
        () => undefined,
      )
      const page = await read(`${address}/metrics`)
      const known = started()
      const lost = sender.sent.find((id) => !known.has(id))
      if (lost !== undefined)
        console.log(
          page.match(/^toolyard_(events|starts|deliver)[^#]*$/gm)?.join('\n'),
          await ask(address, `/v1/events/${lost}`).catch(String),
          sender.seen,
        )
      await until(
        'nothing is open',
        async () => !/toolyard_starts_open [1-9]/.test(await read(`${address}/metrics`)),
        180_000,
      )
      server.kill('SIGTERM')
      await server.ended
      await close()

      const keys = agent.taken.map(({ id }) => id)
      const delivered = started()
      const missing = sender.sent.filter((id) => !delivered.has(id))
      console.log(
        `cycles: ${sender.sent.length} events in ${cycles} stops and starts, ${sender.seen.tries} deliveries (${sender.seen.unreachable} while down, ${sender.seen.refused} answered with another status than 200), ` +
          `${agent.taken.length} starts, ${missing.length} lost, ${keys.length - new Set(keys).size} repeated; stops ${Math.round(Math.min(...stops))} to ${Math.round(Math.max(...stops))} ms`,
      )
      expect(sender.sent.length).toBeGreaterThan(cycles * (upMs / 1000) * perSecond * 0.9)
      expect(sender.seen.tries).toBeGreaterThan(sender.sent.length)
      expect(missing).toEqual([])
      // One key for each event, and each is sent to the agent once.
      expect(new Set(keys).size).toBe(sender.sent.length)
      expect(keys.length).toBe(sender.sent.length)
      expect(agent.taken.every(({ genuine }) => genuine)).toBe(true)
      expect(codes).toEqual(stops.map(() => 0))
      for (const ms of stops) expect(ms).toBeLessThan(30_000)
    }),
  900_000,
)

it(
  'a stop does not wait for an agent that does not answer, and the start is kept for the next server',
  () =>
    withDirectory(async (folder) => {
      const { agent, up, attach, board, close } = await openPlace(folder)
      const first = await up()
      await attach()
      agent.answer.status = () => new Promise<number>(() => {})
      board.control.createCard({ by: 'odettequill', idList: findIds(board).list('Ideas'), name: 'Nobody listens' })
      await until('the agent was asked', () => agent.taken.length === 1)
      const began = performance.now()
      first.kill('SIGTERM')
      expect((await first.ended).code).toBe(0)
      const ms = performance.now() - began
      console.log(`cycles: a stop with an agent that does not answer took ${Math.round(ms)} ms`)
      expect(ms).toBeLessThan(30_000)
      agent.answer.status = () => 200
      const second = await up()
      await until('the agent is asked again', () => agent.taken.length === 2, 180_000)
      expect(agent.taken[1]!.id).toBe(agent.taken[0]!.id)
      second.kill('SIGTERM')
      expect((await second.ended).code).toBe(0)
      await close()
    }),
  300_000,
)
