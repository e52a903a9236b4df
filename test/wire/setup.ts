import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll } from 'vitest'
import { createWire } from '../../shared/wire/index.ts'
import type { Account, Call, CallPolicy, Wire, WireOptions } from '../../shared/wire/index.ts'
import type { WireProfile } from '#kit'

export const secrets = { apiKey: 'marker-key-6f1c2ab94d', token: 'ATTAmarker/token+77e0c3d95b18' }

export const profileFor = (origin: string, over: Partial<WireProfile> = {}): WireProfile => ({
  profile: 'test',
  baseUrl: origin,
  auth: { 'key-token': { place: 'query', fields: { key: '{apiKey}', token: '{token}' } } },
  reserved: ['oauth_token', 'api_key'],
  pace: { limits: [{ per: 'connection', max: 10_000, windowMs: 1000 }], concurrency: 50 },
  timeouts: { connectMs: 500, headersMs: 500, bodyMs: 500, totalMs: 1500, deadlineMs: 4000 },
  maxReplyBytes: 10 * 1024 * 1024,
  errors: [],
  assumed: {},
  ...over,
})

export const account = (over: Partial<Account> = {}): Account => ({
  key: 't/conn',
  tenant: 't',
  appKey: 'test:app',
  type: 'key-token',
  secrets,
  ...over,
})

export const open: CallPolicy = { methods: ['GET', 'POST', 'PUT', 'DELETE'], under: '/1', deny: [] }

export const realOptions = (privateOrigins: string[]): WireOptions => ({
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => delay(ms, undefined, { signal }),
  random: () => 0.5,
  egress: { privateOrigins, production: false },
})

/** What a loopback server saw, and how it is told to answer. */
export type Sink = {
  origin: string
  seen: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[]
  connections: number
  answer: RequestListener
  close(): Promise<void>
}

const opened: (() => Promise<unknown>)[] = []
afterAll(async () => {
  await Promise.all(opened.splice(0).map((close) => close()))
})

export const listen = async (): Promise<Sink> => {
  const sink: Sink = {
    origin: '',
    seen: [],
    connections: 0,
    answer: (_, response) => reply(response, 200, { ok: true }),
    close: async () => undefined,
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      sink.seen.push({
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      })
      sink.answer(request, response)
    })
  })
  server.on('connection', () => (sink.connections += 1))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  sink.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  sink.close = () =>
    new Promise((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    })
  opened.push(sink.close)
  return sink
}

export const reply = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

export const wireTo = (origins: string[], over: Partial<WireOptions> = {}): Wire => {
  const wire = createWire({ ...realOptions(origins), ...over })
  opened.push(() => wire.close())
  return wire
}

export const callTo = (profile: WireProfile, over: Partial<Call> = {}): Call => ({
  integration: 'test-provider',
  profile,
  account: account(),
  method: 'GET',
  path: '/1/cards/x',
  effect: 'read',
  policy: open,
  ...over,
})

export const failureOf = async (promise: Promise<unknown>) => {
  try {
    await promise
  } catch (thrown) {
    return thrown as {
      code: string
      message: string
      details: {
        retryAfterMs?: number
        providerStatus?: number
        providerMessage?: string
        errors?: { pointer: string }[]
        retryable?: boolean
      }
      stack?: string
    }
  }
  throw new Error('It succeeded, but a failure was expected.')
}
