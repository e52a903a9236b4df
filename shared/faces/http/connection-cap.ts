import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { fail } from '#kit'
import type { Log } from '../../runtime/ports/index.ts'

const retryAfterMs = 5_000
/** How long a connection beyond the limit may take to send the request that will be refused. */
const lingerMs = 1_000
/** At most one log line per this interval. */
const logEveryMs = 10_000

export const tooManyConnections = () =>
  fail(
    'unavailable',
    'The server has too many open connections. Nothing was done; send the request again in a moment.',
    { retryAfterMs },
  )

/**
 * Limits the open connections of a server. A new connection beyond the limit replaces the one that has been idle
 * longest; when all of them have a request in progress, the new one is refused with 503.
 */
export const limitConnections = (app: FastifyInstance, max: number, log: Log) => {
  /** Connections without a request in progress, longest idle first. */
  const idle = new Set<Socket>()
  const tooMany = new WeakSet<Socket>()
  let open = 0
  let loggedAt = -Infinity

  const logLimit = (event: string) => {
    const now = performance.now()
    if (now - loggedAt < logEveryMs) return
    loggedAt = now
    log('warn', event, { connections: open, max })
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
    if (open <= max) return void idle.add(socket)
    if (makeRoom()) {
      logLimit('http.idle_connection_closed')
      return void idle.add(socket)
    }
    logLimit('http.connection_refused')
    if (open > max * 2) return void socket.destroy()
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
  return {
    /**
     * Connections whose requests are refused. They are only once they arrive: a client that receives a response before
     * it sends a request cannot tell whether that request was processed.
     */
    refused: tooMany as WeakSet<Socket>,
  }
}
