/** A pack with the board sandbox, a door for its deliveries and an agent, all on loopback, with the real clock. */
import { createServer } from 'node:http'
import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import type { Pack, PackOptions } from '../../shared/pack.ts'
import type { AgentStart } from '../../shared/runtime/triggers/index.ts'
import { startBoardSandbox } from '../../shared/sandbox/board/index.ts'
import { closing, createCloser } from './closing.ts'
import { caller, openWorld } from './world.ts'

const listen = (server: Server) =>
  new Promise<string>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)),
  )
const close = (server: Server) =>
  new Promise<void>((resolve) => {
    server.closeAllConnections()
    server.close(() => resolve())
  })
const bodyOf = async (request: IncomingMessage) => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

/** Passes requests on /hooks/… to a pack, as the HTTP face does. */
export const startDoor = async (pack: () => Pack | undefined) => {
  const server = createServer(async (request, response) => {
    const [, , integration = '', hookId = ''] = (request.url ?? '').split('/')
    const body = await bodyOf(request)
    const receipt = await (pack()?.receive({
      integration,
      hookId,
      method: request.method ?? '',
      headers: request.headers,
      body,
    }) ?? { status: 503 })
    response.writeHead(receipt.status).end()
  })
  return closing({ origin: await listen(server), close: () => close(server) })
}

export type Taken = { path: string; id: string; start: AgentStart; genuine: boolean; at: number }

/** An agent that checks signatures with the public library and keeps what it was given. */
export const startAgent = async () => {
  const taken: Taken[] = []
  /** Secrets by path. */
  const secrets = new Map<string, string>()
  const answer: { status: (taken: Taken) => number | Promise<number> } = { status: () => 200 }
  const server = createServer(async (request, response) => {
    const body = (await bodyOf(request)).toString('utf8')
    const path = request.url ?? ''
    let genuine = false
    try {
      new Webhook(secrets.get(path) ?? 'whsec_AAAA').verify(body, request.headers as Record<string, string>)
      genuine = true
    } catch {
      // Shown by `genuine`.
    }
    const delivery = {
      path,
      id: String(request.headers['webhook-id']),
      start: JSON.parse(body) as AgentStart,
      genuine,
      at: performance.now(),
    }
    taken.push(delivery)
    response.writeHead(await answer.status(delivery)).end()
  })
  const origin = await listen(server)
  return closing({ origin, taken, secrets, answer, close: () => close(server) })
}
export type AgentServer = Awaited<ReturnType<typeof startAgent>>

/** Subscriptions at the sandbox's board work: it delivers, and the agent is told. */
export const openAgentWorld = async (options: PackOptions = {}) => {
  const { close, add } = createCloser()
  const sandbox = await startBoardSandbox({ timeScale: 0.01 })
  add(() => sandbox.close())
  const agent = await startAgent()
  add(() => agent.close())
  let pack: Pack | undefined
  const door = await startDoor(() => pack)
  add(() => door.close())
  const { key, token, appSecret } = sandbox.credentials
  const world = await openWorld({
    providers: { 'work-board': { origin: sandbox.origin, credentials: { key, token } } },
    wire: { 'work-board': { authUrl: sandbox.origin } },
    agentOrigins: [agent.origin],
    publicUrl: door.origin,
    scanMs: 300,
    ...options,
  })
  add(world.close)
  pack = world.pack
  await pack.apps.put(caller, 'work-board', { key, secret: appSecret })
  await world.connect('work-board')
  await pack.start()
  return { ...world, sandbox, agent, door, close }
}
export type AgentWorld = Awaited<ReturnType<typeof openAgentWorld>>

export const attach = async (
  { pack, agent }: Pick<AgentWorld, 'pack' | 'agent'>,
  trigger: string,
  config: Record<string, unknown>,
  options: Record<string, unknown> = {},
) => {
  const path = `/${trigger}`
  const made = await pack.subscriptions.create(caller, {
    integration: 'work-board',
    trigger,
    config,
    agent: { id: trigger, url: agent.origin + path },
    options,
  })
  agent.secrets.set(path, made.agent.secret!)
  return made
}

export const until = async (what: string, holds: () => boolean | Promise<boolean>, ms = 30_000) => {
  const end = performance.now() + ms
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not in time: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
