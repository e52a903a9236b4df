import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined ||
  (headers['content-length'] !== undefined && headers['content-length'] !== '0')

/**
 * A body has to arrive within `ms` of when it is read: what the server itself does before that is not the sender's
 * time. That of an upload may take longer, since whoever reads it ends one that stops; what is left of a refused one is
 * read for as long, so that the sender can read why.
 */
export const limitBodyTime = (app: FastifyInstance, ms: number, isUpload: (request: IncomingMessage) => boolean) => {
  app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!hasBody(request)) return
    const { socket } = request
    let timer: NodeJS.Timeout | undefined
    const begin = (late: () => void) => {
      clearTimeout(timer)
      timer = setTimeout(() => void (request.complete || late()), ms).unref()
    }
    const refuse = () =>
      app.server.emit('clientError', Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
    if (isUpload(request)) response.once('finish', () => void (request.complete || begin(() => socket.destroy())))
    else {
      request.once('resume', () => begin(refuse))
      // Read in another way, or not yet.
      begin(() => void (request.readableFlowing === null || refuse()))
    }
    request.once('close', () => clearTimeout(timer))
  })
}
