import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { describeDefect } from '#kit'
import { maxDeliveryBytes } from '../../pack.ts'
import type { Pack } from '../../pack.ts'
import type { Log } from '../../runtime/ports/index.ts'
import { countHostHeaders } from './address.ts'
import { problemOf, refusalOf, refuse } from './problem.ts'
import { requestIdOf } from './request-id.ts'

export const hookRoute = '/hooks/:integration/:hookId'
const address = /^\/hooks\/([\w.~-]{1,256})\/([\w.~-]{1,256})$/
const json = /^application\/json(?:;|$)/i

type DeliveryReceiverDependencies = {
  pack: Pick<Pack, 'receive'>
  log: Log
  /** Headers of every response. */
  headers: Record<string, string>
  /** Aborted when the server shuts down; new requests are refused then. */
  stopping: AbortSignal
  /** Whether connections are closed after their next response. */
  isEnding(): boolean
  /** Connections whose requests are refused. */
  refused: WeakSet<Socket>
  count(method: string, route: string, status: number, ms: number): void
}

/** Whether a delivery is ordinary: none of its headers could be a reason to refuse it. */
const isOrdinary = ({ headers }: IncomingMessage) => {
  const length = headers['content-length']
  return (
    length !== undefined &&
    /^[1-9]\d{0,6}$/.test(length) &&
    Number(length) <= maxDeliveryBytes &&
    headers['transfer-encoding'] === undefined &&
    headers.expect === undefined &&
    headers.upgrade === undefined &&
    json.test(headers['content-type'] ?? '')
  )
}

const readBody = (request: IncomingMessage, onBody: (body: Buffer) => void, onCut: () => void) => {
  const chunks: Buffer[] = []
  let isWhole = false
  request.on('data', (chunk: Buffer) => void chunks.push(chunk))
  request.on('end', () => {
    isWhole = true
    onBody(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
  })
  request.on('error', () => {})
  request.on('close', () => {
    if (!isWhole) onCut()
  })
}

/**
 * Answers ordinary deliveries before they reach Fastify, which would cost more than checking the signature. Any other
 * request to a hook's address goes to its route (`receiveRoutes`); both respond alike.
 */
export const receiveBeforeFramework = (
  app: FastifyInstance,
  { pack, log, headers, stopping, isEnding, refused, count }: DeliveryReceiverDependencies,
) => {
  // Only Fastify's own listener is replaced; those added after it observe every request.
  const framework = app.server.listeners('request')[0] as RequestListener
  const common = Object.entries(headers).flat()

  const receive = (request: IncomingMessage, response: ServerResponse, integration: string, hookId: string) => {
    const began = performance.now()
    const id = requestIdOf(request)
    const note = (status: number, code?: string) => {
      const ms = performance.now() - began
      log(status >= 500 ? 'warn' : 'info', 'request', {
        method: 'POST',
        route: hookRoute,
        status,
        durationMs: Math.round(ms),
        tenant: undefined,
        by: undefined,
        runId: undefined,
        code,
        request: id,
      })
      // Like Fastify's hooks: a response that nobody receives is logged, but not counted.
      if (!response.destroyed) count('POST', hookRoute, status, ms)
    }
    const send = (status: number, own: string[], body = '') => {
      const closing = isEnding() ? ['connection', 'close'] : []
      const always = ['x-request-id', id, 'content-length', String(Buffer.byteLength(body))]
      response.writeHead(status, [...own, ...common, ...closing, ...always])
      response.end(body)
    }
    const answer = ({ status, retryAfterS, body, contentType }: Awaited<ReturnType<Pack['receive']>>) => {
      const own = retryAfterS === undefined ? [] : ['retry-after', String(retryAfterS)]
      send(status, body === undefined ? own : [...own, 'content-type', contentType ?? 'text/plain'], body)
      note(status)
    }
    const fail = (thrown: unknown) => {
      const refusal = refusalOf(thrown)
      if (!refusal) log('error', 'http.defect', { request: id, ...describeDefect(thrown) })
      const failure =
        refusal?.failure ??
        refuse('internal', `Something went wrong on this server (request ${id}). Please report it with this id.`)
      const { status, headers: extra, body } = problemOf(failure, { status: refusal?.status, requestId: id })
      const own = Object.entries(extra ?? {}).flatMap(([name, value]) => [name, String(value)])
      send(status, [...own, 'content-type', 'application/problem+json'], JSON.stringify(body))
      note(status, body.code)
    }
    readBody(
      request,
      (body) =>
        pack
          .receive({ integration, hookId, method: 'POST', headers: request.headers, body, query: {} })
          .then(answer)
          .catch(fail),
      () => note(400),
    )
  }

  app.server.removeListener('request', framework)
  app.server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const named = request.method === 'POST' ? address.exec(request.url!) : null
    if (
      named &&
      isOrdinary(request) &&
      countHostHeaders(request.rawHeaders) === 1 &&
      !stopping.aborted &&
      !refused.has(request.socket)
    )
      receive(request, response, named[1]!, named[2]!)
    else framework.call(app.server, request, response)
  })
}
