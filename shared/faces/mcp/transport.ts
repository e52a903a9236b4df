import { createMcpHandler, isInitializeRequest, isLegacyRequest } from '@modelcontextprotocol/server'
import type { AuthInfo, McpHttpHandler, McpServerFactory, ServerEventBus } from '@modelcontextprotocol/server'
import { createSessions } from './sessions.ts'

/** Who sends: `client` tells tokens apart, so that no session answers another's; `group` shares notifications (a tenant). */
export type Sender = { client: string; group: string; authInfo: AuthInfo }
export type Transport = {
  /** Serves one HTTP request of either protocol era. `gone` aborts when the client dropped the connection. */
  serve(request: Request, sender: Sender, parsedBody: unknown): Promise<Response>
  /** Ends streams that only wait, so that a stop need not; requests under way go on. */
  release(): void
  close(): Promise<void>
}
export type TransportOptions = {
  factory: McpServerFactory
  /** Change events for the streams of a group, in the later protocol. */
  busFor(group: string): ServerEventBus
  /** Told of refusals and defects; the answer is decided already. */
  onError(error: Error): void
  /** Monotonic ms. */
  now: () => number
}

/**
 * Streamable HTTP in both eras from one server factory: request by request in the protocol of 2026, with sessions in that of 2025.
 * A session that is unknown here (made by another node, or before a restart) is served request by request too: its calls go on working,
 * only questions to the user and notifications are missing.
 */
export const createTransport = ({ factory, busFor, onError, now }: TransportOptions): Transport => {
  const handlers = new Map<string, McpHttpHandler>()
  const sessions = createSessions(factory, now)
  const waiting = new AbortController()

  const handlerOf = (group: string) => {
    const known = handlers.get(group)
    if (known) return known
    const made = createMcpHandler(factory, { bus: busFor(group), onerror: onError })
    handlers.set(group, made)
    return made
  }

  const serveLegacy = (request: Request, sender: Sender, parsedBody: unknown): Promise<Response> | undefined => {
    const given = { client: sender.client, authInfo: sender.authInfo, parsedBody }
    if (isInitializeRequest(parsedBody)) return sessions.open(request, given)
    const id = request.headers.get('mcp-session-id')
    return id === null ? undefined : sessions.handle(id, request, given)
  }

  return {
    async serve(request, sender, parsedBody) {
      const served = (await isLegacyRequest(request, parsedBody)) ? serveLegacy(request, sender, parsedBody) : undefined
      if (served) return served
      const isWaiting = (parsedBody as { method?: unknown } | undefined)?.method === 'subscriptions/listen'
      const given = isWaiting ? new Request(request, { signal: AbortSignal.any([request.signal, waiting.signal]) }) : request
      return handlerOf(sender.group).fetch(given, { authInfo: sender.authInfo, ...(parsedBody === undefined ? {} : { parsedBody }) })
    },
    release() {
      waiting.abort()
      sessions.release()
    },
    async close() {
      await sessions.close()
      await Promise.all([...handlers.values()].map((handler) => handler.close()))
    },
  }
}
