import type { FastifyReply } from 'fastify'

/** Aborts when the client drops the connection before the response was complete. */
export const signalClientAbort = (reply: FastifyReply): AbortSignal => {
  const controller = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort()
  })
  return controller.signal
}
