import { mostDeliveryBytes } from '../../../pack.ts'
import type { HttpApp, Routes } from '../parts.ts'

/** Methods a provider might try on a hook; the pack says which of them it takes. */
const methods: ('HEAD' | 'POST' | 'GET' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS')[] = ['HEAD', 'POST', 'GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const none = Buffer.alloc(0)

/** Where providers deliver. Their signature is the credential, and it covers the very bytes, so nothing here reads or changes them. */
export const receiveRoutes: Routes = (app, { pack }) => {
  void app.register(async (scope) => {
    const doors = scope as HttpApp
    doors.removeAllContentTypeParsers()
    doors.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: mostDeliveryBytes }, (_request, body, done) => done(null, body))
    doors.route<{ Params: { integration: string; hookId: string } }>({
      method: methods,
      url: '/hooks/:integration/:hookId',
      config: { access: 'public' },
      schema: { hide: true },
      bodyLimit: mostDeliveryBytes,
      async handler(request, reply) {
        const { integration, hookId } = request.params
        const body = Buffer.isBuffer(request.body) ? request.body : none
        const { status, retryAfterS } = await pack.receive({ integration, hookId, method: request.method, headers: request.headers, body })
        if (retryAfterS !== undefined) reply.header('retry-after', String(retryAfterS))
        if (status === 405) reply.header('allow', 'HEAD, POST')
        return reply.code(status).send()
      },
    })
  })
}
