import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { fail, isUnavailable, z } from '#kit'
import { responses } from '../responses.ts'
import { createChangeFeed } from '../change-feed.ts'
import type { Routes } from '../parts.ts'
import { createFairShare } from '../fair-share.ts'

const pollMs = 500
/** A comment at this interval keeps proxies from closing a quiet stream. The token is checked with it, and again before any changes are sent. */
const heartbeatMs = 15_000
/** For all tenants together; each stream polls the store. */
const maxStreams = 100
const access = ['subscriptions', 'read'] as ('subscriptions' | 'read')[]

/** Events and starts as server-sent events. Clients read it with fetch, since EventSource cannot send a token. */
export const streamRoutes: Routes = (app, { pack, authenticate }) => {
  const stopping = new AbortController()
  const streams = createFairShare(maxStreams)
  // A stream never ends by itself, so a stop would wait for it.
  app.addHook('preClose', async () => stopping.abort())

  const isStillAllowed = async (request: FastifyRequest) => {
    try {
      await authenticate(request)
      return true
    } catch (thrown) {
      // An unavailable store says nothing about the token.
      return isUnavailable(thrown)
    }
  }

  async function* changesFor(request: FastifyRequest, aborted: AbortSignal) {
    const readChanges = createChangeFeed(pack, request.caller)
    await readChanges()
    yield ': changes from now on\n\n'
    let heartbeatAt = performance.now() + heartbeatMs
    while (!aborted.aborted) {
      await wait(pollMs, undefined, { signal: aborted }).catch(() => undefined)
      if (aborted.aborted) return
      if (performance.now() >= heartbeatAt) {
        if (!(await isStillAllowed(request))) return
        heartbeatAt = performance.now() + heartbeatMs
        yield ': heartbeat\n\n'
      }
      // While the store is unavailable nothing is read; the next read finds what was stored meanwhile.
      const changes = await readChanges().catch(() => [])
      if (changes.length > 0 && !(await isStillAllowed(request))) return
      for (const { kind, row } of changes) yield `event: ${kind}\ndata: ${JSON.stringify(row)}\n\n`
    }
  }

  app.get(
    '/v1/stream',
    {
      config: { access },
      schema: {
        operationId: 'stream',
        tags: ['Events'],
        summary: 'Stream events and changed starts as server-sent events',
        description:
          'A server-sent event stream of new events and changed starts of this tenant. It starts with what happens after the request and does not replay earlier changes.',
        response: {
          ...responses({ description: '' }),
          200: {
            description:
              'A stream until either side ends it: "event: event" with an Event, "event: start" with a Start. After an interruption, list events and starts to find what was missed',
            content: { 'text/event-stream': { schema: z.string() } },
          },
        },
      },
    },
    async (request, reply) => {
      const { tenant } = request.caller
      const ended = new AbortController()
      const release = streams.acquire(tenant, () => ended.abort())
      if (!release)
        throw fail(
          'rate_limited',
          `This tenant has ${streams.countOf(tenant)} streams open, which is its share. Close one of them, or list events and starts instead.`,
        )
      reply.raw.once('close', () => {
        release()
        ended.abort()
      })
      const source = Readable.from(changesFor(request, AbortSignal.any([ended.signal, stopping.signal])), { objectMode: false })
      return (reply as FastifyReply).headers({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' }).send(source)
    },
  )
}
