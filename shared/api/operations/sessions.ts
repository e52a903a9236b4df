import { server } from '../resources/server.ts'
import { credential, session, signInCode } from '../resources/session.ts'
import { defineOperations } from '../operation.ts'

export const sessionOperations = defineOperations({
  createSignInCode: {
    method: 'POST',
    path: '/v1/sign-in-codes',
    tag: 'Sessions',
    summary: 'Get a link that signs a browser in to the console',
    description:
      'Creates a link with a code that signs one browser in as this token, once, within ten minutes. The session has the permissions of the token and ends with it. Tokens of an identity provider cannot be used.',
    output: { status: 201, description: 'The link, shown only once', schema: signInCode },
    failures: [],
  },
  signIn: {
    method: 'POST',
    path: '/v1/session',
    tag: 'Sessions',
    summary: 'Sign a browser in',
    description:
      'Exchanges the code of a sign-in link, or a token, for a session of at most twelve hours. The session is in a cookie that scripts cannot read; it authenticates the addresses under /v1 only. Only pages of this server may call it.',
    input: { body: credential },
    output: { status: 201, description: 'The session; its cookie is in Set-Cookie', schema: session },
    failures: [
      'invalid_input',
      'unauthenticated',
      'not_allowed',
      'rate_limited',
      'too_large',
      'unavailable',
      'internal',
    ],
  },
  getSession: {
    method: 'GET',
    path: '/v1/session',
    tag: 'Sessions',
    summary: 'Get whose session this is and what it may do',
    description:
      'The tenant and token behind the session cookie or bearer token, what the token may do, and in a session the CSRF token for writes.',
    output: { description: 'The session', schema: session },
    failures: [],
  },
  signOut: {
    method: 'DELETE',
    path: '/v1/session',
    tag: 'Sessions',
    summary: 'Sign out',
    description:
      'Ends the session of this browser at once and removes its cookie. The token it was bound to, and other sessions, are not affected.',
    output: { status: 204, description: 'Signed out' },
    failures: ['not_found'],
  },
  getServer: {
    method: 'GET',
    path: '/v1/server',
    tag: 'Health',
    summary: 'Get version, public address and sandbox of this server',
    description:
      'The version of this server, its public address if the operator set one, and where its sandbox listens if it was started with one.',
    output: { description: 'The server', schema: server },
    failures: [],
  },
  getMetrics: {
    method: 'GET',
    path: '/metrics',
    tag: 'Health',
    summary: 'Get metrics for Prometheus',
    description:
      'Counters and gauges in the Prometheus text format. Needs the scope metrics or admin, because the figures cover every tenant.',
    output: { description: 'Text format 0.0.4', content: 'text/plain' },
    failures: [],
  },
})
