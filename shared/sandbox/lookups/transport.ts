/**
 * The HTTP side of every data-provider sandbox: recording, faults and control. The vendor's dialect determines the
 * answers.
 */
import { setTimeout as wait } from 'node:timers/promises'
import fastify from 'fastify'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { controlRoutes } from './control-routes.ts'
import type { Verb } from './control-routes.ts'
import { payloadOf, takeFault } from './faults.ts'
import type { Answer, Fault } from './faults.ts'
import type { Control, RecordedRequest, World } from './world.ts'

/** A request as it arrived. */
export type IncomingRequest = {
  method: string
  path: string
  /** The query; for a repeated name, the last value. */
  query: Record<string, string>
  /** The complete query, including repeated names. */
  search: URLSearchParams
  headers: FastifyRequest['headers']
  /** The raw body. */
  text: string
  /** The body parsed as JSON, if it is valid. */
  json: { ok: true; value: unknown } | { ok: false }
}

/** Answers a request, and notes in its record what it was charged. */
export type Answerer = (request: IncomingRequest, record: RecordedRequest) => Answer

/**
 * All answers of one vendor. `broken`: the answer to a malformed request, such as one with too large a body. `verbs`:
 * further control functions. `reset`, `stop`: for a vendor that does something by itself.
 */
export type Answers = {
  answer: Answerer
  broken(status: number, message: string): Answer
  verbs?: Record<string, Verb>
  reset?(): void
  stop?(): void
}

const readJson = (text: string): IncomingRequest['json'] => {
  try {
    return { ok: true, value: JSON.parse(text) as unknown }
  } catch {
    return { ok: false }
  }
}

/**
 * Serializes the body here, because Fastify sends no body for null, whereas these providers answer the JSON text
 * "null".
 */
const send = (reply: FastifyReply, answer: Answer): void => {
  const headers = { 'content-type': 'application/json; charset=utf-8', ...answer.headers }
  void reply.code(answer.status).headers(headers).send(payloadOf(answer))
}

const cut = (reply: FastifyReply, how: NonNullable<Fault['cut']>, answer: Answer): void => {
  reply.hijack()
  const { raw } = reply
  if (how === 'hang') return
  if (how === 'reset') {
    raw.socket?.resetAndDestroy()
    return
  }
  const text = payloadOf(answer)
  raw.writeHead(answer.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...answer.headers,
  })
  raw.write(text.slice(0, Math.ceil(text.length / 2)), () => raw.socket?.resetAndDestroy())
}

const readRequest = (request: FastifyRequest): IncomingRequest => {
  const { pathname, searchParams } = new URL(request.raw.url ?? '/', 'http://sandbox.test')
  const text = typeof request.body === 'string' ? request.body : ''
  return {
    method: request.method,
    path: pathname,
    query: Object.fromEntries(searchParams),
    search: searchParams,
    headers: request.headers,
    text,
    json: readJson(text),
  }
}

const record = (world: World, { method, path, query, headers, text, json }: IncomingRequest): RecordedRequest => {
  const made: RecordedRequest = {
    at: world.now(),
    method,
    path,
    query,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    body: json.ok ? json.value : text,
    credits: 0,
  }
  world.requests.push(made)
  world.counters.requests += 1
  const route = `${method} ${path}`
  world.counters.byPath[route] = (world.counters.byPath[route] ?? 0) + 1
  return made
}

const serveOne = async (
  answerOf: Answerer,
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> => {
  const parsedRequest = readRequest(request)
  const recorded = record(world, parsedRequest)
  const fault = takeFault(world.faults, parsedRequest.method, parsedRequest.path)
  if (fault?.delayMs !== undefined) await wait(fault.delayMs)
  // The request is not carried out, so only the fault's own answer can be cut.
  const untouched =
    fault !== undefined && fault.when !== 'after' && (fault.answer !== undefined || fault.cut !== undefined)
  const answer = untouched ? (fault.answer ?? { status: 200, body: {} }) : answerOf(parsedRequest, recorded)
  const completed = answer.complete === undefined ? answer : { ...answer, body: await answer.complete() }
  const final = fault?.answer ?? completed
  if (fault?.cut !== undefined) return cut(reply, fault.cut, final)
  recorded.status = final.status
  send(reply, final)
}

const bodyLimit = 1_048_576

export type Running = { origin: string; close(): Promise<void> }

/** Listens on 127.0.0.1 only. With `port` 0, the system chooses a free port. */
export const serveAnswers = async (
  { answer, broken, verbs, stop }: Answers,
  world: World,
  control: Control,
  port: number,
): Promise<Running> => {
  const app = fastify({ bodyLimit, forceCloseConnections: true, exposeHeadRoutes: false })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  // The sandbox's own clock, which limits and resets use.
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('date', new Date(world.now()).toUTCString())
  })
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) =>
    send(reply, broken(error.statusCode ?? 500, error.message)),
  )
  controlRoutes(app, control, verbs)
  app.all('/*', (request, reply) => serveOne(answer, world, request, reply).then(() => reply))
  const origin = await app.listen({ host: '127.0.0.1', port })
  const close = () => {
    stop?.()
    return app.close()
  }
  return { origin, close }
}
