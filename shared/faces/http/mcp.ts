import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isNotAllowed, lacksAccess, toFailureJson } from '#kit'
import type { FailureJson } from '#kit'
import type { UrlFilter, Endpoint, EndpointOptions } from '../mcp/endpoint.ts'
import { refuseForeign } from './mcp-origins.ts'
import type { Sender, Transport } from '../mcp/transport.ts'
import type { Pack } from '../../pack.ts'
import type { AddressOf } from './address.ts'
import { bearerOf } from './auth.ts'
import type { Authenticate, Authorize } from './auth.ts'
import { signalClientAbort } from './client-abort.ts'
import { sendProblem } from './parts.ts'
import type { HttpApp } from './parts.ts'
import { problemOf, refuse } from './problem.ts'
import { whileAllowed } from './while-allowed.ts'

/** Fits the largest input of a step (1 MiB of records) and the protocol around it. */
const maxBody = 2 * 1_048_576
const wellKnown = '/.well-known/oauth-protected-resource'

export type Mount = {
  paths: string[]
  transport: Transport
  publicUrl: string | undefined
  /** Whether connections are to be closed after their next response. */
  isLeaving?: (() => boolean) | undefined
  /** Identifies the sender of a request; undefined when the request was answered already. */
  identify(request: FastifyRequest, reply: FastifyReply): Promise<Sender | undefined>
  /** Aborted once the sender of a request is no longer allowed what it was allowed; absent: never. */
  watch?(request: FastifyRequest, reply: FastifyReply): AbortSignal
  /** Answers a message that needs more scopes than its sender has; false: it does not. */
  askForMore?(request: FastifyRequest, reply: FastifyReply, message: unknown): Promise<boolean>
}
export type McpRoutes = EndpointOptions & {
  publicUrl: string | undefined
  addressOf: AddressOf
  authenticate: Authenticate
  authorize: Authorize
}

const toRequest = (request: FastifyRequest, reply: FastifyReply): Request => {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined) headers[name] = typeof value === 'string' ? value : value.join(', ')
  // The parsed body is passed separately, and only path and query of the address are used.
  const url = request.url.startsWith('/')
    ? `http://mcp.internal${request.url}`
    : new URL(request.url, 'http://mcp.internal')
  return new Request(url, { method: request.method, headers, signal: signalClientAbort(reply) })
}

const methodOf = (message: unknown): unknown => (message as { method?: unknown } | undefined)?.method

/** Whether the answer is a stream that waits for changes, which neither side ends. */
const waits = (request: FastifyRequest, message: unknown): boolean =>
  request.method === 'GET' || methodOf(message) === 'subscriptions/listen'

/**
 * The same stream, which ends as if there were nothing more to send. A comment comes first, so that the client and the
 * proxies in between see at once that it is open.
 */
const endedBy = (watch: () => AbortSignal, answer: Response): Response => {
  if (!answer.body || !answer.headers.get('content-type')?.startsWith('text/event-stream')) return answer
  const signal = watch()
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  writer.write(Buffer.from(': open\n\n')).catch(() => undefined)
  writer.releaseLock()
  // Cancels the source, so that it counts as closed by its client.
  answer.body.pipeTo(writable, { signal, preventAbort: true }).catch(() => writable.close().catch(() => undefined))
  return new Response(readable, { status: answer.status, headers: answer.headers })
}

/** Serves a transport at the given paths: refuses foreign pages, identifies the sender, and streams the response. */
export const mountMcp = (
  app: FastifyInstance,
  { paths, transport, publicUrl, isLeaving, identify, watch, askForMore }: Mount,
) => {
  let endpoint: Promise<typeof import('../mcp/endpoint.ts')> | undefined
  void app.register(async (scope) => {
    // The protocol defines its own parse errors.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBody }, (_request, body, done) =>
      done(null, body),
    )
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
          const { readMessage } = await (endpoint ??= import('../mcp/endpoint.ts'))
          const body = readMessage(request.body, request.headers['content-type'])
          if ('refusal' in body) return reply.code(400).send(body.refusal)
          if (await askForMore?.(request, reply, body.value)) return reply
          const answer = await transport.serve(toRequest(request, reply), senders.get(request)!, body.value)
          // The transport asks to keep the connection open, which a server that is stopping does not.
          if (isLeaving?.()) answer.headers.delete('connection')
          const isWatched = watch !== undefined && waits(request, body.value)
          return reply.send(isWatched ? endedBy(() => watch(request, reply), answer) : answer)
        },
      })
    }
    scope.addHook('preClose', async () => transport.release())
    scope.addHook('onClose', () => transport.close())
  })
}

const pathOf = (request: FastifyRequest) => new URL(request.url, 'http://mcp.internal').pathname

/** The tool that a message calls. */
const toolIn = (message: unknown): string | undefined => {
  const { params } = (message ?? {}) as { params?: { name?: unknown } }
  return methodOf(message) === 'tools/call' && typeof params?.name === 'string' ? params.name : undefined
}

/** A refusal that tells the host where it can request access (RFC 9728). */
const sendChallenge = (
  request: FastifyRequest,
  reply: FastifyReply,
  { failure, addressOf, scopes }: { failure: FailureJson; addressOf: AddressOf; scopes: readonly string[] | undefined },
) => {
  const path = pathOf(request)
  const error = isNotAllowed(failure)
    ? 'error="insufficient_scope", '
    : bearerOf(request) === ''
      ? ''
      : 'error="invalid_token", '
  const scope = scopes === undefined ? '' : `scope="${scopes.join(' ')}", `
  const problem = problemOf(failure, { requestId: request.id })
  const challenge = `Bearer realm="toolyard", ${error}${scope}resource_metadata="${addressOf(request)}${wellKnown}${path}"`
  return sendProblem(request, reply, { ...problem, headers: { ...problem.headers, 'www-authenticate': challenge } })
}

/** Where hosts get tokens: at the operator's identity provider alone, where there is one. */
const serversAt = ({ issuer, oauth }: Pack, address: string) => {
  const server = issuer ?? (oauth ? address : undefined)
  return server === undefined ? {} : { authorization_servers: [server] }
}
/** The parts of "run" let a host ask for less, and for more when it needs it. */
const mcpScopes = ['run', 'read', 'run:read', 'run:write', 'run:spend']

/** MCP at `/mcp` and `/mcp/{integration}`, and the metadata that tells hosts how to get access. */
export const mcpRoutes = (app: HttpApp, { publicUrl, addressOf, authenticate, authorize, ...options }: McpRoutes) => {
  const { pack } = options
  // The protocol's library is loaded at the first request, to save time and memory until then.
  let opened: Promise<Endpoint> | undefined
  const endpoint = () => (opened ??= import('../mcp/endpoint.ts').then(({ createEndpoint }) => createEndpoint(options)))
  const transport: Transport = {
    serve: async (...callArguments) => (await endpoint()).transport.serve(...callArguments),
    release: () => void opened?.then((openedEndpoint) => openedEndpoint.transport.release()),
    close: async () => (await opened)?.transport.close(),
  }

  const identify = async (request: FastifyRequest, reply: FastifyReply): Promise<Sender | undefined> => {
    try {
      const caller = (await authorize(['run', 'read'], request))!
      request.caller = caller
      const { integration } = request.params as Pick<UrlFilter, 'integration'>
      const { tools, set, approved } = request.query as Omit<UrlFilter, 'integration'>
      return (await endpoint()).senderFor(caller, { integration, tools, set, approved })
    } catch (thrown) {
      if (!lacksAccess(thrown)) throw thrown
      const failure = toFailureJson(thrown)
      // What a host asks for that says nothing else; the person may leave less.
      const scopes = isNotAllowed(failure) ? ['run'] : pack.oauth ? ['run', 'read'] : undefined
      sendChallenge(request, reply, { failure, addressOf, scopes })
      return undefined
    }
  }

  const askForMore = async (request: FastifyRequest, reply: FastifyReply, message: unknown) => {
    const tool = toolIn(message)
    if (tool === undefined || !pack.oauth || !request.caller.token?.startsWith('grant_')) return false
    const scopes = await (await pack.oauth.load()).toAskFor(request.caller, tool, pathOf(request))
    if (!scopes) return false
    const failure = refuse(
      'not_allowed',
      `The tool ${tool.slice(0, 128)} needs more than this program was let do. Sign in again to allow it.`,
    )
    sendChallenge(request, reply, { failure, addressOf, scopes })
    return true
  }

  const { isLeaving } = pack
  const watch: Mount['watch'] = (request, reply) => whileAllowed(authenticate, request, reply)
  const paths = ['/mcp', '/mcp/:integration']
  mountMcp(app, { paths, transport, publicUrl, isLeaving, identify, watch, askForMore })
  for (const path of ['', '/mcp', '/mcp/:integration']) {
    app.get(`${wellKnown}${path}`, { config: { access: 'public' }, schema: { hide: true } }, async (request) => {
      const { integration } = request.params as { integration?: string }
      if (integration !== undefined) pack.registry.integration(integration)
      return {
        resource: `${addressOf(request)}/mcp${integration === undefined ? '' : `/${integration}`}`,
        resource_name: 'toolyard',
        ...serversAt(pack, addressOf(request)),
        bearer_methods_supported: ['header'],
        scopes_supported: pack.oauth ? mcpScopes : ['run', 'read'],
      }
    })
  }
}
