import type { Readable, Writable } from 'node:stream'
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
} from '@modelcontextprotocol/server'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { fail, oneLine } from '#kit'
import { requireToolSet } from '../../pack.ts'
import type { Pack } from '../../pack.ts'
import type { Caller, Log } from '../../runtime/ports/index.ts'
import type { EventSource } from './events.ts'
import { createMcp } from './server.ts'
import { isHash } from './tools.ts'

/** The part of the pack that is offered: everything, one integration, or some tools. */
export type Offered = {
  integration: string | undefined
  tools: string[] | undefined
  /** Tool set to list; `core` by default. */ set?: string | undefined
  /** Hash of the approved tool list. */ approved?: string | undefined
}
export type Channel = {
  input: Readable
  output: Writable
  /** Ends the connection from this side when aborted. */ signal: AbortSignal
}

const ended = (transport: StdioServerTransport, signal: AbortSignal) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const previous = transport.onclose
  transport.onclose = () => {
    previous?.()
    resolve()
  }
  if (signal.aborted) void transport.close()
  signal.addEventListener('abort', () => void transport.close(), { once: true })
  return promise
}

/**
 * Serves a pack over standard input and output, in both protocol eras, until the host closes the input.
 * @throws Failure `not_found` for an unknown integration, `invalid_input` for an unknown tool or set, or a malformed
 * hash
 */
export const serveOverStdio = async (
  pack: Pack,
  options: { caller: Caller; version: string; log: Log; events?: EventSource | undefined } & Offered,
  { input, output, signal }: Channel,
): Promise<void> => {
  const { caller, version, log, events, integration, tools, set, approved } = options
  if (approved !== undefined && !isHash(approved))
    throw fail(
      'invalid_input',
      'The approved hash must be 64 hex digits, as tools/list returns it in _meta "toolyard/hash".',
    )
  const mcp = createMcp({ pack, version, log, now: () => performance.now(), events })
  const loaded = integration === undefined ? pack.registry.all : [pack.registry.integration(integration)]
  if (set !== undefined) requireToolSet(loaded, set)
  const unknown = tools?.filter((name) => !mcp.toolNames.includes(name)) ?? []
  if (unknown.length > 0)
    throw fail('invalid_input', `Unknown tools: ${unknown.join(', ')}. Known tools: ${mcp.toolNames.join(', ')}.`)
  const transport = new StdioServerTransport(input, output)
  const handle = serveStdio(
    ({ era }) => mcp.makeServer({ caller, integration, tools, set, approved }, { stream: era === 'modern', era }),
    {
      transport,
      onerror: (error) => log('debug', 'mcp.refused', { error: error.message.slice(0, 200) }),
    },
  )
  await ended(transport, signal)
  await handle.close()
}

/** The URL of a server's MCP endpoint that offers exactly this part of the pack. */
export const endpointOf = (address: string, { integration, tools, set, approved }: Offered): URL => {
  const url = new URL(`${address}/mcp${integration === undefined ? '' : `/${encodeURIComponent(integration)}`}`)
  if (tools) url.searchParams.set('tools', tools.join(','))
  if (set !== undefined) url.searchParams.set('set', set)
  if (approved !== undefined) url.searchParams.set('approved', approved)
  return url
}

const explain = (error: unknown, origin: string) => {
  const { status, message } = error as { status?: number; message?: string }
  if (status === 401 || status === 403)
    return `The server at ${origin} did not accept the token, or the token may not use tools.`
  if (status !== undefined) return `The server at ${origin} answered with status ${status}.`
  return `The server at ${origin} cannot be reached: ${oneLine(String(message).slice(0, 200))}`
}

/**
 * Passes messages between standard input and output and the MCP endpoint of a running server, so that a host that
 * starts a command uses the connections and history of that server. Ends when the host closes the input.
 */
export const bridgeToServer = async (
  endpoint: URL,
  token: string,
  log: Log,
  { input, output, signal }: Channel,
): Promise<void> => {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const host = new StdioServerTransport(input, output)
  const server = new StreamableHTTPClientTransport(endpoint, {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  })
  const open = new Map<RequestId, { call: AbortController; isHandshake: boolean }>()
  const refuse = (id: RequestId, message: string) =>
    host.send({ jsonrpc: '2.0', id, error: { code: -32603, message } }).catch(() => undefined)

  const pass = async (message: JSONRPCMessage) => {
    if (!isJSONRPCRequest(message)) return server.send(message)
    const call = new AbortController()
    open.set(message.id, { call, isHandshake: message.method === 'initialize' })
    return server.send(message, {
      requestSignal: call.signal,
      // A stream that ends before its response would leave the host waiting forever.
      onRequestStreamEnd: () =>
        void (
          open.delete(message.id) &&
          refuse(message.id, `The server at ${endpoint.origin} disconnected before it responded.`)
        ),
    })
  }
  const cancel = (id: RequestId | undefined) => {
    const openCall = id === undefined ? undefined : open.get(id)
    if (id !== undefined) open.delete(id)
    openCall?.call.abort()
  }

  server.onmessage = (message) => {
    if ((isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) && message.id !== undefined) {
      const version = isJSONRPCResultResponse(message) ? message.result.protocolVersion : undefined
      if (open.get(message.id)?.isHandshake && typeof version === 'string') server.setProtocolVersion(version)
      open.delete(message.id)
    }
    host.send(message).catch(() => undefined)
  }
  server.onerror = (error) => log('debug', 'mcp.bridge', { error: error.message.slice(0, 200) })
  host.onmessage = (message) => {
    pass(message).catch((error: unknown) => {
      if (isJSONRPCRequest(message) && open.delete(message.id)) void refuse(message.id, explain(error, endpoint.origin))
    })
    // If each request has its own exchange, that exchange is aborted too; the 2025 protocol needs the notification.
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled')
      cancel(message.params?.requestId as RequestId | undefined)
  }
  await server.start()
  const end = ended(host, signal)
  await host.start()
  await end
  for (const { call } of open.values()) call.abort()
  await server.terminateSession().catch(() => undefined)
  await server.close()
}
