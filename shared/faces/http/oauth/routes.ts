import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpApp } from '../parts.ts'
import type { OAuthRoutes } from './parts.ts'

const serverMetadata = '/.well-known/oauth-authorization-server'
/** Tokens and descriptions of clients are small. */
const maxBody = 16_384
const hidden = { config: { access: 'public' as const }, schema: { hide: true } }
/** Programs that preview links send HEAD, which must do nothing. */
const readOnce = { ...hidden, exposeHeadRoute: false }

/**
 * Clients that run in a browser read these from other origins. No cookie counts here, so whatever page asks learns
 * nothing that it could not ask for itself.
 */
const openToPages = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'authorization, content-type, mcp-protocol-version',
  'access-control-allow-methods': 'GET, POST',
}

type Handle = (request: FastifyRequest, reply: FastifyReply) => unknown

/**
 * Routes of the authorization server. What answers them is loaded with the first request, since most servers get none
 * for hours.
 */
export const oauthRoutes = (app: HttpApp, parts: OAuthRoutes) => {
  const handlers = async () => (await import('./handlers.ts')).oauthHandlers(parts)
  let opened: ReturnType<typeof handlers> | undefined
  const handlersOnce = () =>
    (opened ??= handlers().catch((thrown: unknown) => {
      opened = undefined
      throw thrown
    }))
  type Handlers = Awaited<ReturnType<typeof handlers>>
  const by =
    (name: keyof Handlers): Handle =>
    async (request, reply) =>
      (await handlersOnce())[name](request, reply)
  const opening =
    (name: keyof Handlers): Handle =>
    async (request, reply) =>
      (await handlersOnce())[name](request, reply.headers(openToPages))
  const preflight = (url: string) =>
    app.options(url, hidden, async (_request, reply) => reply.code(204).headers(openToPages).send())

  const path = parts.publicUrl === undefined ? '' : new URL(parts.publicUrl).pathname.replace(/\/$/, '')
  const metadata = new Set([serverMetadata, '/.well-known/openid-configuration', `${serverMetadata}${path}`])
  for (const url of metadata) {
    app.get(url, hidden, opening('metadata') as never)
    preflight(url)
  }
  app.get('/.well-known/oauth-protected-resource/v1', hidden, opening('apiMetadata') as never)
  app.get('/oauth/authorize', readOnce, by('authorize') as never)
  app.post('/oauth/register', { ...hidden, bodyLimit: maxBody }, opening('register') as never)
  for (const url of ['/oauth/token', '/oauth/revoke', '/oauth/register']) preflight(url)
  void app.register(async (forms) => {
    forms.removeAllContentTypeParsers()
    forms.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: maxBody },
      (_request, body, done) => done(null, new URLSearchParams(body as string)),
    )
    // Without a body nothing is parsed, and the handlers read a form.
    forms.addHook('preHandler', async (request, reply) => {
      if (request.body !== undefined) return undefined
      const { sendRefusal } = await import('./form.ts')
      return sendRefusal(reply, 'invalid_request', 'The request has no form (application/x-www-form-urlencoded).')
    })
    forms.post('/oauth/token', hidden, opening('token'))
    forms.post('/oauth/revoke', hidden, opening('revoke'))
    forms.post('/oauth/authorize', { ...hidden, bodyLimit: 4 * maxBody }, by('decide'))
    forms.post('/oauth/sign-in', hidden, by('signIn'))
  })
}
