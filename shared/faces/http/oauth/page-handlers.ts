import type { FastifyReply, FastifyRequest } from 'fastify'
import { isFailure, toFailureJson } from '#kit'
import type { Choice, SignedIn } from '../../../runtime/oauth/authorize.ts'
import type { OAuth } from '../../../runtime/oauth/oauth.ts'
import { countingWrong } from '../auth.ts'
import { createSignIn } from '../login/signed-in.ts'
import { described, isRefusal, queryOf, readParameters, twice } from './form.ts'
import type { Refused } from './form.ts'
import { consentPage, refusedPage, signInPage } from './pages.ts'
import type { OAuthRoutes } from './parts.ts'

/** A person who is signed in in this browser, and what proves that a form is of a page shown to them. */
type Visitor = SignedIn & { csrfToken: string }

/**
 * Pages are framed by nobody, load only their own style, and post to this server alone; `leaves`: where the answer to
 * the form may send the browser, which browsers hold to be part of the form's action.
 */
const sendPage = (reply: FastifyReply, html: string, { status = 200, leaves = '' } = {}) =>
  reply
    .code(status)
    .headers({
      'content-security-policy': `default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'${leaves}; base-uri 'none'; frame-ancestors 'none'`,
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      // With "no-referrer", browsers send no origin with a form.
      'referrer-policy': 'same-origin',
    })
    .type('text/html; charset=utf-8')
    .serializer(String)
    .send(html)

const leavesTo = (redirectUri: string) => {
  const { protocol, origin } = new URL(redirectUri)
  return ` ${/^https?:$/.test(protocol) ? origin : protocol}`
}

const readChoice = (form: URLSearchParams): Choice => {
  const credits = form.get('credits') ?? ''
  return {
    shown: form.get('shown') ?? '',
    sets: form.getAll('set'),
    connections: form.getAll('connection'),
    credits: credits.trim() === '' ? undefined : Number(credits),
  }
}

type PageDependencies = Pick<OAuthRoutes, 'pack' | 'addressOf' | 'cookie' | 'brand'>

/** Pages on which a person signs in and decides. */
export const pageHandlers = ({ pack, addressOf, cookie, brand }: PageDependencies, oauth: OAuth) => {
  const rootOf = (request: FastifyRequest) =>
    new URL(addressOf(request), 'http://own.internal').pathname.replace(/\/$/, '')

  const placeOf = (request: FastifyRequest) => ({ root: rootOf(request), brand })
  const { signedIn, addressFor } = createSignIn({ pack, cookie, addressOf })
  const visitorOf = async (request: FastifyRequest): Promise<Visitor | undefined> => {
    const person = await signedIn(request)
    if (!person) return undefined
    pack.limits.admit(person.caller.tenant)
    return { caller: person.caller, who: person.session.token.name, csrfToken: person.csrfToken }
  }

  /** The team's own provider, if there is one, which brings the browser back. */
  const loginFor = (request: FastifyRequest, query: string) =>
    pack.login && {
      name: pack.login.name,
      url: addressFor(request, `${rootOf(request)}/oauth/authorize?${query}`),
    }

  const sendSignIn = (request: FastifyRequest, reply: FastifyReply, query: string, problem?: string) =>
    sendPage(reply, signInPage({ ...placeOf(request), query, problem, login: loginFor(request, query) }), {
      status: problem === undefined ? 200 : 401,
    })

  const sendRefused = (request: FastifyRequest, reply: FastifyReply, { code, message, back }: Refused) => {
    const url =
      back &&
      oauth.answerAt(back.redirectUri, {
        error: code,
        error_description: described(message),
        state: back.state,
        iss: addressOf(request),
      })
    // Nobody is sent to an address that a stranger registered before they have chosen to go there.
    return sendPage(reply, refusedPage({ ...placeOf(request), message, url }), {
      status: 400,
      leaves: back ? leavesTo(back.redirectUri) : '',
    })
  }

  const showConsent = async (request: FastifyRequest, reply: FastifyReply, visitor: Visitor, problem?: string) => {
    const parameters = readParameters(queryOf(request))
    if (!parameters) return sendRefused(request, reply, { code: 'invalid_request', message: twice })
    const authorization = await oauth.read(parameters, addressOf(request))
    const offer = await oauth.offer(visitor, authorization)
    const action = `${rootOf(request)}/oauth/authorize?${queryOf(request).toString()}`
    return sendPage(reply, consentPage({ ...placeOf(request), offer, action, csrf: visitor.csrfToken, problem }), {
      leaves: leavesTo(offer.redirectUri),
    })
  }

  const decide = async (request: FastifyRequest, reply: FastifyReply, visitor: Visitor) => {
    const form = request.body as URLSearchParams
    const parameters = readParameters(queryOf(request))
    if (!parameters) return sendRefused(request, reply, { code: 'invalid_request', message: twice })
    const base = addressOf(request)
    const authorization = await oauth.read(parameters, base)
    const { redirectUri, state } = authorization
    const leave = (url: string) => reply.code(303).header('location', url).send()
    if (form.get('decision') !== 'allow')
      return leave(oauth.answerAt(redirectUri, { error: 'access_denied', state, iss: base }))
    const offer = await oauth.offer(visitor, authorization)
    const choice = readChoice(form)
    if (choice.shown !== offer.shown)
      return showConsent(request, reply, visitor, 'What is asked for has changed meanwhile. Look at it again.')
    try {
      return leave(await oauth.grant(visitor, authorization, offer, choice, base))
    } catch (thrown) {
      if (!isFailure(thrown)) throw thrown
      return showConsent(request, reply, visitor, toFailureJson(thrown).message)
    }
  }

  const refusable =
    (work: (request: FastifyRequest, reply: FastifyReply) => unknown) =>
    async (request: FastifyRequest, reply: FastifyReply) => {
      try {
        return await work(request, reply)
      } catch (thrown) {
        if (!isRefusal(thrown)) throw thrown
        return sendRefused(request, reply, thrown)
      }
    }

  return {
    authorize: refusable(async (request, reply) => {
      const visitor = await visitorOf(request)
      // Before somebody has signed in, nothing of the request is read: it could make this server fetch addresses.
      if (!visitor) return sendSignIn(request, reply, queryOf(request).toString())
      return showConsent(request, reply, visitor)
    }),
    decide: refusable(async (request, reply) => {
      cookie.refuseForeign(request)
      const visitor = await visitorOf(request)
      if (!visitor) return sendSignIn(request, reply, queryOf(request).toString())
      if (!pack.sessions.isCsrfToken(cookie.read(request)!, (request.body as URLSearchParams).get('csrf') ?? ''))
        return showConsent(request, reply, visitor, 'Your answer came from another page, so it does not count.')
      return decide(request, reply, visitor)
    }),
    signIn: async (request: FastifyRequest, reply: FastifyReply) => {
      cookie.refuseForeign(request)
      const form = request.body as URLSearchParams
      const query = new URLSearchParams(form.get('query') ?? '').toString()
      try {
        const token = (form.get('token') ?? '').trim()
        const { secret, session } = await countingWrong(pack, request, pack.sessions.signIn({ token }))
        cookie.set(request, reply, secret, session.expiresAt!)
        return await reply
          .code(303)
          .header('location', `${rootOf(request)}/oauth/authorize?${query}`)
          .send()
      } catch (thrown) {
        if (!isFailure(thrown)) throw thrown
        return sendSignIn(request, reply, query, toFailureJson(thrown).message)
      }
    },
  }
}
