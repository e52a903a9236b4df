import type { FastifyInstance, HTTPMethods } from 'fastify'
import { sendFailure } from './parts.ts'
import { refuse } from './problem.ts'

/** Records the methods of each address; the returned function, called after all routes, adds 405 for the others. */
export const rejectWrongMethods = (app: FastifyInstance) => {
  const known = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method, schema }) => {
    if (schema?.hide === true) return
    const methods = known.get(url) ?? new Set()
    for (const one of [method].flat()) methods.add(one)
    known.set(url, methods)
  })
  return () => {
    for (const [url, methods] of known) {
      const allow = [...methods].sort().join(', ')
      const others = (app.supportedMethods as HTTPMethods[]).filter((method) => !methods.has(method) && !(method === 'HEAD' && methods.has('GET')))
      app.route({
        method: others,
        url,
        schema: { hide: true },
        config: { access: 'public' },
        onRequest: async (request, reply) =>
          sendFailure(
            request,
            reply,
            { ...refuse('not_allowed', `${request.method} is not supported at this address. Use ${allow}.`), actor: 'caller' },
            { status: 405, headers: { allow } },
          ),
        handler: async () => {},
      })
    }
  }
}
