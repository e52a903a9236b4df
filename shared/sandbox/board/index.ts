/**
 * A local stand-in for the board provider: strict, stateful, on its own loopback port. It follows the provider's
 * documented and recorded behaviour and shares no code with the pack, so that a mistake of ours cannot go unnoticed by
 * being in both.
 */
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { namesThisHost } from '../callers.ts'
import { realSchedule, type Schedule } from '../outgoing.ts'
import { authHandlers, runHandler } from './auth-pages.ts'
import { createControl, runControl, type Control as PeopleControl } from './control.ts'
import { createHookControl, type HookControl } from './control-hooks.ts'
import { dispatch, toReply, type Server, type Reply } from './dispatch.ts'
import { createFaults } from './faults.ts'
import { createHooks, forgetDeliveries, stopHooks, tellHooks, type Hooks, type HookSettings } from './hooks.ts'
import { createLimiter, type LimitSettings } from './limits.ts'
import { notifyOtherMembers } from './notifications.ts'
import { boardPage, cardPage, page, pageHeaders } from './pages.ts'
import { addPeoplePage } from './people-page.ts'
import { emptyState, type Clock, type State, type World } from './records.ts'
import { namedAnswers, type Answer } from './refusals.ts'
import { actionRoutes } from './routes-actions.ts'
import { boardMemberRoutes } from './routes-board-members.ts'
import { boardRoutes, listRoutes } from './routes-boards.ts'
import { cardRoutes } from './routes-cards.ts'
import { customFieldRoutes } from './routes-custom-fields.ts'
import { checklistRoutes, labelRoutes } from './routes-labels.ts'
import { webhookRoutes } from './routes-hooks.ts'
import { batchRoutes, memberRoutes, notificationRoutes, organizationRoutes } from './routes-members.ts'
import { searchRoutes } from './routes-search.ts'
import { voteRoutes } from './routes-votes.ts'
import { createTable } from './routes.ts'
import { seedWorld, type Credentials } from './seed.ts'

export type { Delivery, Disturbance, HookSettings } from './hooks.ts'
export type { RecordedRequest } from './dispatch.ts'
export type { Fault } from './faults.ts'
export type { LimitSettings } from './limits.ts'
export type { Credentials } from './seed.ts'
export type { Schedule } from '../outgoing.ts'
export type { Action, Card, Clock, State } from './records.ts'

export type BoardSandboxOptions = {
  /** 0 or absent: any free port. */
  port?: number
  /** Milliseconds since the epoch; all dates and rate limits use this clock. */
  now?: Clock
  /** Timers for retries and delays; real ones when absent. */
  schedule?: Schedule
  /** Replacements for some of the documented limits. */
  limits?: Partial<LimitSettings>
  /** Factor for every window and waiting time: 0.01 turns ten seconds into a tenth of a second. */
  timeScale?: number
  seed?: 'demo' | 'empty'
  settings?: Partial<World['settings']>
  /** Retries, waiting times and the rules for disabling a webhook. */
  hooks?: Partial<HookSettings>
  /** How many requests to keep in the record. */
  keepRequests?: number
}

export type Control = PeopleControl & HookControl

export type BoardSandbox = {
  /** For example http://127.0.0.1:40123, without a trailing slash. The API is below /1. */
  origin: string
  credentials: Credentials
  state: State
  control: Control
  close(): Promise<void>
}

const createWorld = (options: BoardSandboxOptions): World => ({
  origin: '',
  now: options.now ?? Date.now,
  schedule: options.schedule ?? realSchedule,
  timeScale: options.timeScale ?? 1,
  state: emptyState(),
  listeners: [],
  settings: {
    sinceInclusive: true,
    zonelessShiftMs: 9.5 * 3_600_000,
    searchLagMs: 2000,
    timestampToleranceMs: 300_000,
    codeMs: 300_000,
    accessTokenMs: 3_600_000,
    refreshIdleMs: 90 * 86_400_000,
    ...options.settings,
  },
})

const allRoutes = (hooks: Hooks) => [
  ...cardRoutes,
  ...boardRoutes,
  ...boardMemberRoutes,
  ...customFieldRoutes,
  ...listRoutes,
  ...labelRoutes,
  ...checklistRoutes,
  ...actionRoutes,
  ...memberRoutes,
  ...notificationRoutes,
  ...organizationRoutes,
  ...batchRoutes,
  ...searchRoutes,
  ...voteRoutes,
  ...webhookRoutes(hooks),
]

const send = (reply: FastifyReply, answer: Reply): FastifyReply | undefined => {
  if (!answer.cut) {
    return reply
      .code(answer.status)
      .headers(answer.headers)
      .header('content-type', answer.contentType)
      .send(typeof answer.body === 'string' ? answer.body : Buffer.from(answer.body))
  }
  reply.hijack()
  const { socket } = reply.raw
  if (answer.cut === 'reset') socket?.resetAndDestroy()
  if (answer.cut === 'partial') {
    const body = Buffer.from(answer.body)
    reply.raw.writeHead(answer.status, {
      ...answer.headers,
      'content-type': answer.contentType,
      'content-length': body.length,
    })
    reply.raw.write(body.subarray(0, Math.floor(body.length / 2)), () => socket?.destroy())
  }
  return undefined
}

const incomingOf = (request: FastifyRequest) => ({
  method: request.method,
  url: request.raw.url ?? '',
  headers: request.headers,
  body: Buffer.isBuffer(request.body) ? request.body : undefined,
})

const addAuth = (app: FastifyInstance, server: Server, hooks: Hooks): void => {
  for (const [name, handler] of Object.entries(authHandlers(server, hooks))) {
    const [method, path] = name.split(' ') as [string, string]
    app.route({
      method,
      url: path,
      handler: async (request, reply) => {
        const incoming = incomingOf(request)
        return send(reply, await dispatch(server, incoming, { name, run: () => runHandler(handler, name, incoming) }))
      },
    })
  }
}

const addApi = (app: FastifyInstance, server: Server): void => {
  app.all('/1/*', async (request, reply) => send(reply, await dispatch(server, incomingOf(request))))
  const show = (path: string, make: typeof boardPage): void => {
    app.get<{ Params: { shortLink: string } }>(path, async (request, reply) => {
      const html = make(server.world, request.params.shortLink)
      return reply
        .code(html ? 200 : 404)
        .headers(pageHeaders)
        .send(html ?? page('Not found', '<p>No such page.</p>'))
    })
  }
  for (const tail of ['', '/*']) {
    show(`/b/:shortLink${tail}`, boardPage)
    show(`/c/:shortLink${tail}`, cardPage)
  }
}

const readable = new Set(['overview', 'requests', 'counters', 'faults', 'history', 'deliveries', 'webhooks'])

/**
 * Accepts only callers that address this host by one of its own names, so that a page of another site cannot use a name
 * of its own for it.
 */
const addControl = (app: FastifyInstance, control: Control): void => {
  app.all<{ Params: { name: string } }>('/_control/:name', async (request, reply) => {
    if (!namesThisHost(request) || request.headers.origin !== undefined)
      return reply.code(403).send({ message: 'control functions answer to this machine only' })
    // A foreign page can cause a GET without sending its origin, so GET requests change nothing.
    if (request.method !== 'POST' && !(request.method === 'GET' && readable.has(request.params.name)))
      return reply.code(405).send({ message: 'use POST' })
    let input: unknown
    try {
      input =
        Buffer.isBuffer(request.body) && request.body.length > 0
          ? JSON.parse(request.body.toString('utf8'))
          : request.query
    } catch {
      return reply.code(400).send({ message: 'the body is not JSON' })
    }
    const { status, body } = await runControl(control, request.params.name, input)
    return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(body))
  })
}

const createApp = (): FastifyInstance => {
  const app = Fastify({
    // Larger than the largest upload, so that the route itself refuses uploads that are too large.
    bodyLimit: 12 * 1024 * 1024,
    forceCloseConnections: true,
    http: { maxHeaderSize: 64 * 1024 },
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 64 * 1024, ignoreTrailingSlash: false },
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const tooLarge = error.statusCode === 413
    if (!tooLarge) console.error('board sandbox:', error)
    return send(reply, toReply(namedAnswers[tooLarge ? 'too large' : 'server error'] as Answer))
  })
  app.setNotFoundHandler((request, reply) =>
    send(reply, toReply({ status: 404, body: `Cannot ${request.method} ${request.url}` })),
  )
  return app
}

const closeAll = async (app: FastifyInstance, hooks: Hooks): Promise<void> => {
  stopHooks(hooks)
  await app.close()
}

/** Starts the sandbox on 127.0.0.1. Rejects when the port is taken. */
export const startBoardSandbox = async (options: BoardSandboxOptions = {}): Promise<BoardSandbox> => {
  const world = createWorld(options)
  const hooks = createHooks(world, options.hooks)
  const server: Server = {
    world,
    table: createTable(allRoutes(hooks)),
    limiter: createLimiter(options.limits),
    faults: createFaults(),
    requests: [],
    seen: 0,
    keep: options.keepRequests ?? 10_000,
  }
  const credentials = {} as Credentials
  const refill = (): void => {
    Object.assign(world.state, emptyState())
    Object.assign(server.limiter, createLimiter(options.limits))
    Object.assign(server.faults, createFaults())
    server.requests.splice(0)
    forgetDeliveries(hooks)
    Object.assign(credentials, seedWorld(world, options.seed ?? 'demo'))
  }
  const control = { ...createControl(server, refill), ...createHookControl(hooks) }
  const app = createApp()
  addAuth(app, server, hooks)
  addApi(app, server)
  addControl(app, control)
  addPeoplePage(app, world, control)
  world.origin = await app.listen({ host: '127.0.0.1', port: options.port ?? 0 })
  refill()
  world.listeners.push(notifyOtherMembers(world), tellHooks(hooks))
  return { origin: world.origin, credentials, state: world.state, control, close: () => closeAll(app, hooks) }
}
