import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Pack } from '../../pack.ts'
import { hookRoute } from './deliveries.ts'
import type { HttpTracing, RequestSpan } from './tracing.ts'

/** Adds a span to each request of a server. */
export const createTraced = (tracing: HttpTracing) => {
  /** By the headers of the request, which are what a delivery is handed on with. */
  const spans = new WeakMap<object, RequestSpan>()
  return {
    /**
     * The pack, where a delivery is part of the request that brought it. Fastify hands the context on itself; what reads
     * the body of a delivery before it does not.
     */
    packOf(pack: Pack): Pack {
      const receive: Pack['receive'] = (delivery) => {
        const span = spans.get(delivery.headers)
        if (!span) return pack.receive(delivery)
        span.note({ route: hookRoute })
        return span.within(() => pack.receive(delivery))
      }
      return Object.assign(Object.create(pack) as Pack, { receive })
    },
    /** Names the route of each request. Call it before there are routes. */
    addHooks(app: FastifyInstance): void {
      app.addHook('onResponse', (request, _reply, done) => {
        const { caller, runId, code, routeOptions } = request
        spans.get(request.raw.headers)?.note({ route: routeOptions.url ?? 'none', tenant: caller?.tenant, runId, code })
        done()
      })
    },
    /** Call it when the listener that answers requests is in place. */
    listen({ server }: FastifyInstance): void {
      const [answer] = server.listeners('request') as RequestListener[]
      server.removeListener('request', answer!)
      server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
        const headers: IncomingHttpHeaders = request.headers
        const span = tracing.begin({
          method: request.method,
          headers,
          isDelivery: request.method === 'POST' && request.url!.startsWith('/hooks/'),
        })
        spans.set(headers, span)
        response.once('close', () => span.end(response.headersSent ? response.statusCode : undefined))
        span.within(() => answer!.call(server, request, response))
      })
    },
  }
}
