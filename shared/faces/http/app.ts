import type { Socket } from 'node:net'
import Fastify from 'fastify'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify'
import { validatorCompiler } from 'fastify-type-provider-zod'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { createTurns, describeDefect, fail, isUnauthenticated, jsonExcess, inputLimits, sayExcess } from '#kit'
import type { JsonLimits } from '#kit'
import type { Caller, Log } from '../../runtime/ports/index.ts'
import { healthOperations } from '../../api/operations/health.ts'
import { aliasesOf } from '../../api/resources/fields.ts'
import type { Aliases } from '../../api/resources/fields.ts'
import type { Brand } from '../../api/resources/brand.ts'
import type { ServerAbout } from '../../api/resources/server.ts'
import { maxDeliveryBytes } from '../../pack.ts'
import type { Pack } from '../../pack.ts'
import { countHostHeaders, createAddressOf, createBrowserAddressOf } from './address.ts'
import { createAuthenticate, createAuthorize } from './auth.ts'
import type { Authorize } from './auth.ts'
import { respondToClientError } from './client-error.ts'
import { handlersOf } from './handlers/index.ts'
import { limitBodyTime } from './body-time.ts'
import { receiveBeforeFramework } from './deliveries.ts'
import { rejectWrongMethods } from './methods.ts'
import { consoleRoutes } from './console.ts'
import type { ConsoleFiles } from './console.ts'
import { addOperations } from './operations.ts'
import type { RouteOptions } from './operations.ts'
import { connectPages, reportAddress } from './connect/routes.ts'
import { loginRoutes } from './login/routes.ts'
import { challengeOf } from './oauth/resource.ts'
import { oauthRoutes } from './oauth/routes.ts'
import { limitConnections, tooManyConnections } from './connection-cap.ts'
import { createMetrics } from './metrics.ts'
import type { Metrics } from './metrics.ts'
import { sendFailure } from './parts.ts'
import type { HttpApp, HttpDependencies } from './parts.ts'
import { refusalOf, refuse } from './problem.ts'
import { receiveRoutes } from './receive.ts'
import { recordRoutes } from './record.ts'
import type { Recorder } from './record.ts'
import { requestIdOf } from './request-id.ts'
import { createSessionCookie } from './session-cookie.ts'
import type { SessionCookie } from './session-cookie.ts'
import type { HttpTracing } from './tracing.ts'
import { isUpload } from './upload.ts'

export type HttpOptions = {
  pack: Pack
  version: string
  /** Tells builds of a version apart in the metrics; '' when absent. */
  build?: string | undefined
  log?: Log | undefined
  /** Address of this server from outside, without a trailing "/"; when absent, the address that each request uses. */
  publicUrl?: string | undefined
  /** The path under which a host application mounted this server. */
  prefix?: string | undefined
  /** Addresses of reverse proxies whose X-Forwarded headers are trusted; none when absent. */
  trustedProxies?: string[] | undefined
  /** Maximum number of open connections; 4,000 when absent. */
  maxConnections?: number | undefined
  /** Adds metrics of the whole process: memory, event loop, garbage collection. */
  ofProcess?: boolean | undefined
  /** Adds a route that runs a step and responds with the run as an example case. */
  recorder?: Recorder | undefined
  /** Reads the files of the console; called at the first request for one. Without it, there is no console. */
  console?: (() => Promise<ConsoleFiles>) | undefined
  /** What the pages to connect, sign in and let programs in look like. */
  brand?: Brand | undefined
  /** Origins whose pages may show the connect pages in a frame, and are told how they ended; none when absent. */
  embedOrigins?: readonly string[] | undefined
  /** Where the sandbox listens, if there is one. */
  sandbox?: ServerAbout['sandbox'] | undefined
  /** Serves MCP too; true when absent. The MCP library takes a while to load. */
  mcp?: boolean | undefined
  /** Adds a span to each request. */
  tracing?: HttpTracing | undefined
}

const maxBody = 1_048_576
/** Requests with a body that are begun in one turn of the event loop: a run costs it a third to one millisecond. */
const requestsPerTurn = 4
/**
 * Time limits for the headers, for a body, and for a whole request, the longest of which is an upload. Node checks its
 * own limits every 30 s by default.
 */
const timeouts = { headersMs: 10_000, bodyMs: 15_000, requestMs: 600_000, checkEveryMs: 1_000 }
const defaultMaxConnections = 4_000
const secureHeaders = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}
const silent: Log = () => {}

const sendThrown = (
  request: FastifyRequest,
  reply: FastifyReply,
  thrown: unknown,
  log: Log,
  challenge?: (request: FastifyRequest) => Record<string, string>,
) => {
  const refusal = refusalOf(thrown)
  if (refusal) {
    const headers = isUnauthenticated(refusal.failure) ? challenge?.(request) : undefined
    return sendFailure(request, reply, refusal.failure, { status: refusal.status, headers })
  }
  log('error', 'http.defect', { request: request.id, ...describeDefect(thrown) })
  return sendFailure(
    request,
    reply,
    refuse('internal', `Something went wrong on this server (request ${request.id}). Please report it with this id.`),
  )
}

/**
 * Zod validates requests. What the pack returns has its final shape; validating every response again would only cost
 * time. Passing these compilers keeps Fastify from loading its own, which takes a while.
 */
const compilersFactory = {
  buildValidator: () => validatorCompiler,
  buildSerializer: () => () => JSON.stringify,
} as unknown as NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>

const create = (log: Log, trustedProxies: string[]): FastifyInstance =>
  Fastify({
    bodyLimit: maxBody,
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    requestTimeout: timeouts.requestMs,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    http: { headersTimeout: timeouts.headersMs, connectionsCheckingInterval: timeouts.checkEveryMs },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    genReqId: requestIdOf,
    requestIdHeader: false,
    routerOptions: { maxParamLength: 256 },
    schemaController: { compilersFactory },
    clientErrorHandler: respondToClientError as (error: Error, socket: Socket) => void,
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) =>
      void sendThrown(request, reply.headers(secureHeaders).header('x-request-id', request.id), error, log),
  })

const refuseExcess = (excess: keyof JsonLimits) =>
  fail(
    excess === 'depth' ? 'invalid_input' : 'too_large',
    `The request body holds ${sayExcess(excess, inputLimits)}. Split it into several requests.`,
  )

/**
 * Accepts JSON only. An empty body counts as no body, since many clients send "application/json" with every request.
 */
const acceptJsonOnly = (app: FastifyInstance) => {
  app.removeAllContentTypeParsers()
  const parse = app.getDefaultJsonParser('error', 'error')
  type Done = (error: Error | null, body?: unknown) => void
  const begin = createTurns(requestsPerTurn, (request: FastifyRequest, body: Buffer, done: Done) => {
    if (body.length === 0) return done(null, undefined)
    const excess = jsonExcess(body, inputLimits)
    if (excess) return done(refuseExcess(excess))
    void parse(request, body.toString(), done)
  })
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, begin)
}

/** Asked every few seconds by whatever watches the server; a line for each would bury the others. */
const probes = new Set<string>([healthOperations.live.path, healthOperations.ready.path])

/** Logs the route, not the URL: a query may hold values that do not belong in a log. Of probes it logs failures alone. */
const logRequest = (log: Log, request: FastifyRequest, reply: FastifyReply) => {
  const { route } = request
  if (route !== null && probes.has(route) && reply.statusCode < 400) return
  log(reply.statusCode >= 500 ? 'warn' : 'info', 'request', {
    method: request.method,
    route,
    status: reply.statusCode,
    durationMs: Math.round(reply.elapsedTime),
    tenant: request.caller?.tenant,
    by: request.caller?.token,
    runId: request.runId,
    code: request.code,
    request: request.id,
  })
}

type Entrance = {
  /** Connections whose requests are refused. */
  refused: WeakSet<Socket>
  authorize: Authorize
  /** Aborted when the server shuts down. */
  stopping: AbortSignal
}

/** Everything that a request has to pass before its body is read. */
const guardEntrance = (app: FastifyInstance, { refused, authorize, stopping }: Entrance) =>
  app.addHook('onRequest', async (request, reply) => {
    // Fastify makes an object of them each time they are read.
    const { url, config } = request.routeOptions
    request.route = url ?? null
    reply.headers(secureHeaders).header('x-request-id', request.id)
    if (refused.has(request.raw.socket)) {
      reply.header('connection', 'close')
      throw tooManyConnections()
    }
    if (stopping.aborted) throw fail('unavailable', 'The server is shutting down. Send the request again in a moment.')
    // With two Host headers, a proxy in front may route by the other one than we read.
    if (countHostHeaders(request.raw.rawHeaders) > 1)
      throw fail('invalid_input', 'The request has more than one Host header. Send exactly one.')
    const { access } = config
    // A route must declare its access; an unknown address reveals nothing.
    if (access === undefined && !request.is404) throw new Error('a route without access')
    const caller = await authorize(access ?? 'public', request)
    if (caller) request.caller = caller
  })

const largeResponse = 512 * 1024

type Exit = { log: Log; count: Metrics['countRequest']; isEnding: () => boolean }

/** What is done with every response, before and after it is sent. */
const finishResponses = (app: FastifyInstance, { log, count, isEnding }: Exit) => {
  app.addHook<unknown>('onSend', (request, reply, payload, done) => {
    // A response to a client that has disconnected is never sent, so onResponse does not run for it.
    if (reply.raw.destroyed) logRequest(log, request, reply)
    // A client that reuses a connection just as it is closed would lose that request, and would delay the shutdown.
    if (isEnding()) reply.header('connection', 'close')
    if (typeof payload !== 'string' || payload.length < largeResponse) return done(null, payload)
    // A large response is encoded in a turn of its own, so that other requests are served in between.
    setImmediate(() => {
      const bytes = Buffer.from(payload)
      setImmediate(() => done(null, bytes))
    })
    return undefined
  })
  app.addHook('onResponse', (request, reply, done) => {
    logRequest(log, request, reply)
    count(request.method, request.route ?? 'none', reply.statusCode, reply.elapsedTime)
    done()
  })
}

/** The OpenAPI document, built at the first request for it, since the generator takes a while to load. */
const documentOf = (about: {
  registry: Pack['registry']
  version: string
  aliases: Aliases
}): HttpDependencies['document'] => {
  let document: Promise<object> | undefined
  const describe = async () => (await import('./openapi.ts')).describeOperations(about)
  return () =>
    (document ??= describe().catch((error: unknown) => {
      document = undefined
      throw error
    }))
}

const optionsOf = (cookie: SessionCookie): RouteOptions => ({
  // The text of the largest delivery may double in size as JSON.
  previewDelivery: { bodyLimit: 2 * maxDeliveryBytes },
  // Checked before the body is read.
  signIn: { onRequest: async (request) => cookie.refuseForeign(request) },
})

/** The HTTP face of a pack: a Fastify app with every route, ready to listen or to inject into. */
export const createHttp = async ({
  pack: givenPack,
  version,
  build = '',
  log = silent,
  publicUrl,
  prefix,
  ofProcess = false,
  mcp = true,
  maxConnections,
  trustedProxies = [],
  recorder,
  console: readConsole,
  sandbox = null,
  brand = {},
  embedOrigins = [],
  tracing,
}: HttpOptions): Promise<HttpApp> => {
  const app = create(log, trustedProxies)
  limitBodyTime(app, timeouts.bodyMs, isUpload)
  const { refused } = limitConnections(app, maxConnections ?? defaultMaxConnections, log)
  const traced = tracing && (await import('./traced.ts')).createTraced(tracing)
  traced?.addHooks(app)
  const { pack, countRequest, page } = createMetrics(traced?.packOf(givenPack) ?? givenPack, {
    version,
    build,
    ofProcess,
    log,
  })
  const cookie = createSessionCookie(createBrowserAddressOf({ publicUrl, prefix }))
  const { oauth } = pack
  const authenticate = createAuthenticate(pack, cookie)
  const authorize = createAuthorize(pack, authenticate)
  acceptJsonOnly(app)
  app.decorateRequest('caller', null as unknown as Caller)
  app.decorateRequest('session', undefined)
  app.decorateRequest('route', null)
  app.decorateRequest('runId', undefined)
  app.decorateRequest('code', undefined)
  const stop = new AbortController()
  const stopping = stop.signal
  // A stream never ends by itself, so a stop would wait for it.
  app.addHook('preClose', async () => stop.abort())
  const isEnding = () => stopping.aborted || pack.isLeaving()
  guardEntrance(app, { refused, authorize, stopping })
  finishResponses(app, { log, count: countRequest, isEnding })
  const addressOf = createAddressOf({ publicUrl, prefix })
  const challenge = oauth && ((request: FastifyRequest) => challengeOf(addressOf(request)))
  app.setErrorHandler((thrown, request, reply) => sendThrown(request, reply, thrown, log, challenge))
  app.setNotFoundHandler((request, reply) =>
    sendFailure(
      request,
      reply,
      refuse('not_found', 'Nothing exists at this address. GET /openapi.json lists all routes.'),
    ),
  )
  const addMethodErrors = rejectWrongMethods(app)
  const typed = app.withTypeProvider<ZodTypeProvider>()
  const aliases = aliasesOf(pack.registry.all.map(({ integration }) => integration))
  const about = {
    version,
    publicUrl: publicUrl ?? null,
    contentsKept: pack.contentsKept,
    creditPrices: pack.creditPrices,
    sandbox,
  }
  const document = documentOf({ registry: pack.registry, version, aliases })
  const handlers = handlersOf({ pack, addressOf, authenticate, cookie, about, stopping, document, metricsPage: page })
  addOperations(typed, aliases, handlers, optionsOf(cookie))
  receiveRoutes(typed, pack)
  connectPages(typed, { pack, brand, embedOrigins })
  reportAddress(typed, pack, publicUrl)
  loginRoutes(typed, { pack, addressOf, cookie, brand })
  if (oauth) oauthRoutes(typed, { pack, oauth, addressOf, cookie, publicUrl, brand })
  if (readConsole) consoleRoutes(typed, { addressOf, read: readConsole, login: pack.login?.name })
  if (recorder) recordRoutes(typed, pack, recorder)
  if (mcp)
    (await import('./mcp.ts')).mcpRoutes(typed, { pack, version, log, publicUrl, addressOf, authenticate, authorize })
  receiveBeforeFramework(app, {
    pack,
    log,
    headers: secureHeaders,
    stopping,
    isEnding,
    refused,
    count: countRequest,
  })
  traced?.listen(app)
  // Routes with their own parsers are registered only by then.
  await app.after()
  addMethodErrors()
  await app.ready()
  return typed
}
