import type { FastifyRequest } from 'fastify'
import { fail, isFailure } from '#kit'
import type { Pack } from '../../pack.ts'
import type { Caller, Scope } from '../../runtime/ports/index.ts'

/** What a route requires of the caller: nothing, any valid token, or one of these scopes. */
export type Access = 'public' | 'any' | Scope[]

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
  }
  interface FastifyRequest {
    /** Set before the handler of a route with any access but `public`. */
    caller: Caller
    /** The step run of this request, for the log line. */
    runId: string | undefined
    /** The failure code of the response, for the log line. */
    code: string | undefined
  }
}

/** The token of a request; empty when it has none. */
export const bearerOf = ({ headers }: FastifyRequest) => /^Bearer +([\x21-\x7e]+) *$/i.exec(headers.authorization ?? '')?.[1] ?? ''

/** @throws Failure `unauthenticated`, the same for every reason; `rate_limited` after too many wrong tokens from one address; `unavailable` */
export const authenticate = async (pack: Pack, request: FastifyRequest): Promise<Caller> => {
  try {
    return await pack.tokens.authenticate(bearerOf(request))
  } catch (thrown) {
    // A valid token is accepted after any number of wrong ones: others may share the address.
    if (isFailure(thrown) && thrown.code === 'unauthenticated' && request.headers.authorization !== undefined) pack.limits.wrongToken(request.ip)
    throw thrown
  }
}

/** @throws Failure `unauthenticated`, the same for every reason; `not_allowed` when the token lacks the scope; `rate_limited` */
export const authorize = async (pack: Pack, access: Access, request: FastifyRequest): Promise<Caller | undefined> => {
  if (access === 'public') return undefined
  const caller = await authenticate(pack, request)
  pack.limits.admit(caller.tenant)
  if (access === 'any' || access.some((scope) => caller.scopes?.includes(scope) ?? true)) return caller
  const wanted = access.map((scope) => `"${scope}"`).join(' or ')
  const refusal = fail('not_allowed', `This token lacks permission. Use one with the scope ${wanted}.`)
  await pack.audit.refused(caller, { what: `${request.method} ${request.routeOptions.url ?? ''}` }, refusal)
  throw refusal
}
