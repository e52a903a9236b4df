import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

/**
 * A body must arrive within `ms` of when reading begins; the server's own work before that does not count. An upload
 * may take longer, since its reader aborts one that stalls. The remainder of a refused upload is read for `ms`, so that
 * the sender can read the refusal.
 */
export const limitBodyTime = (app: FastifyInstance, ms: number, isUpload: (request: IncomingMessage) => boolean) => {
  app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { headers, socket } = request
    if (headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0') return
    let timer: NodeJS.Timeout | undefined
    const refuse = () =>
      void app.server.emit(
        'clientError',
        Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
        socket,
      )
    const begin = (late = refuse) => {
      clearTimeout(timer)
      timer = setTimeout(() => void (request.complete || late()), ms).unref()
    }
    if (isUpload(request)) response.once('finish', () => void (request.complete || begin(() => void socket.destroy())))
    else {
      request.once('resume', begin)
      // The body is read without this event, or not at all yet.
      begin(() => void (request.readableFlowing === null || refuse()))
    }
    request.once('close', () => clearTimeout(timer))
  })
}
