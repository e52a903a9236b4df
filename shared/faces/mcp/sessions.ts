import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { AuthInfo, McpServerFactory } from '@modelcontextprotocol/server'

/** A client of the 2025 protocol that shook hands: notifications, questions and cancellation need its server to stay. */
type Session = { transport: WebStandardStreamableHTTPServerTransport; client: string; busy: number; usedAt: number }
export type Sessions = {
  /** Opens a session with an initialize request. */
  open(request: Request, given: Given): Promise<Response>
  /** Hands a request to its session; undefined when there is none of that id for this client here. */
  handle(id: string, request: Request, given: Given): Promise<Response> | undefined
  /** Lets go of waiting streams, so that a stop need not wait for clients; requests under way go on. */
  release(): void
  close(): Promise<void>
}
type Given = { client: string; authInfo: AuthInfo; parsedBody: unknown }

const mostSessions = 1000
const idleMs = 30 * 60_000

/**
 * Sessions of the 2025 protocol, in memory of this process. The oldest idle one goes when there are too many: its client is then served
 * request by request. `now`: monotonic ms.
 */
export const createSessions = (factory: McpServerFactory, now: () => number): Sessions => {
  const sessions = new Map<string, Session>()
  /** Ids that their clients ended; the latest of them, since a client stops using such an id at once. */
  const ended = new Set<string>()

  const drop = (id: string) => {
    const session = sessions.get(id)
    sessions.delete(id)
    return session?.transport.close() ?? Promise.resolve()
  }

  const makeRoom = () => {
    for (const [id, { busy, usedAt }] of sessions) {
      if (busy === 0 && (now() - usedAt > idleMs || sessions.size >= mostSessions)) void drop(id)
    }
  }

  /** While an answer is streamed its session is in use. */
  const track = (session: Session, response: Response): Response => {
    const done = () => {
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
        const part = await reader.read()
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

  return {
    async open(request, given) {
      makeRoom()
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (id) => void sessions.set(id, session),
        onsessionclosed: (id) => {
          sessions.delete(id)
          ended.add(id)
          for (const oldest of ended) if (ended.size > mostSessions) ended.delete(oldest)
        },
      })
      const session: Session = { transport, client: given.client, busy: 0, usedAt: now() }
      const server = await factory({ era: 'legacy', authInfo: given.authInfo, requestInfo: request })
      await server.connect(transport)
      return pass(session, request, given)
    },
    handle(id, request, given) {
      if (ended.has(id))
        return Promise.resolve(Response.json({ jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } }, { status: 404 }))
      const session = sessions.get(id)
      if (!session || session.client !== given.client) return undefined
      // The order of the map is the order of use, so that the oldest comes first when room is made.
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
