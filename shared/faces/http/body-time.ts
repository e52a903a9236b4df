import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] !== undefined && headers['content-length'] !== '0')

/**
 * A body has to arrive within `ms`. That of an upload may take longer, since whoever reads it ends one that stops; what is left of a refused one is
 * read for as long, so that the sender can read why.
 */
export const limitBodyTime = (app: FastifyInstance, ms: number, isUpload: (request: IncomingMessage) => boolean) => {
  app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!hasBody(request)) return
    const { socket } = request
    let timer: NodeJS.Timeout | undefined
    if (isUpload(request))
      response.once('finish', () => {
        if (!request.complete) timer = setTimeout(() => socket.destroy(), ms).unref()
      })
    else timer = setTimeout(() => app.server.emit('clientError', Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket), ms).unref()
    request.once('close', () => clearTimeout(timer))
  })
}
