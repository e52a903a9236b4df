import type { FastifyInstance, HTTPMethods } from 'fastify'
import { sendFailure } from './parts.ts'
import { refuse } from './problem.ts'

/**
 * Watches which methods each address takes; the function it gives, called after all routes, answers 405 to the others.
 */
export const answerWrongMethods = (app: FastifyInstance) => {
  const taken = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method, schema }) => {
    if (schema?.hide === true) return
    const methods = taken.get(url) ?? new Set()
    for (const one of [method].flat()) methods.add(one)
    taken.set(url, methods)
  })
  return () => {
    for (const [url, methods] of taken) {
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
            { ...refuse('not_allowed', `${request.method} is not possible here. This address takes ${allow}.`), actor: 'caller' },
            { status: 405, headers: { allow } },
          ),
        handler: async () => {},
      })
    }
  }
}
