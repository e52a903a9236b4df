import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { AuthInfo, McpServerFactory } from '@modelcontextprotocol/server'
import { createPlaces } from './places.ts'

/** A client of the 2025 protocol that shook hands: notifications, questions and cancellation need its server to stay. */
type Session = { transport: WebStandardStreamableHTTPServerTransport; client: string; tenant: string; busy: number; usedAt: number; leave(): void }
export type Sessions = {
  /** Opens a session with an initialize request; undefined when there is no place for one. */
  open(request: Request, given: Given): Promise<Response> | undefined
  /** Hands a request to its session; undefined when there is none of that id for this client here. */
  handle(id: string, request: Request, given: Given): Promise<Response> | undefined
  /** Lets go of waiting streams, so that a stop need not wait for clients; requests under way go on. */
  release(): void
  close(): Promise<void>
}
type Given = { client: string; tenant: string; authInfo: AuthInfo; parsedBody: unknown }

const most = { all: 1000, perTenant: 200 }
const idleMs = 30 * 60_000

/**
 * Sessions of the 2025 protocol, in memory of this process. A tenant that has its share loses its own oldest idle one for a new one, never
 * another tenant's; a client without a session is served request by request. `now`: monotonic ms.
 */
export const createSessions = (factory: McpServerFactory, now: () => number): Sessions => {
  const sessions = new Map<string, Session>()
  const places = createPlaces(most)
  /** Ids that their clients ended; the latest of them, since a client stops using such an id at once. */
  const ended = new Set<string>()

  const drop = (id: string) => {
    const session = sessions.get(id)
    sessions.delete(id)
    session?.leave()
    return session?.transport.close() ?? Promise.resolve()
  }

  const takePlace = (tenant: string): (() => void) | undefined => {
    for (const [id, { busy, usedAt }] of sessions) if (busy === 0 && now() - usedAt > idleMs) void drop(id)
    const place = places.take(tenant)
    if (place) return place
    // The order of the map is the order of use.
    const oldest = [...sessions].find(([, session]) => session.busy === 0 && session.tenant === tenant)
    if (oldest) void drop(oldest[0])
    return places.take(tenant)
  }

  /** While an answer is streamed its session is in use. */
  const track = (session: Session, response: Response): Response => {
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

  const pass = async (session: Session, request: Request, { authInfo, parsedBody }: Given) => {
    session.busy += 1
    session.usedAt = now()
    try {
      return track(session, await session.transport.handleRequest(request, { authInfo, ...(parsedBody === undefined ? {} : { parsedBody }) }))
    } catch (error) {
      session.busy -= 1
      throw error
    }
  }

  const start = async (request: Request, given: Given, leave: () => void) => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, session),
      onsessionclosed: (id) => {
        sessions.delete(id)
        leave()
        ended.add(id)
        for (const oldest of ended) if (ended.size > most.all) ended.delete(oldest)
      },
    })
    const session: Session = { transport, client: given.client, tenant: given.tenant, busy: 0, usedAt: now(), leave }
    try {
      const server = await factory({ era: 'legacy', authInfo: given.authInfo, requestInfo: request })
      await server.connect(transport)
      return await pass(session, request, given)
    } finally {
      // A handshake that was refused made no session.
      if (transport.sessionId === undefined) leave()
    }
  }

  return {
    open(request, given) {
      const leave = takePlace(given.tenant)
      return leave && start(request, given, leave)
    },
    handle(id, request, given) {
      if (ended.has(id))
        return Promise.resolve(Response.json({ jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } }, { status: 404 }))
      const session = sessions.get(id)
      if (!session || session.client !== given.client) return undefined
      // The order of the map is the order of use.
      sessions.delete(id)
      sessions.set(id, session)
      return pass(session, request, given)
    },
    release() {
      for (const { transport } of sessions.values()) transport.closeStandaloneSSEStream()
    },
    async close() {
      await Promise.all([...sessions.keys()].map(drop))
    },
  }
}
