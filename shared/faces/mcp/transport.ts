import { createMcpHandler, isInitializeRequest, isLegacyRequest } from '@modelcontextprotocol/server'
import type { AuthInfo, McpServerFactory, ServerEventBus } from '@modelcontextprotocol/server'
import { createSessions } from './sessions.ts'
import { createTenantQuota } from './tenant-quota.ts'

/** The sender of a request. `client` differs by token, so that a session serves one token only. */
export type Sender = { client: string; tenant: string; authInfo: AuthInfo }
export type Transport = {
  /** Serves one HTTP request of either protocol era. Its signal aborts when the client disconnects. */
  serve(request: Request, sender: Sender, parsedBody: unknown): Promise<Response>
  /** Closes waiting streams, so that a shutdown does not wait for clients; requests in progress continue. */
  release(): void
  close(): Promise<void>
}
export type TransportOptions = {
  factory: McpServerFactory
  /** Source of change events for waiting streams of the later protocol. */
  busFor(sender: Sender): ServerEventBus
  /** Receives refusals and defects for the log; the response is already decided. */
  onError(error: Error): void
  /** Monotonic time in ms. */
  now: () => number
}

const maxWaiting = { all: 1024, perTenant: 200 }

/**
 * Streamable HTTP in both eras from one server factory: request by request in the 2026 protocol, with sessions in the
 * 2025 protocol. A session unknown to this process (created by another node, or before a restart) is served request by
 * request too: its calls work, only questions to the user and notifications are missing.
 */
export const createTransport = ({ factory, busFor, onError, now }: TransportOptions): Transport => {
  const handler = createMcpHandler(factory, { onerror: onError })
  const sessions = createSessions(factory, now)
  const stopping = new AbortController()
  const waiting = createTenantQuota(maxWaiting)

  /** A stream that waits for changes gets its own handler, since what it may receive depends on the sender. */
  const listen = async (request: Request, sender: Sender, parsedBody: unknown) => {
    const bus = busFor(sender)
    const release = waiting.acquire(sender.tenant)
    let isWaiting = false
    const counted: ServerEventBus = {
      publish: (event) => bus.publish(event),
      subscribe(listener) {
        const stop = bus.subscribe(listener)
        isWaiting = true
        return () => {
          release?.()
          stop()
        }
      },
    }
    const own = createMcpHandler(factory, { bus: counted, onerror: onError, maxSubscriptions: release ? 1 : 0 })
    const signal = AbortSignal.any([request.signal, stopping.signal])
    try {
      return await own.fetch(new Request(request, { signal }), { authInfo: sender.authInfo, parsedBody })
    } finally {
      if (!isWaiting) release?.()
    }
  }

  const serveLegacy = (request: Request, sender: Sender, parsedBody: unknown): Promise<Response> | undefined => {
    const context = { client: sender.client, tenant: sender.tenant, authInfo: sender.authInfo, parsedBody }
    if (isInitializeRequest(parsedBody)) return sessions.open(request, context)
    const id = request.headers.get('mcp-session-id')
    return id === null ? undefined : sessions.handle(id, request, context)
  }

  return {
    async serve(request, sender, parsedBody) {
      const served = (await isLegacyRequest(request, parsedBody)) ? serveLegacy(request, sender, parsedBody) : undefined
      if (served) return served
      if ((parsedBody as { method?: unknown } | undefined)?.method === 'subscriptions/listen')
        return listen(request, sender, parsedBody)
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
