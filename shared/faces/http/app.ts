import type { Socket } from 'node:net'
import Fastify from 'fastify'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { validatorCompiler } from 'fastify-type-provider-zod'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { describeDefect, fail, jsonExcess, inputLimits, sayExcess } from '#kit'
import type { JsonLimits } from '#kit'
import type { Caller, Log } from '../../runtime/ports/index.ts'
import type { Pack } from '../../pack.ts'
import { createAddressOf } from './address.ts'
import { authorize } from './auth.ts'
import { answerClientError } from './client-error.ts'
import { answerWrongMethods } from './methods.ts'
import { connectPages, tellAddress } from './connect/routes.ts'
import { limitConnections } from './connection-cap.ts'
import { mcpRoutes } from './mcp.ts'
import { createMetrics } from './metrics.ts'
import { collectOpenApi } from './openapi.ts'
import { sendFailure } from './parts.ts'
import type { HttpApp, Routes } from './parts.ts'
import { refusalOf, refuse } from './problem.ts'
import { adminRoutes } from './routes/admin.ts'
import { catalogueRoutes } from './routes/catalogue.ts'
import { connectionRoutes } from './routes/connections.ts'
import { healthRoutes, metricsRoute } from './routes/health.ts'
import { inboxRoutes } from './routes/inbox.ts'
import { operatorRoutes } from './routes/operator.ts'
import { receiveRoutes } from './routes/receive.ts'
import { runRoutes } from './routes/runs.ts'
import { stepRoutes } from './routes/steps.ts'
import { streamRoutes } from './routes/stream.ts'
import { subscriptionRoutes } from './routes/subscriptions.ts'

export type HttpOptions = {
  pack: Pack
  version: string
  log?: Log | undefined
  /** Where this server is reached from outside, without a last "/"; the address of each request when absent. */
  publicUrl?: string | undefined
  /** The path under which a host application mounted it. */
  prefix?: string | undefined
  /** Most connections open at the same time; 4,000 when absent. */
  maxConnections?: number | undefined
  /** The metrics page tells of the whole process too: memory, event loop, garbage. */
  ofProcess?: boolean | undefined
}

const maxBody = 1_048_576
/** For headers, and for a whole request. The server looks for those who are late so often, else only every 30 s. */
const timeouts = { headersMs: 10_000, requestMs: 15_000, lookEveryMs: 1_000 }
const usualConnections = 4_000
const secureHeaders = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}
const silent: Log = () => {}

const everything: Routes[] = [
  catalogueRoutes,
  stepRoutes,
  connectionRoutes,
  subscriptionRoutes,
  inboxRoutes,
  streamRoutes,
  runRoutes,
  adminRoutes,
  operatorRoutes,
  healthRoutes,
  receiveRoutes,
]

const sendThrown = (request: FastifyRequest, reply: FastifyReply, thrown: unknown, log: Log) => {
  const refusal = refusalOf(thrown)
  if (refusal) return sendFailure(request, reply, refusal.failure, { status: refusal.status })
  log('error', 'http.defect', { request: request.id, ...describeDefect(thrown) })
  return sendFailure(request, reply, refuse('internal', `Something went wrong on our side (request ${request.id}). Report it with this id.`))
}

const create = (log: Log): FastifyInstance =>
  Fastify({
    bodyLimit: maxBody,
    requestTimeout: timeouts.requestMs,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    http: { headersTimeout: timeouts.headersMs, connectionsCheckingInterval: timeouts.lookEveryMs },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    genReqId: () => crypto.randomUUID(),
    requestIdHeader: false,
    routerOptions: { maxParamLength: 256 },
    clientErrorHandler: answerClientError as (error: Error, socket: Socket) => void,
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => void sendThrown(request, reply.headers(secureHeaders), error, log),
  })

const refuseExcess = (excess: keyof JsonLimits) =>
  fail(excess === 'depth' ? 'invalid_input' : 'too_large', `The request body holds ${sayExcess(excess, inputLimits)}. Send less at a time.`)

const largeAnswer = 512 * 1024

/** A large answer is turned into bytes in a turn of its own, so that others get in between. */
const breakUpAnswers = (app: FastifyInstance) =>
  app.addHook<unknown>('onSend', (_request, _reply, payload, done) => {
    if (typeof payload !== 'string' || payload.length < largeAnswer) return done(null, payload)
    setImmediate(() => {
      const bytes = Buffer.from(payload)
      setImmediate(() => done(null, bytes))
    })
    return undefined
  })

/** JSON only; an empty body is no body, since many clients say "application/json" on every request. */
const takeJsonOnly = (app: FastifyInstance) => {
  app.removeAllContentTypeParsers()
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined)
    const excess = jsonExcess(body as Buffer, inputLimits)
    if (excess) return done(refuseExcess(excess))
    void parse(request, body.toString(), done)
  })
}

const logRequests = (app: FastifyInstance, log: Log) => {
  const say = (request: FastifyRequest, reply: FastifyReply) => {
    // The route, not the address: a query may hold what does not belong in a log.
    const fields = {
      method: request.method,
      route: request.routeOptions.url ?? null,
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime),
      tenant: request.caller?.tenant,
      by: request.caller?.token,
      runId: request.runId,
      code: request.code,
      request: request.id,
    }
    log(reply.statusCode >= 500 ? 'warn' : 'info', 'request', fields)
  }
  app.addHook('onResponse', (request, reply, done) => {
    say(request, reply)
    done()
  })
  // An answer to a client that is gone is never sent, so it has no response to log at.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (reply.raw.destroyed) say(request, reply)
    done(null, payload)
  })
}

const refuseWhileStopping = (app: FastifyInstance) => {
  let isStopping = false
  app.addHook('preClose', async () => void (isStopping = true))
  app.addHook('onRequest', async () => {
    if (isStopping) throw fail('unavailable', 'The server is stopping. Send the request again in a moment.')
  })
  // A connection kept alive after the last answer would hold the stop up until its client lets go.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isStopping) reply.header('connection', 'close')
    done(null, payload)
  })
}

/** A server in front may read the other one of two hosts, so what it let pass would be another request here. */
const refuseTwoHosts = (app: FastifyInstance) => {
  app.addHook('onRequest', async ({ raw: { rawHeaders } }) => {
    let hosts = 0
    for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]!.length === 4 && rawHeaders[at]!.toLowerCase() === 'host') hosts += 1
    if (hosts > 1) throw fail('invalid_input', 'The request has more than one Host header. Send one.')
  })
}

/** The HTTP face of a pack: Fastify app with every route, ready to listen or to inject into. */
export const createHttp = async ({
  pack: given,
  version,
  log = silent,
  publicUrl,
  prefix,
  ofProcess = false,
  maxConnections,
}: HttpOptions): Promise<HttpApp> => {
  const app = create(log)
  limitConnections(app, maxConnections ?? usualConnections, log)
  const { pack, countRequests, page } = createMetrics(given, { version, ofProcess })
  app.setValidatorCompiler(validatorCompiler)
  // What the verbs give is already shaped by them; a second pass over every answer would only cost time.
  app.setSerializerCompiler(() => (value) => JSON.stringify(value))
  takeJsonOnly(app)
  app.decorateRequest('caller', null as unknown as Caller)
  app.decorateRequest('runId', undefined)
  app.decorateRequest('code', undefined)
  logRequests(app, log)
  breakUpAnswers(app)
  countRequests(app)
  app.addHook('onRequest', async (_request, reply) => void reply.headers(secureHeaders))
  refuseWhileStopping(app)
  refuseTwoHosts(app)
  app.addHook('onRequest', async (request) => {
    const { access } = request.routeOptions.config
    // No route that was found is open by oversight; the answer to an unknown one tells nothing.
    if (access === undefined && !request.is404) throw new Error('a route without access')
    const caller = await authorize(pack, access ?? 'public', request)
    if (caller) request.caller = caller
  })
  app.setErrorHandler((thrown, request, reply) => sendThrown(request, reply, thrown, log))
  app.setNotFoundHandler((request, reply) =>
    sendFailure(request, reply, refuse('not_found', 'There is nothing at this address. GET /openapi.json lists what there is.')),
  )
  await collectOpenApi(app, { registry: pack.registry, version })
  const addressOf = createAddressOf({ publicUrl, prefix })
  const wrongMethods = answerWrongMethods(app)
  const typed = app.withTypeProvider<ZodTypeProvider>()
  for (const addRoutes of everything) addRoutes(typed, { pack, addressOf })
  metricsRoute(typed, page)
  connectPages(typed, { pack })
  tellAddress(typed, pack, publicUrl)
  mcpRoutes(typed, { pack, version, log, publicUrl, addressOf })
  wrongMethods()
  await app.ready()
  return typed
}
