import type { FastifyInstance, HTTPMethods } from 'fastify'
import { sendFailure } from './parts.ts'
import { refuse } from './problem.ts'

/**
 * Records the methods of each address. Call the returned function after all routes are added: it responds 405 to the
 * other methods.
 */
export const rejectWrongMethods = (app: FastifyInstance) => {
  const methodsByUrl = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method, schema }) => {
    if (schema?.hide === true) return
    const methods = methodsByUrl.get(url) ?? new Set()
    for (const methodName of [method].flat()) methods.add(methodName)
    methodsByUrl.set(url, methods)
  })
  return () => {
    for (const [url, methods] of methodsByUrl) {
      const allow = [...methods].sort().join(', ')
      const otherMethods = (app.supportedMethods as HTTPMethods[]).filter(
        (method) => !methods.has(method) && !(method === 'HEAD' && methods.has('GET')),
      )
      app.route({
        method: otherMethods,
        url,
        schema: { hide: true },
        config: { access: 'public' },
        onRequest: async (request, reply) =>
          sendFailure(
            request,
            reply,
            {
              ...refuse('not_allowed', `${request.method} is not supported at this address. Use ${allow}.`),
              actor: 'caller',
            },
            { status: 405, headers: { allow } },
          ),
        handler: async () => {},
      })
    }
  }
}
