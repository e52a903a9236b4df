import type { FastifyRequest } from 'fastify'
import { fail, isUnauthenticated } from '#kit'
import type { Pack } from '../../../pack.ts'
import type { Session } from '../../../api/resources/session.ts'
import type { Caller } from '../../../runtime/ports/index.ts'
import type { AddressOf } from '../address.ts'
import type { SessionCookie } from '../session-cookie.ts'

/** Who is signed in, in the browser that a request came from. */
export type SignedIn = {
  caller: Caller
  session: Session
  /** For the forms of a page: `requireOwnForm` asks for it back. */
  csrfToken: string
}

export type SignIn = ReturnType<typeof createSignIn>

type SignInDependencies = { pack: Pack; cookie: SessionCookie; addressOf: AddressOf }

/** Signing in, for pages of this server that are not the console's. Such a page is below /oauth/. */
export const createSignIn = ({ pack, cookie, addressOf }: SignInDependencies) => {
  const secretOf = (request: FastifyRequest) =>
    request.headers.authorization === undefined ? cookie.read(request) : undefined
  const signedIn = async (request: FastifyRequest): Promise<SignedIn | undefined> => {
    const secret = secretOf(request)
    if (secret === undefined) return undefined
    try {
      const caller = await pack.sessions.authenticate(secret)
      const session = await pack.sessions.view(caller, secret)
      return { caller, session, csrfToken: session.csrfToken! }
    } catch (thrown) {
      if (isUnauthenticated(thrown)) return undefined
      throw thrown
    }
  }
  return {
    /** Who is signed in; undefined when nobody is, or the session has ended. */
    signedIn,
    /**
     * Who posted a form of our own page.
     * @throws Failure `not_allowed` for a form of another page or session; `unauthenticated` when nobody is signed in
     */
    async requireOwnForm(request: FastifyRequest, csrfToken: unknown): Promise<SignedIn> {
      cookie.refuseForeign(request, true)
      const person = await signedIn(request)
      if (!person) throw fail('unauthenticated', 'You are signed out, or the session has ended. Sign in again.')
      if (typeof csrfToken !== 'string' || !pack.sessions.isCsrfToken(secretOf(request)!, csrfToken))
        throw fail('not_allowed', 'This form is not one of your session. Open the page again.')
      return person
    },
    /** Where to send a browser that has to sign in, and comes back to `next`: a path as the browser sees it. */
    addressFor: (request: FastifyRequest, next: string) =>
      `${addressOf(request)}/login?next=${encodeURIComponent(next)}`,
  }
}
