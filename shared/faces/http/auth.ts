import type { FastifyRequest } from 'fastify'
import { fail, isUnauthenticated } from '#kit'
import type { Access } from '../../api/rules.ts'
import { lacksScope, mayCall } from '../../pack.ts'
import type { Pack } from '../../pack.ts'
import type { Caller } from '../../runtime/ports/index.ts'
import { resourceOf } from './oauth/resource.ts'
import type { SessionCookie } from './session-cookie.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
  }
  interface FastifyRequest {
    /** Set before the handler of a route with any access but `public`. */
    caller: Caller
    /** The secret of the session that authenticated the call; undefined for a bearer token. */
    session: string | undefined
    /** The path of the route as it is declared; null where no route matches. */
    route: string | null
    /** The step run of this request, for the log line. */
    runId: string | undefined
    /** The failure code of the response, for the log line. */
    code: string | undefined
  }
}

export const csrfHeader = 'x-csrf-token'

/** The token of a request; empty when it has none. */
export const bearerOf = ({ headers }: FastifyRequest) =>
  /^Bearer +([\x21-\x7e]+) *$/i.exec(headers.authorization ?? '')?.[1] ?? ''

/**
 * Counts wrong credentials per client address. A valid credential is accepted even after many wrong ones, because
 * others may share the address.
 */
export const countingWrong = async <T>(pack: Pack, request: FastifyRequest, work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (thrown) {
    if (isUnauthenticated(thrown)) pack.limits.wrongToken(request.ip)
    throw thrown
  }
}

const authenticateSession = async (
  pack: Pack,
  cookie: SessionCookie,
  request: FastifyRequest,
  secret: string,
): Promise<Caller> => {
  cookie.refuseForeign(request)
  const caller = await pack.sessions.authenticate(secret)
  if (request.method === 'GET' || request.method === 'HEAD') return caller
  const csrfToken = request.headers[csrfHeader]
  if (typeof csrfToken !== 'string' || !pack.sessions.isCsrfToken(secret, csrfToken))
    throw fail(
      'not_allowed',
      `In a session, calls other than GET need the header ${csrfHeader}. Its value is "csrfToken" of GET /v1/session.`,
    )
  return caller
}

export type Authenticate = (request: FastifyRequest) => Promise<Caller>

/**
 * Authenticates a request by its bearer token, or else by the session cookie.
 * @throws Failure `unauthenticated`, the same for every wrong token; `not_allowed` if another site uses the session;
 * `rate_limited` after too many wrong tokens from one address; `unavailable`
 */
export const createAuthenticate =
  (pack: Pack, cookie: SessionCookie): Authenticate =>
  async (request) => {
    const hasToken = request.headers.authorization !== undefined
    const secret = hasToken ? undefined : cookie.read(request)
    if (secret !== undefined) {
      const caller = await authenticateSession(pack, cookie, request, secret)
      request.session = secret
      return caller
    }
    const work = pack.tokens.authenticate(bearerOf(request), () => resourceOf(request))
    return hasToken ? countingWrong(pack, request, work) : work
  }

export type Authorize = (access: Access, request: FastifyRequest) => Promise<Caller | undefined>

/** @throws Failure as `Authenticate`; `not_allowed` when the token lacks the scope; `rate_limited` */
export const createAuthorize =
  (pack: Pack, authenticate: Authenticate): Authorize =>
  async (access, request) => {
    if (access === 'public') return undefined
    const caller = await authenticate(request)
    pack.limits.admit(caller.tenant)
    // The pack checks this again; here it is checked before a body is read.
    if (mayCall(caller, { access })) return caller
    const refusal = lacksScope({ access })
    await pack.audit.refused(caller, { what: `${request.method} ${request.routeOptions.url ?? ''}` }, refusal)
    throw refusal
  }
