import type { FastifyReply } from 'fastify'

/** Aborts when the client drops the connection before the response was complete. */
export const signalClientAbort = (reply: FastifyReply): AbortSignal => {
  // A client that has gone already closes nothing any more.
  if (reply.raw.destroyed && !reply.raw.writableFinished) return AbortSignal.abort()
  const controller = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort()
  })
  return controller.signal
}
