import { randomUUID } from 'node:crypto'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { AuthInfo, McpServerFactory } from '@modelcontextprotocol/server'
import { LRUCache } from 'lru-cache'
import { createTenantQuota } from './tenant-quota.ts'

/**
 * A client of the 2025 protocol after its handshake. Its server is kept, because notifications, questions and
 * cancellation need it.
 */
type Session = {
  transport: WebStandardStreamableHTTPServerTransport
  client: string
  tenant: string
  busy: number
  usedAt: number
  leave(): void
}
export type Sessions = {
  /** Opens a session with an initialize request; undefined when a limit is reached. */
  open(request: Request, context: SessionRequest): Promise<Response> | undefined
  /** Passes a request to its session; undefined when this client has no such session in this process. */
  handle(id: string, request: Request, context: SessionRequest): Promise<Response> | undefined
  /** Closes waiting streams, so that a shutdown does not wait for clients; requests in progress continue. */
  release(): void
  close(): Promise<void>
}
type SessionRequest = { client: string; tenant: string; authInfo: AuthInfo; parsedBody: unknown }

const max = { all: 1000, perTenant: 200 }
const idleMs = 30 * 60_000

/** Wraps a response so that its session counts as in use until the response has been streamed. */
const track = (session: Session, response: Response, now: () => number): Response => {
  let isDone = false
  const done = () => {
    if (isDone) return
    isDone = true
    session.busy -= 1
    session.usedAt = now()
  }
  if (response.body === null) {
    done()
    return response
  }
  const reader = response.body.getReader()
  const body = new ReadableStream({
    async pull(controller) {
      const part = await reader.read().catch((error: unknown) => {
        done()
        throw error
      })
      if (!part.done) return controller.enqueue(part.value)
      done()
      controller.close()
    },
    async cancel(reason) {
      done()
      await reader.cancel(reason)
    },
  })
  return new Response(body, { status: response.status, headers: response.headers })
}

/**
 * Sessions of the 2025 protocol, in memory. At a tenant's limit, a new session replaces that tenant's session idle
 * longest, never another tenant's; a client without a session is served request by request. `now`: monotonic time in
 * ms.
 */
export const createSessions = (factory: McpServerFactory, now: () => number): Sessions => {
  const sessions = new Map<string, Session>()
  const quota = createTenantQuota(max)
  /** Sessions that their clients ended most recently: requests with such an id get 404. */
  const ended = new LRUCache<string, true>({ maxSize: max.all, sizeCalculation: () => 1 })

  const drop = (id: string) => {
    const session = sessions.get(id)
    sessions.delete(id)
    session?.leave()
    return session?.transport.close() ?? Promise.resolve()
  }

  const acquire = (tenant: string): (() => void) | undefined => {
    for (const [id, { busy, usedAt }] of sessions) if (busy === 0 && now() - usedAt > idleMs) void drop(id)
    const acquired = quota.acquire(tenant)
    if (acquired) return acquired
    // The map is in order of use, oldest first.
    const oldest = [...sessions].find(([, session]) => session.busy === 0 && session.tenant === tenant)
    if (oldest) void drop(oldest[0])
    return quota.acquire(tenant)
  }

  const pass = async (session: Session, request: Request, { authInfo, parsedBody }: SessionRequest) => {
    session.busy += 1
    session.usedAt = now()
    try {
      return track(
        session,
        await session.transport.handleRequest(request, {
          authInfo,
          ...(parsedBody === undefined ? {} : { parsedBody }),
        }),
        now,
      )
    } catch (error) {
      session.busy -= 1
      throw error
    }
  }

  const start = async (request: Request, context: SessionRequest, leave: () => void) => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, session),
      onsessionclosed: (id) => {
        sessions.delete(id)
        leave()
        ended.set(id, true)
      },
    })
    const session: Session = {
      transport,
      client: context.client,
      tenant: context.tenant,
      busy: 0,
      usedAt: now(),
      leave,
    }
    try {
      const server = await factory({ era: 'legacy', authInfo: context.authInfo, requestInfo: request })
      await server.connect(transport)
      return await pass(session, request, context)
    } finally {
      // A refused handshake creates no session.
      if (transport.sessionId === undefined) leave()
    }
  }

  return {
    open(request, context) {
      const leave = acquire(context.tenant)
      return leave && start(request, context, leave)
    },
    handle(id, request, context) {
      if (ended.has(id))
        return Promise.resolve(
          Response.json(
            { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } },
            { status: 404 },
          ),
        )
      const session = sessions.get(id)
      if (!session || session.client !== context.client) return undefined
      // Moves the session to the end: the map is in order of use.
      sessions.delete(id)
      sessions.set(id, session)
      return pass(session, request, context)
    },
    release() {
      for (const { transport } of sessions.values()) transport.closeStandaloneSSEStream()
    },
    async close() {
      await Promise.all([...sessions.keys()].map(drop))
    },
  }
}
