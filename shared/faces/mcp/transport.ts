import { createMcpHandler, isInitializeRequest, isLegacyRequest } from '@modelcontextprotocol/server'
import type { AuthInfo, McpServerFactory, ServerEventBus } from '@modelcontextprotocol/server'
import { createPlaces } from './places.ts'
import { createSessions } from './sessions.ts'

/** Who sends: `client` tells tokens apart, so that no session answers another's. */
export type Sender = { client: string; tenant: string; authInfo: AuthInfo }
export type Transport = {
  /** Serves one HTTP request of either protocol era. `gone` aborts when the client dropped the connection. */
  serve(request: Request, sender: Sender, parsedBody: unknown): Promise<Response>
  /** Ends streams that only wait, so that a stop need not; requests under way go on. */
  release(): void
  close(): Promise<void>
}
export type TransportOptions = {
  factory: McpServerFactory
  /** Change events for a stream of the later protocol that waits for them. */
  busFor(sender: Sender): ServerEventBus
  /** Told of refusals and defects; the answer is decided already. */
  onError(error: Error): void
  /** Monotonic ms. */
  now: () => number
}

const mostWaiting = { all: 1024, perTenant: 200 }

/**
 * Streamable HTTP in both eras from one server factory: request by request in the protocol of 2026, with sessions in that of 2025.
 * A session that is unknown here (made by another node, or before a restart) is served request by request too: its calls go on working,
 * only questions to the user and notifications are missing.
 */
export const createTransport = ({ factory, busFor, onError, now }: TransportOptions): Transport => {
  const handler = createMcpHandler(factory, { onerror: onError })
  const sessions = createSessions(factory, now)
  const stopping = new AbortController()
  const waiting = createPlaces(mostWaiting)

  /** A stream that waits for changes has a handler to itself, since what it may hear of depends on who asked. */
  const listen = async (request: Request, sender: Sender, parsedBody: unknown) => {
    const bus = busFor(sender)
    const leave = waiting.take(sender.tenant)
    let isWaiting = false
    const counted: ServerEventBus = {
      publish: (event) => bus.publish(event),
      subscribe(listener) {
        const stop = bus.subscribe(listener)
        isWaiting = true
        return () => {
          leave?.()
          stop()
        }
      },
    }
    const own = createMcpHandler(factory, { bus: counted, onerror: onError, maxSubscriptions: leave ? 1 : 0 })
    const signal = AbortSignal.any([request.signal, stopping.signal])
    try {
      return await own.fetch(new Request(request, { signal }), { authInfo: sender.authInfo, parsedBody })
    } finally {
      if (!isWaiting) leave?.()
    }
  }

  const serveLegacy = (request: Request, sender: Sender, parsedBody: unknown): Promise<Response> | undefined => {
    const given = { client: sender.client, tenant: sender.tenant, authInfo: sender.authInfo, parsedBody }
    if (isInitializeRequest(parsedBody)) return sessions.open(request, given)
    const id = request.headers.get('mcp-session-id')
    return id === null ? undefined : sessions.handle(id, request, given)
  }

  return {
    async serve(request, sender, parsedBody) {
      const served = (await isLegacyRequest(request, parsedBody)) ? serveLegacy(request, sender, parsedBody) : undefined
      if (served) return served
      if ((parsedBody as { method?: unknown } | undefined)?.method === 'subscriptions/listen') return listen(request, sender, parsedBody)
      return handler.fetch(request, { authInfo: sender.authInfo, ...(parsedBody === undefined ? {} : { parsedBody }) })
    },
    release() {
      stopping.abort()
      sessions.release()
    },
    async close() {
      await sessions.close()
      await handler.close()
    },
  }
}
