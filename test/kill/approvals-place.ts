/** A board, and a server before it whose runs are held; it can be killed and started again, with its clock ahead. */
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { start } from '../faces/process.ts'
import type { Started } from '../faces/process.ts'
import { startBoardSandbox } from '../../shared/sandbox/board/index.ts'
import { findIds } from '../sandbox/board-client.ts'

const operator = 'a-token-chosen-by-the-operator'
const wrongClock = fileURLToPath(new URL('../nodes/wrong-clock.ts', import.meta.url))
const unlimited = { token: 1e9, key: 1e9, memberRoute: 1e9 }

const freePort = () =>
  new Promise<number>((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => done(port))
    })
  })

type Sent = { body?: unknown; token?: string; key?: string | undefined }
/** `cuts`: how often the server was killed between the request and its answer, so that the same was sent again. */
export type Answer = { status: number; json: any; cuts: number }

const isRefused = (thrown: unknown) => (thrown as { cause?: { code?: string } }).cause?.code === 'ECONNREFUSED'

/** Sends the request until it is answered, as a client does whose server restarts. */
const sendTo = async (url: string, { body, token = operator, key }: Sent = {}): Promise<Answer> => {
  for (let cuts = 0; ; await wait(20))
    try {
      const reply = await fetch(url, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await reply.text()
      if (reply.status !== 503 && reply.status !== 429)
        return { status: reply.status, json: text === '' ? undefined : JSON.parse(text), cuts }
    } catch (thrown) {
      if (!isRefused(thrown)) cuts += 1
    }
}

export const openPlace = async (folder: string) => {
  const board = await startBoardSandbox({ keepRequests: 100_000, limits: unlimited })
  onTestFinished(() => board.close())
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  const wire = join(folder, 'wire.json')
  const override = { baseUrl: board.origin, authUrl: board.origin, pace: { limits: [], concurrency: 64 } }
  await writeFile(wire, JSON.stringify({ 'work-board': override }))
  const env = {
    TOOLYARD_DATA: join(folder, 'data'),
    TOOLYARD_PORT: String(port),
    TOOLYARD_TOKEN: operator,
    TOOLYARD_WIRE: wire,
    TOOLYARD_PRIVATE_ORIGINS: board.origin,
  }
  let server: Started | undefined
  onTestFinished(() => server?.kill('SIGKILL'))
  const up = async (aheadMs = 0) => {
    const nodeArgs = aheadMs === 0 ? [] : ['--import', wrongClock]
    server = start(['serve'], { ...env, WRONG_CLOCK_MS: String(aheadMs) }, { nodeArgs })
    await server.printed('curl')
  }
  const send = (path: string, options?: Sent) => sendTo(`${address}${path}`, options)
  const must = async (path: string, options?: Sent) => {
    const { status, json } = await send(path, options)
    if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(json)}`)
    return json
  }
  await up()
  const { key, token } = board.credentials
  await must('/v1/connections', {
    body: { integration: 'work-board', type: 'key-token', name: 'Board', secrets: { key, token } },
  })
  const newToken = async (name: string, scopes: string[]): Promise<{ id: string; text: string }> => {
    const made = await must('/v1/admin/tokens', { body: { tenant: 'default', name, scopes } })
    return { id: made.token.id, text: made.text }
  }
  const idList = findIds(board).list('Ideas')
  return {
    board,
    up,
    async kill() {
      server!.kill('SIGKILL')
      await server!.ended
    },
    send,
    must,
    newToken,
    /** Asks for a card of that name, or what became of it. */
    create: (name: string, by: string, idempotencyKey?: string) =>
      send('/v1/steps/work-board/create-card/run', {
        body: { input: { idList, name } },
        token: by,
        key: idempotencyKey,
      }),
    /** How many cards of each name the board has. */
    cards() {
      const counts = new Map<string, number>()
      for (const { name } of board.state.cards.values()) counts.set(name, (counts.get(name) ?? 0) + 1)
      return counts
    },
  }
}
export type Place = Awaited<ReturnType<typeof openPlace>>
