import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { fail } from '#kit'
import type { Log } from '../../runtime/ports/index.ts'

const retryAfterMs = 5_000
/** How long a connection that is too many may take to send the request it is refused with. */
const lingerMs = 1_000
/** At most one line of the log in this time. */
const sayEveryMs = 10_000

/**
 * Keeps a server to so many connections. When one more comes, the connection that has been without a request for longest makes room for it,
 * so that connections which only wait keep nobody out; where all have a request under way, the new one is answered 503.
 */
export const limitConnections = (app: FastifyInstance, most: number, log: Log) => {
  /** Connections without a request under way, the longest so first. */
  const idle = new Set<Socket>()
  const tooMany = new WeakSet<Socket>()
  let open = 0
  let saidAt = -Infinity

  const say = (event: string) => {
    const now = performance.now()
    if (now - saidAt < sayEveryMs) return
    saidAt = now
    log('warn', event, { connections: open, most })
  }
  const makeRoom = (): boolean => {
    const [longest] = idle
    if (longest === undefined) return false
    idle.delete(longest)
    longest.destroy()
    return true
  }

  app.server.on('connection', (socket: Socket) => {
    open += 1
    socket.once('close', () => {
      open -= 1
      idle.delete(socket)
    })
    if (open <= most) return void idle.add(socket)
    if (makeRoom()) {
      say('http.idle_connection_closed')
      return void idle.add(socket)
    }
    say('http.connection_refused')
    if (open > most * 2) return void socket.destroy()
    tooMany.add(socket)
    setTimeout(() => socket.destroy(), lingerMs).unref()
    return undefined
  })
  app.server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    idle.delete(socket)
    response.once('close', () => {
      if (!socket.destroyed && !tooMany.has(socket)) idle.add(socket)
    })
  })
  // Refused as a request, since a client that was answered before it asked would not know what of its request was done.
  app.addHook('onRequest', async (request, reply) => {
    if (!tooMany.has(request.raw.socket)) return
    reply.header('connection', 'close')
    throw fail('unavailable', 'The server has as many connections open as it takes. Nothing was done; send the request again in a moment.', { retryAfterMs })
  })
}
