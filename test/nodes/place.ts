/** A PostgreSQL, several nodes on it, a balancer before them, a board and an agent. All of it ends with the test. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { startBoardSandbox } from '../../shared/sandbox/board/index.ts'
import type { BoardSandbox, BoardSandboxOptions } from '../../shared/sandbox/board/index.ts'
import { freePort } from '../support/free-port.ts'
import { startPostgres } from '../support/postgres.ts'
import type { PostgresServer } from '../support/postgres.ts'
import { startBalancer } from './balancer.ts'
import { createNode } from './node.ts'

export const adminToken = 'a-token-chosen-by-the-operator'

export type AskOptions = {
  body?: unknown
  method?: string
  token?: string
  headers?: Record<string, string>
  signal?: AbortSignal
}
/** A request to a node or the balancer. */
export const ask = async (
  origin: string,
  path: string,
  options: AskOptions = {},
): Promise<{ status: number; json: any }> => {
  const { body, method = body === undefined ? 'GET' : 'POST', token = adminToken, headers = {} } = options
  const reply = await fetch(`${origin}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(options.signal ? { signal: options.signal } : {}),
  })
  const text = await reply.text()
  return {
    status: reply.status,
    json: text === '' || !(reply.headers.get('content-type') ?? '').includes('json') ? text : JSON.parse(text),
  }
}
/** The same where anything but success is a failure of the test. */
export const must = async (origin: string, path: string, options: AskOptions = {}): Promise<any> => {
  const { status, json } = await ask(origin, path, options)
  if (status >= 300) throw new Error(`${options.method ?? ''} ${path}: ${status} ${JSON.stringify(json)}`)
  return json
}

export const until = async (what: string, holds: () => boolean | Promise<boolean>, ms: number): Promise<void> => {
  for (const end = performance.now() + ms; !(await holds()); await new Promise((resolve) => setTimeout(resolve, 200)))
    if (performance.now() > end) throw new Error(`not in time: ${what}`)
}

/** Another account's token of the same app at the board. */
export const addToken = ({ state, credentials }: BoardSandbox): string => {
  const first = state.tokens.get(credentials.token)!
  const value = `ATTA${randomBytes(36).toString('hex')}`
  state.tokens.set(value, { ...first, id: randomBytes(12).toString('hex'), value })
  return value
}

type Wanted = {
  nodes?: number
  board?: BoardSandboxOptions
  /** Overrides of the board's wire profile. */
  wire?: Record<string, unknown>
  agentOrigin?: string
  /** A data provider beside the board: overrides of its wire profile, and its origin. */
  provider?: { integration: string; override: Record<string, unknown>; origin: string }
  /**
   * Of each node: how far the clock of its machine is ahead, in ms. Such nodes are up and get requests, ready or not.
   */
  clocks?: readonly number[]
  /** Origins that nodes may reach although they are private. */
  privateOrigins?: string[]
  /** A server of the test, which ends it, and the address of the database by which the nodes reach it. */
  database?: { postgres: PostgresServer; url: string }
  /** Settings of every node. */
  env?: Record<string, string>
  /** The command of another build. */
  entry?: string
  /** How often the balancer asks each node whether it is ready. */
  probeEveryMs?: number
}

/** Ends with the test that opened it. */
export const openPlace = async (options: Wanted = {}) => {
  const place = await openShared(options)
  onTestFinished(async ({ task }) => {
    await place.close()
    if (task.result?.state === 'fail') console.log(place.log())
  })
  return place
}

/** For several tests: whoever opened it closes it. */
export const openShared = async (options: Wanted = {}) => {
  const ends: (() => unknown)[] = []
  const close = async () => {
    for (const end of ends.toReversed()) await end()
  }
  try {
    return { ...(await openParts(options, (end) => void ends.push(end))), close }
  } catch (error) {
    await close()
    throw error
  }
}

const openParts = async (options: Wanted, onEnd: (end: () => unknown) => void) => {
  const {
    nodes: count = 4,
    board: boardOptions = {},
    wire = {},
    agentOrigin,
    provider,
    clocks,
    privateOrigins = [],
  } = options
  const probe = clocks ? '/livez' : '/readyz'
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-nodes-'))
  onEnd(() => rmSync(folder, { recursive: true, force: true }))
  const board = await startBoardSandbox(boardOptions)
  onEnd(() => board.close())
  const { database } = options
  const postgres = database?.postgres ?? (await startPostgres())
  if (!database) onEnd(() => postgres.close())
  const databaseUrl = database?.url ?? (await postgres.createDatabase())
  const ports = await Promise.all(Array.from({ length: count }, freePort))
  const balancer = await startBalancer(ports, probe, options.probeEveryMs)
  onEnd(() => balancer.close())
  const { origin } = board
  const oauth = { v2: { authorizeUrl: `${origin}/authorize`, tokenUrl: `${origin}/oauth/token` }, version: '2.0' }
  const wireFile = join(folder, 'wire.json')
  writeFileSync(
    wireFile,
    JSON.stringify({
      'work-board': { baseUrl: origin, authUrl: origin, oauth, ...wire },
      ...(provider ? { [provider.integration]: provider.override } : {}),
    }),
  )
  const env = {
    DATABASE_URL: databaseUrl,
    TOOLYARD_MASTER_KEY: randomBytes(32).toString('base64'),
    TOOLYARD_PUBLIC_URL: balancer.origin,
    TOOLYARD_TOKEN: adminToken,
    TOOLYARD_WIRE: wireFile,
    TOOLYARD_PRIVATE_ORIGINS: [origin, ...(provider ? [provider.origin] : []), ...privateOrigins].join(),
    TOOLYARD_SCAN_SECONDS: '10',
    TOOLYARD_LOG: 'json',
    ...(agentOrigin === undefined ? {} : { TOOLYARD_AGENT_ORIGINS: agentOrigin }),
    ...options.env,
  }
  // A node has nothing on its disk that another one needs.
  const nodes = ports.map((port, n) =>
    createNode(
      port,
      { ...env, TOOLYARD_DATA: join(folder, `node-${n}`) },
      {
        probe,
        aheadMs: clocks?.[n] ?? 0,
        ...(options.entry === undefined ? {} : { entry: options.entry }),
      },
    ),
  )
  onEnd(() => Promise.all(nodes.map((node) => node.kill())))
  const started = await Promise.all(nodes.map((node) => node.start()))
  if (started.includes(false)) throw new Error(`A node did not start:\n${nodes.map((node) => node.log()).join('\n')}`)
  await until('the balancer knows every node', () => balancer.ready() === count, 30_000)
  const { key, appSecret, oauth2 } = board.credentials
  await must(balancer.origin, '/v1/apps/work-board', {
    method: 'PUT',
    body: { key, secret: appSecret, clientId: oauth2.clientId, clientSecret: oauth2.clientSecret },
  })
  return {
    board,
    postgres,
    databaseUrl,
    nodes,
    balancer,
    /** Through the balancer. */
    origin: balancer.origin,
    /** What each node wrote since it was started last. */
    log: () => nodes.map((node) => `node ${node.port}:\n${node.log()}`).join('\n'),
    /** An account connected with its key and token; gives the connection's id. */
    async connect(token = board.credentials.token, by: AskOptions = {}): Promise<string> {
      return (
        await must(balancer.origin, '/v1/connections', {
          ...by,
          body: { integration: 'work-board', type: 'key-token', name: 'Board', secrets: { key, token } },
        })
      ).id
    },
  }
}
export type OpenPlace = Awaited<ReturnType<typeof openShared>>
