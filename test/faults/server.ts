import { createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { createServer as createTlsServer, TLSSocket } from 'node:tls'
import type { TlsOptions } from 'node:tls'
import { gzipSync } from 'node:zlib'

/** A request as it reached the server. */
export type Asked = {
  method: string
  /** Path and query. */
  target: string
  headers: Record<string, string>
  body: string
  /** Ordinal over all requests. */
  number: number
  /** Ordinal among the requests with the same `x-item` (or method and path without it). */
  attempt: number
  at: number
}

/** How one exchange goes wrong. `execute` is called when the provider carries the request out. */
export type Fault = (request: Asked, socket: Socket, execute: () => void, answer: Answer) => void
export type Answer = (status: number, body: unknown, headers?: Record<string, string>) => void

export type FaultServer = {
  origin: string
  port: number
  requests: Asked[]
  /** How often each item was carried out: creates, charges. */
  done: Map<string, number>
  connections: number
  /** Chooses what happens to a request; `undefined`: it is answered well. */
  choose: (request: Asked) => Fault | undefined
  /** What happens to a new connection before it asks anything. */
  accept: (socket: Socket) => void
  /** Stops listening for a while: connections are refused, open ones live on. */
  refuseFor(ms: number): Promise<void>
  close(): Promise<void>
}

/** Ends a connection with a reset; TLS has no such thing. */
export const reset = (socket: Socket) => (socket instanceof TLSSocket ? socket.destroy() : socket.resetAndDestroy())

const reason = (status: number) => ({ 200: 'OK', 204: 'No Content', 429: 'Too Many Requests' })[status] ?? 'Status'

const httpDate = (ms: number) => new Date(ms).toUTCString()

const headText = (status: number, headers: Record<string, string>) =>
  `HTTP/1.1 ${status} ${reason(status)}\r\n${Object.entries({ date: httpDate(Date.now()), ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`

const answerOn =
  (socket: Socket): Answer =>
  (status, body, headers = {}) => {
    if (socket.destroyed) return
    const bytes = body instanceof Buffer ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
    const length: Record<string, string> = status === 204 ? {} : { 'content-length': String(bytes.length) }
    socket.write(headText(status, { 'content-type': 'application/json', ...length, ...headers }))
    if (status !== 204) socket.write(bytes)
  }

/** Reads requests off a socket. Only what our own client sends: a length, never chunks. */
const readRequests = (
  socket: Socket,
  onRequest: (request: Pick<Asked, 'method' | 'target' | 'headers' | 'body'>) => void,
) => {
  let buffered = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk])
    for (;;) {
      const end = buffered.indexOf('\r\n\r\n')
      if (end < 0) return
      const [first = '', ...lines] = buffered.toString('latin1', 0, end).split('\r\n')
      const headers = Object.fromEntries(
        lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
      )
      const length = Number(headers['content-length'] ?? 0)
      if (buffered.length < end + 4 + length) return
      const body = buffered.toString('utf8', end + 4, end + 4 + length)
      buffered = buffered.subarray(end + 4 + length)
      const [method = '', target = ''] = first.split(' ')
      onRequest({ method, target, headers, body })
    }
  })
}

/**
 * A provider on a real socket that can be told to go wrong in every way that matters; it counts what it carried out.
 */
export const startFaultServer = async (tls?: TlsOptions): Promise<FaultServer> => {
  const sockets = new Set<Socket>()
  const attempts = new Map<string, number>()
  const itemOf = ({ method, target, headers, body }: Pick<Asked, 'method' | 'target' | 'headers' | 'body'>) => {
    const named = /"item":"([^"]+)"/.exec(body)?.[1]
    return named ?? headers['x-item'] ?? `${method} ${target.split('?')[0]}`
  }

  const onSocket = (socket: Socket) => {
    server.connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    socket.setNoDelay(true)
    server.accept(socket)
    readRequests(socket, (request) => {
      const item = itemOf(request)
      const attempt = (attempts.get(item) ?? 0) + 1
      attempts.set(item, attempt)
      const receivedRequest: Asked = { ...request, number: server.requests.length + 1, attempt, at: performance.now() }
      server.requests.push(receivedRequest)
      const execute = () => {
        server.done.set(item, (server.done.get(item) ?? 0) + 1)
      }
      const answer = answerOn(socket)
      const fault = server.choose(receivedRequest)
      if (fault) return fault(receivedRequest, socket, execute, answer)
      execute()
      answer(200, { id: item, attempt })
    })
  }

  const create = (): Server => (tls ? createTlsServer(tls, onSocket) : createServer(onSocket))
  const listen = (listener: Server, port: number) =>
    new Promise<void>((resolve, reject) => {
      listener.once('error', reject)
      listener.listen(port, '127.0.0.1', () => resolve())
    })
  const stop = (listener: Server) => new Promise<void>((resolve) => listener.close(() => resolve()))

  let listener = create()
  await listen(listener, 0)
  const { port } = listener.address() as AddressInfo
  const server: FaultServer = {
    origin: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    requests: [],
    done: new Map(),
    connections: 0,
    choose: () => undefined,
    accept: () => undefined,
    async refuseFor(ms) {
      // `close` resolves only when the last connection ends, which is not awaited here.
      void stop(listener)
      await new Promise((resolve) => setTimeout(resolve, ms))
      listener = create()
      await listen(listener, port)
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await stop(listener)
    },
  }
  return server
}

type Odd = 'html' | 'login' | 'empty' | 'bom' | 'lines' | 'bomb' | 'text'
const odd: Record<Odd, () => [body: unknown, headers?: Record<string, string>]> = {
  html: () => ['<html><body>Sorry, maintenance</body></html>'],
  login: () => ['<!doctype html><title>Log in</title>', { 'content-type': 'text/html' }],
  empty: () => [''],
  bom: () => ['\ufeff{"id":"b"}'],
  lines: () => ['{"a":1}\n{"a":2}\n', { 'content-type': 'application/x-ndjson' }],
  text: () => ['invalid value for idList', { 'content-type': 'text/plain' }],
  bomb: () => [gzipSync(Buffer.alloc(64 * 1024 * 1024)), { 'content-encoding': 'gzip' }],
}
const oddBody = (kind: Odd): Fault => {
  const [body, headers] = odd[kind]()
  return (_, __, execute, answer) => {
    execute()
    answer(200, body, headers)
  }
}

const head = (socket: Socket, status: number, headers: Record<string, string>) =>
  socket.write(headText(status, { 'content-type': 'application/json', ...headers }))

/** `executed` decides whether the provider did what was asked before it went wrong. */
export const faults = {
  /** Closed before any byte of a reply. */
  closed:
    (executed: boolean): Fault =>
    (_, socket, execute) => {
      if (executed) execute()
      socket.destroy()
    },
  /** A kept connection that dies just as the request arrives. */
  reset:
    (executed: boolean): Fault =>
    (_, socket, execute) => {
      if (executed) execute()
      reset(socket)
    },
  silent:
    (executed: boolean): Fault =>
    (_, __, execute) => {
      if (executed) execute()
    },
  cutShort: (): Fault => (_, socket, execute) => {
    execute()
    head(socket, 200, { 'content-length': '1000' })
    socket.write('{"id":"half')
    setTimeout(() => reset(socket), 5)
  },
  dripping:
    (everyMs: number): Fault =>
    (_, socket, execute) => {
      execute()
      head(socket, 200, { 'content-length': '100000' })
      const drip = setInterval(() => socket.write(' '), everyMs)
      socket.on('close', () => clearInterval(drip))
    },
  bomb: (): Fault => oddBody('bomb'),
  wrongLength:
    (declared: 'long' | 'short'): Fault =>
    (_, socket, execute) => {
      execute()
      const body = '{"id":"abcdefgh"}'
      head(socket, 200, { 'content-length': String(body.length + (declared === 'long' ? 10 : -10)) })
      socket.write(body)
      if (declared === 'long') setTimeout(() => socket.end(), 5)
    },
  html: (): Fault => oddBody('html'),
  loginPage: (): Fault => oddBody('login'),
  empty: (): Fault => oddBody('empty'),
  noContent: (): Fault => (_, __, execute, answer) => {
    execute()
    answer(204, '')
  },
  interim:
    (interim: number, status: number): Fault =>
    (request, socket, execute, answer) => {
      execute()
      for (let index = 0; index < interim; index += 1) socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n')
      answer(status, { id: request.number })
    },
  retryAfter:
    (seconds: number): Fault =>
    (_, __, ___, answer) =>
      answer(429, { error: 'API_TOKEN_LIMIT_EXCEEDED' }, { 'retry-after': String(seconds) }),
  /** The provider's clock is `skewMs` off; the date is in its own time. */
  retryAfterDate:
    (seconds: number, skewMs = 0): Fault =>
    (_, __, ___, answer) => {
      const now = Math.floor((Date.now() + skewMs) / 1000) * 1000
      answer(
        429,
        { error: 'API_TOKEN_LIMIT_EXCEEDED' },
        { date: httpDate(now), 'retry-after': httpDate(now + seconds * 1000) },
      )
    },
  tooMany:
    (error = 'API_TOKEN_LIMIT_EXCEEDED'): Fault =>
    (_, __, ___, answer) =>
      answer(429, { error, message: 'Rate limit exceeded' }),
  broken:
    (status: number, executed: boolean): Fault =>
    (_, __, execute, answer) => {
      if (executed) execute()
      answer(status, { message: 'Something broke' })
    },
  busy:
    (seconds: number): Fault =>
    (_, __, ___, answer) =>
      answer(503, { message: 'Busy' }, { 'retry-after': String(seconds) }),
  refused:
    (status: number): Fault =>
    (_, __, ___, answer) =>
      answer(status, { message: `Refused with ${status}` }),
  redirect:
    (status: number, location: string): Fault =>
    (_, __, ___, answer) =>
      answer(status, '', { location }),
  odd: oddBody,
} as const
