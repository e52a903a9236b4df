import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { fail } from '#kit'
import type { Operations } from '../../../api/operations/index.ts'
import { createChangeFeed } from '../change-feed.ts'
import { createFairShare } from '../fair-share.ts'
import type { Handler } from '../operations.ts'
import type { HttpDependencies } from '../parts.ts'
import { isStillAllowed, whileAllowed } from '../while-allowed.ts'

const pollMs = 500

/** A comment is sent at this interval, so that proxies do not close a quiet stream. */
const heartbeatMs = 15_000

/** Maximum for all tenants together, because each stream polls the store. */
const maxStreams = 100

/** Events and starts as server-sent events. Clients read it with fetch, since EventSource cannot send a token. */
export const createStream = ({ pack, authenticate, stopping }: HttpDependencies): Handler<Operations['stream']> => {
  const streams = createFairShare(maxStreams)

  async function* changesFor(request: FastifyRequest, aborted: AbortSignal) {
    const readChanges = createChangeFeed(pack, request.caller)
    await readChanges()
    yield ': changes from now on\n\n'
    let heartbeatAt = performance.now() + heartbeatMs
    while (!aborted.aborted) {
      await wait(pollMs, undefined, { signal: aborted }).catch(() => undefined)
      if (aborted.aborted) return
      if (performance.now() >= heartbeatAt) {
        heartbeatAt = performance.now() + heartbeatMs
        yield ': heartbeat\n\n'
      }
      // While the store is unavailable nothing is read; the next read finds what was stored meanwhile.
      const changes = await readChanges().catch(() => [])
      if (changes.length > 0 && !(await isStillAllowed(authenticate, request))) return
      for (const { kind, row } of changes) yield `event: ${kind}\ndata: ${JSON.stringify(row)}\n\n`
    }
  }

  return async (request, reply) => {
    const { tenant } = request.caller
    const ended = new AbortController()
    const release = streams.acquire(tenant, () => ended.abort())
    if (!release)
      throw fail(
        'rate_limited',
        `This tenant has ${streams.countOf(tenant)} streams open, which is its share. Close one of them, or list events and starts instead.`,
      )
    const close = () => {
      release()
      ended.abort()
    }
    // A client that has gone already closes nothing any more.
    if (reply.raw.destroyed) close()
    else reply.raw.once('close', close)
    const source = Readable.from(
      changesFor(request, AbortSignal.any([ended.signal, stopping, whileAllowed(authenticate, request, reply)])),
      { objectMode: false },
    )
    return reply.headers({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' }).send(source)
  }
}
