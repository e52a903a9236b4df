import { fail } from '#kit'
import { countingWrong } from '../auth.ts'
import type { HttpApp, Parts } from '../parts.ts'
import { responses } from '../responses.ts'
import { credential, session, signInCode } from '../schemas-sessions.ts'
import type { SessionCookie } from '../session-cookie.ts'

const tags = ['Sessions']

/** Sign-in of browsers. */
export const sessionRoutes = (app: HttpApp, { pack, addressOf }: Parts, cookie: SessionCookie) => {
  app.post(
    '/v1/sign-in-codes',
    {
      config: { access: 'any' },
      schema: {
        operationId: 'createSignInCode',
        tags,
        summary: 'Get a link that signs a browser in to the console',
        description:
          'Creates a link with a code that signs one browser in as this token, once, within ten minutes. The session has the permissions of the token and ends with it. Tokens of an identity provider cannot be used.',
        response: responses({ status: 201, description: 'The link, shown only once', schema: signInCode }),
      },
    },
    async (request, reply) => {
      const { code, expiresAt } = await pack.sessions.createCode(request.caller)
      return reply.code(201).send({ url: `${addressOf(request)}/console/#code=${code}`, expiresAt })
    },
  )
  app.post(
    '/v1/session',
    {
      config: { access: 'public' },
      // Before the body is read.
      onRequest: async (request) => cookie.refuseForeign(request),
      schema: {
        operationId: 'signIn',
        tags,
        summary: 'Sign a browser in',
        description:
          'Exchanges the code of a sign-in link, or a token, for a session of at most twelve hours. The session is in a cookie that scripts cannot read; it authenticates the addresses under /v1 only. Only pages of this server may call it.',
        security: [],
        body: credential,
        response: responses(
          { status: 201, description: 'The session; its cookie is in Set-Cookie', schema: session },
          ['invalid_input', 'unauthenticated', 'not_allowed', 'rate_limited', 'too_large', 'unavailable', 'internal'],
          { access: 'public', body: true },
        ),
      },
    },
    async (request, reply) => {
      const { code, token } = request.body
      const given = code === undefined ? { token: token! } : { code }
      const { secret, session: made } = await countingWrong(pack, request, pack.sessions.signIn(given))
      cookie.set(request, reply, secret, made.expiresAt!)
      return reply.code(201).send(made)
    },
  )
  app.get(
    '/v1/session',
    {
      config: { access: 'any' },
      schema: {
        operationId: 'getSession',
        tags,
        summary: 'Get whose session this is and what it may do',
        description: 'The tenant and token behind the session cookie or bearer token, what the token may do, and in a session the CSRF token for writes.',
        response: responses({ description: 'The session', schema: session }),
      },
    },
    ({ caller, session: secret }) => pack.sessions.view(caller, secret),
  )
  app.delete(
    '/v1/session',
    {
      config: { access: 'any' },
      schema: {
        operationId: 'signOut',
        tags,
        summary: 'Sign out',
        description: 'Ends the session of this browser at once and removes its cookie. The token it was bound to, and other sessions, are not affected.',
        response: responses({ status: 204, description: 'Signed out' }, ['not_found']),
      },
    },
    async (request, reply) => {
      const { caller, session: secret } = request
      if (secret === undefined) throw fail('not_found', 'This request has a bearer token and no session, so there is nothing to sign out of.')
      await pack.sessions.signOut(caller, secret)
      cookie.clear(request, reply)
      return reply.code(204).send()
    },
  )
}
