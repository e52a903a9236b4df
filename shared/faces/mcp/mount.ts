import { isJsonContentType } from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { jsonExcess, inputLimits, sayExcess } from '#kit'
import type { JsonLimits } from '#kit'
import { whenGone } from '../http/client-abort.ts'
import { refuseForeign } from './origins.ts'
import type { Sender, Transport } from './transport.ts'

/** Room for the largest input of a step (1 MiB of records) and the protocol around it. */
const maxBody = 2 * 1_048_576

export type Mount = {
  paths: string[]
  transport: Transport
  publicUrl: string | undefined
  /** Who asks, or an answer sent: then undefined. */
  identify(request: FastifyRequest, reply: FastifyReply): Promise<Sender | undefined>
}

const tooMuch = (excess: keyof JsonLimits) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code: -32600, message: `Invalid Request: the request body holds ${sayExcess(excess, inputLimits)}` },
})
const parseError = { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error: the request body is not valid JSON' } }

const toRequest = (request: FastifyRequest, reply: FastifyReply): Request => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) for (const one of [value ?? []].flat()) headers.append(name, one)
  // The body is handed over parsed; what stands in the address beside path and query is of no use.
  return new Request(new URL(request.url, 'http://mcp.internal'), { method: request.method, headers, signal: whenGone(reply) })
}

/** Only what is said to be JSON is read as such; the protocol refuses the rest by its media type. */
const readBody = (body: unknown, type: string | undefined): { value: unknown } | { refusal: object } => {
  if (!Buffer.isBuffer(body) || !isJsonContentType(type)) return { value: undefined }
  const excess = jsonExcess(body, inputLimits)
  if (excess) return { refusal: tooMuch(excess) }
  try {
    return { value: JSON.parse(body.toString()) as unknown }
  } catch {
    return { refusal: parseError }
  }
}

/** Serves a transport at the given paths: refuses foreign pages, finds out who asks, and streams the answer. */
export const mountMcp = (app: FastifyInstance, { paths, transport, publicUrl, identify }: Mount) => {
  void app.register(async (scope) => {
    // Parse errors are the protocol's own matter, with words of its own.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBody }, (_request, body, done) => done(null, body))
    const senders = new WeakMap<FastifyRequest, Sender>()
    for (const url of paths) {
      scope.route({
        method: ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'],
        url,
        schema: { hide: true },
        config: { access: 'public' },
        bodyLimit: maxBody,
        onRequest: async (request, reply) => {
          refuseForeign({ host: request.headers.host, origin: request.headers.origin }, publicUrl)
          const sender = await identify(request, reply)
          if (sender === undefined) return reply
          senders.set(request, sender)
          return undefined
        },
        handler: async (request, reply) => {
          const body = readBody(request.body, request.headers['content-type'])
          if ('refusal' in body) return reply.code(400).send(body.refusal)
          return reply.send(await transport.serve(toRequest(request, reply), senders.get(request)!, body.value))
        },
      })
    }
    scope.addHook('preClose', async () => transport.release())
    scope.addHook('onClose', () => transport.close())
  })
}
