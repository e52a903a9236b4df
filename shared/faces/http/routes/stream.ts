import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { fail, isFailure, z } from '#kit'
import { answers } from '../responses.ts'
import { authenticate } from '../auth.ts'
import { createNews } from '../change-feed.ts'
import type { Routes } from '../parts.ts'
import { createShares } from '../shares.ts'

const lookMs = 500
/** A comment now and then keeps proxies from closing a quiet stream. The token is asked again with it, and before any news. */
const beatMs = 15_000
/** Of all tenants together; each stream looks for news in the store. */
const mostStreams = 100
const access = ['subscriptions', 'read'] as ('subscriptions' | 'read')[]

/** News as they come, told over server-sent events. Read it with fetch, since EventSource cannot send a token. */
export const streamRoutes: Routes = (app, { pack }) => {
  const ending = new AbortController()
  const streams = createShares(mostStreams)
  // A stream never ends by itself, so a stop would wait for it.
  app.addHook('preClose', async () => ending.abort())

  const isStillAllowed = async (request: FastifyRequest) => {
    try {
      await authenticate(pack, request)
      return true
    } catch (thrown) {
      // A store that is away says nothing about this token.
      return isFailure(thrown) && thrown.code === 'unavailable'
    }
  }

  async function* tell(request: FastifyRequest, gone: AbortSignal) {
    const look = createNews(pack, request.caller)
    await look()
    yield ': news from now on\n\n'
    let beatAt = performance.now() + beatMs
    while (!gone.aborted) {
      await wait(lookMs, undefined, { signal: gone }).catch(() => undefined)
      if (gone.aborted) return
      if (performance.now() >= beatAt) {
        if (!(await isStillAllowed(request))) return
        beatAt = performance.now() + beatMs
        yield ': still here\n\n'
      }
      // While the store is away there is no news; the next look finds what came.
      const news = await look().catch(() => [])
      if (news.length > 0 && !(await isStillAllowed(request))) return
      for (const { kind, row } of news) yield `event: ${kind}\ndata: ${JSON.stringify(row)}\n\n`
    }
  }

  app.get(
    '/v1/stream',
    {
      config: { access },
      schema: {
        operationId: 'stream',
        tags: ['Events'],
        summary: 'Events as they arrive and starts whenever their state changes, as server-sent events',
        description: 'A server-sent event stream of new events and changed starts of this tenant. It begins with the connection and does not replay the past.',
        response: {
          ...answers({ description: '' }),
          200: {
            description:
              'Until either side ends it: "event: event" with an Event, "event: start" with a Start. It tells what happens from now on; after a break, list what was missed',
            content: { 'text/event-stream': { schema: z.string() } },
          },
        },
      },
    },
    async (request, reply) => {
      const { tenant } = request.caller
      const left = new AbortController()
      const leave = streams.take(tenant, () => left.abort())
      if (!leave)
        throw fail('rate_limited', `This tenant has ${streams.ofTenant(tenant)} streams open, which is its share. Close one of them, or list instead.`)
      reply.raw.once('close', () => {
        leave()
        left.abort()
      })
      const source = Readable.from(tell(request, AbortSignal.any([left.signal, ending.signal])), { objectMode: false })
      return (reply as FastifyReply).headers({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' }).send(source)
    },
  )
}
