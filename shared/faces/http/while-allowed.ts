import { isDeepStrictEqual } from 'node:util'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isUnavailable } from '#kit'
import type { Authenticate } from './auth.ts'

/** How often it is asked, for each stream that waits, whether its credential is still good: it ends within 5 s. */
const askMs = 3_000

/** Whether the credential of a request is still good, with the same rights as when it came. */
export const isStillAllowed = async (authenticate: Authenticate, request: FastifyRequest): Promise<boolean> => {
  try {
    return isDeepStrictEqual(await authenticate(request), request.caller)
  } catch (thrown) {
    // An unavailable store says nothing about the credential.
    return isUnavailable(thrown)
  }
}

/**
 * Aborted soon after the credential that a stream was opened with has ended or lost rights. A stream may wait for days,
 * and nothing else asks again.
 */
export const whileAllowed = (authenticate: Authenticate, request: FastifyRequest, reply: FastifyReply): AbortSignal => {
  // A client that has gone already closes nothing any more, so the timer would stay.
  if (reply.raw.destroyed) return AbortSignal.abort()
  const ended = new AbortController()
  const timer = setInterval(async () => {
    if (await isStillAllowed(authenticate, request)) return
    clearInterval(timer)
    ended.abort()
  }, askMs).unref()
  reply.raw.once('close', () => clearInterval(timer))
  return ended.signal
}
