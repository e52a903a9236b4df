/** The HTTP side that both data-provider sandboxes share: recording, faults, key, limits, routes and control. */
import { setTimeout as wait } from 'node:timers/promises'
import fastify from 'fastify'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Problem } from './check.ts'
import { controlRoutes } from './control-routes.ts'
import { payloadOf, takeFault } from './faults.ts'
import type { Answer, Fault } from './faults.ts'
import type { Handled } from './find.ts'
import { admit } from './world.ts'
import type { Control, RecordedRequest, World } from './world.ts'

/** A parsed request to one endpoint. */
export type Call = { world: World; body: unknown }

/** How one provider speaks. */
export type Dialect = {
  apiKey: string
  /** The key as this provider expects it, or undefined when it is not there. */
  keyOf(headers: FastifyRequest['headers']): string | undefined
  keyPlace: string
  problemBody(problem: Problem): unknown
  /** Whether 429 says how long to wait. */
  retryAfter: boolean
  /** Header that tells the credits charged; absent where the body tells. */
  creditHeader?: string
  /** By "METHOD /path". */
  routes: Record<string, (call: Call) => Handled>
}

const problemAnswer = (dialect: Dialect, problem: Problem, headers: Record<string, string> = {}): Answer => ({
  status: problem.status,
  headers,
  body: dialect.problemBody(problem),
})

const countProblem = (world: World, status: number) => {
  const { refused } = world.counters
  if (status === 401) refused.badKey += 1
  else if (status === 402) refused.noCredits += 1
  else if (status === 429) refused.tooMany += 1
  else if (status !== 451) refused.badRequest += 1
}

const readJson = (text: string): { ok: true; value: unknown } | { ok: false } => {
  try {
    return { ok: true, value: JSON.parse(text) as unknown }
  } catch {
    return { ok: false }
  }
}

type Asked = {
  method: string
  path: string
  query: Record<string, string>
  headers: FastifyRequest['headers']
  text: string
}

/** What is wrong with the request before its endpoint reads the body. */
const admission = (dialect: Dialect, world: World, asked: Asked): { problem: Problem; headers?: Record<string, string> } | undefined => {
  if (dialect.keyOf(asked.headers) !== dialect.apiKey) {
    const message = `The API key is missing or unknown. It goes into ${dialect.keyPlace}.`
    return { problem: { status: 401, code: 'BAD_KEY', message } }
  }
  const waitMs = admit(world)
  if (waitMs > 0) {
    const headers = dialect.retryAfter ? { 'retry-after': String(Math.ceil(waitMs / 1000)) } : {}
    return { problem: { status: 429, code: 'TOO_MANY', message: 'Too many requests. Slow down and try again.' }, headers }
  }
  const routes = Object.keys(dialect.routes).map((route) => route.split(' '))
  const methods = routes.filter(([, path]) => path === asked.path).map(([method]) => method ?? '')
  if (methods.length === 0) {
    return { problem: { status: 404, code: 'NO_ENDPOINT', message: `There is no endpoint ${asked.path}.` } }
  }
  if (!methods.includes(asked.method)) {
    const problem = { status: 405, code: 'BAD_METHOD', message: `${asked.path} takes ${methods.join(', ')}.` }
    return { problem, headers: { allow: methods.join(', ') } }
  }
  const inQuery = Object.keys(asked.query)[0]
  if (inQuery !== undefined) {
    const place = asked.method === 'GET' ? 'This endpoint takes no parameters.' : 'Fields go into the JSON body.'
    return { problem: { status: 400, code: 'INVALID', message: `"${inQuery}" is in the query. ${place}`, field: inQuery } }
  }
  if (asked.method === 'GET') return undefined
  if (!/^application\/json\b/i.test(asked.headers['content-type'] ?? '')) {
    return { problem: { status: 415, code: 'NOT_JSON', message: 'The body has to be JSON, with content-type application/json.' } }
  }
  return readJson(asked.text).ok ? undefined : { problem: { status: 400, code: 'INVALID', message: 'The body is not valid JSON.' } }
}

const handle = (dialect: Dialect, world: World, asked: Asked, record: RecordedRequest): Answer => {
  const refusal = admission(dialect, world, asked)
  if (refusal !== undefined) {
    countProblem(world, refusal.problem.status)
    return problemAnswer(dialect, refusal.problem, refusal.headers)
  }
  const route = dialect.routes[`${asked.method} ${asked.path}`]
  if (route === undefined) throw new Error(`the route ${asked.path} was admitted but has no handler`)
  const handled = route({ world, body: record.body })
  const credits = handled.ok ? handled.credits : 0
  record.credits = credits
  const headers = dialect.creditHeader === undefined ? {} : { [dialect.creditHeader]: String(credits) }
  if (handled.ok) return { ...handled.answer, headers: { ...headers, ...handled.answer.headers } }
  countProblem(world, handled.problem.status)
  return problemAnswer(dialect, handled.problem, headers)
}

/** Fastify sends no body for null, but these providers do answer the JSON text "null". */
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
  raw.writeHead(answer.status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...answer.headers })
  raw.write(text.slice(0, Math.ceil(text.length / 2)), () => raw.socket?.resetAndDestroy())
}

const serveOne = async (dialect: Dialect, world: World, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  const url = new URL(request.raw.url ?? '/', 'http://sandbox.test')
  const text = typeof request.body === 'string' ? request.body : ''
  const asked: Asked = {
    method: request.method,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: request.headers,
    text,
  }
  const json = readJson(text)
  const record: RecordedRequest = {
    at: world.now(),
    method: asked.method,
    path: asked.path,
    query: asked.query,
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
    body: json.ok ? json.value : text,
    credits: 0,
  }
  world.requests.push(record)
  world.counters.requests += 1
  const route = `${asked.method} ${asked.path}`
  world.counters.byPath[route] = (world.counters.byPath[route] ?? 0) + 1
  const fault = takeFault(world.faults, asked.method, asked.path)
  if (fault?.delayMs !== undefined) await wait(fault.delayMs)
  // Nothing is carried out, so there is nothing to cut but an answer of the fault's own.
  const untouched = fault !== undefined && fault.when !== 'after' && (fault.answer !== undefined || fault.cut !== undefined)
  const answer = untouched ? (fault.answer ?? { status: 200, body: {} }) : handle(dialect, world, asked, record)
  const final = fault?.answer ?? answer
  if (fault?.cut !== undefined) return cut(reply, fault.cut, final)
  record.status = final.status
  send(reply, final)
}

const bodyLimit = 1_048_576

export type Running = { origin: string; close(): Promise<void> }

/** Listens on 127.0.0.1 only. `port` 0 takes a free one. */
export const serve = async (dialect: Dialect, world: World, control: Control, port: number): Promise<Running> => {
  const app = fastify({ bodyLimit, forceCloseConnections: true, exposeHeadRoutes: false })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const status = error.statusCode ?? 500
    send(reply, problemAnswer(dialect, { status, code: status === 500 ? 'SANDBOX' : 'INVALID', message: error.message }))
  })
  controlRoutes(app, control)
  app.all('/*', (request, reply) => serveOne(dialect, world, request, reply).then(() => reply))
  const origin = await app.listen({ host: '127.0.0.1', port })
  return { origin, close: () => app.close() }
}
