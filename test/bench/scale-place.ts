/** A server on a PostgreSQL database with many subscriptions: watched boards of the sandbox, and an agent that counts. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { startBoardSandbox } from '../../shared/sandbox/board/index.ts'
import { start } from '../faces/process.ts'
import type { Started } from '../faces/process.ts'
import { startPostgres } from '../support/postgres.ts'
import { startCountingAgent } from './counting-agent.ts'
import { processorMs, residentMb } from './processor-time.ts'

const adminToken = 'a-token-chosen-by-the-operator'
/** Of the copies: none of them starts anything by what the bench delivers. */
const otherTriggers = ['new-card', 'card-archived', 'new-label-added-to-card', 'new-checklist', 'new-attachment']
const atOnce = 16

const findFreePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

/** In turn, some at once. */
const forEach = async <T>(items: T[], work: (item: T) => Promise<unknown>): Promise<void> => {
  const rest = items.values()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of rest) await work(item)
    }),
  )
}

export type Board = { id: string; idCard: string; callbackUrl: string }

/** @param entry the command of the package that is served */
export const openPlace = async (entry: string) => {
  const postgres = await startPostgres()
  const databaseUrl = await postgres.createDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-bench-scale-'))
  const sandbox = await startBoardSandbox({ seed: 'empty', timeScale: 0.001, keepRequests: 10 })
  const agent = await startCountingAgent()
  const port = await findFreePort()
  const origin = `http://127.0.0.1:${port}`
  const wire = join(folder, 'wire.json')
  writeFileSync(
    wire,
    JSON.stringify({ 'work-board': { baseUrl: sandbox.origin, pace: { limits: [], concurrency: 16 } } }),
  )
  const env = {
    DATABASE_URL: databaseUrl,
    TOOLYARD_MASTER_KEY: randomBytes(32).toString('base64'),
    TOOLYARD_TOKEN: adminToken,
    TOOLYARD_PUBLIC_URL: origin,
    TOOLYARD_PORT: String(port),
    TOOLYARD_WIRE: wire,
    TOOLYARD_DATA: join(folder, 'data'),
    TOOLYARD_PRIVATE_ORIGINS: sandbox.origin,
    TOOLYARD_AGENT_ORIGINS: agent.origin,
    TOOLYARD_LOG_LEVEL: 'warn',
  }
  const ask = async (path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST'): Promise<any> => {
    const reply = await fetch(origin + path, {
      method,
      headers: {
        authorization: `Bearer ${adminToken}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
    return reply.json()
  }
  const client = new pg.Client(databaseUrl)
  await client.connect()
  let server: Started | undefined

  const stop = async () => {
    server?.kill('SIGTERM')
    await server?.ended
    server = undefined
  }
  return {
    port,
    sandbox,
    called: agent.called,
    calledTimes: agent.calledTimes,
    usage: () => ({ cpuMs: processorMs([server!.pid]), memoryMb: residentMb(server!.pid) }),
    /** Milliseconds until it is ready. */
    async start(): Promise<number> {
      const began = performance.now()
      server = start(['serve'], env, { entry })
      const isReady = () =>
        fetch(`${origin}/readyz`).then(
          (reply) => reply.ok,
          () => false,
        )
      while (!(await isReady())) await wait(20)
      return performance.now() - began
    },
    stop,
    /** Boards with a card each, each watched by a subscription to its comments. */
    async watchBoards(count: number): Promise<Board[]> {
      const { key, token, appSecret } = sandbox.credentials
      await ask('/v1/apps/work-board', { key, secret: appSecret }, 'PUT')
      await ask('/v1/connections', {
        integration: 'work-board',
        type: 'key-token',
        name: 'Board',
        secrets: { key, token },
      })
      const boards = Array.from({ length: count }, (_, n) => {
        const { id } = sandbox.control.createBoard({ name: `Board ${n}` })
        const list = sandbox.control.createList({ idBoard: id, name: 'Doing' })
        const card = sandbox.control.createCard({ idList: list.id, name: 'Call the printer' })
        return { id, idCard: card.id }
      })
      await forEach(boards, ({ id }) =>
        ask('/v1/subscriptions', {
          integration: 'work-board',
          trigger: 'new-comment-added-to-card',
          config: { boards: [id] },
          agent: { url: `${agent.origin}/start` },
        }),
      )
      const callbacks = new Map<string, string>()
      for (let cursor = ''; ;) {
        const { items, next } = await ask(`/v1/hooks?limit=100${cursor}`)
        for (const { model, callbackUrl } of items) callbacks.set(model.split(':').at(-1), callbackUrl)
        if (next === undefined) break
        cursor = `&cursor=${encodeURIComponent(next)}`
      }
      return boards.map((board) => ({ ...board, callbackUrl: callbacks.get(board.id)! }))
    },
    /** Copies of the subscriptions, with other triggers, until there are so many; only while no server runs. */
    async copySubscriptions(total: number, boards: number): Promise<void> {
      const { rows: columns } = await client.query<{ name: string }>(
        `select column_name as name from information_schema.columns
         where table_schema = 'toolyard' and table_name = 'subscriptions' order by ordinal_position`,
      )
      const replaced: Record<string, string> = {
        id: `id || '-' || n`,
        trigger: `(array[${otherTriggers.map((id) => `'${id}'`).join(', ')}])[1 + n % ${otherTriggers.length}]`,
        external_id: 'null',
      }
      const names = columns.map(({ name }) => name)
      await client.query(
        `insert into toolyard.subscriptions (${names.map((name) => `"${name}"`).join(', ')})
         select ${names.map((name) => replaced[name] ?? `"${name}"`).join(', ')}
         from toolyard.subscriptions, generate_series(1, $1) n`,
        [total / boards - 1],
      )
      await client.query('analyze')
    },
    /** Bytes of the table of subscriptions with its indexes. */
    async tableBytes(): Promise<number> {
      const { rows } = await client.query<{ bytes: number }>(
        `select pg_total_relation_size('toolyard.subscriptions')::float as bytes`,
      )
      return rows[0]!.bytes
    },
    async close(): Promise<void> {
      await stop()
      await client.end()
      await sandbox.close()
      agent.close()
      await postgres.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
export type Place = Awaited<ReturnType<typeof openPlace>>
