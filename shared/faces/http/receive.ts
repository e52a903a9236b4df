import { maxDeliveryBytes } from '../../pack.ts'
import type { Pack } from '../../pack.ts'
import { hookRoute } from './deliveries.ts'
import type { HttpApp } from './parts.ts'

/** Methods a provider might use on a hook; the pack decides which it accepts. */
const methods: ('HEAD' | 'POST' | 'GET' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS')[] = [
  'HEAD',
  'POST',
  'GET',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
]
const none = Buffer.alloc(0)

/**
 * Receives deliveries of providers. The signature is the credential and covers the exact bytes, so nothing here parses
 * or changes them.
 */
export const receiveRoutes = (app: HttpApp, pack: Pack) => {
  void app.register(async (scope) => {
    const hooks = scope as HttpApp
    hooks.removeAllContentTypeParsers()
    hooks.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxDeliveryBytes }, (_request, body, done) =>
      done(null, body),
    )
    hooks.route<{ Params: { integration: string; hookId: string } }>({
      method: methods,
      url: hookRoute,
      config: { access: 'public' },
      schema: { hide: true },
      bodyLimit: maxDeliveryBytes,
      async handler(request, reply) {
        const { integration, hookId } = request.params
        const body = Buffer.isBuffer(request.body) ? request.body : none
        const query = Object.fromEntries(new URL(request.url, 'http://localhost').searchParams)
        const {
          status,
          retryAfterS,
          body: answer,
          contentType,
        } = await pack.receive({ integration, hookId, method: request.method, headers: request.headers, body, query })
        if (retryAfterS !== undefined) reply.header('retry-after', String(retryAfterS))
        if (status === 405) reply.header('allow', 'HEAD, POST')
        if (answer === undefined) return reply.code(status).send()
        // The response may repeat parts of the request, so no browser may take it for a page.
        return reply
          .code(status)
          .header('x-content-type-options', 'nosniff')
          .type(contentType ?? 'text/plain')
          .send(answer)
      },
    })
  })
}
