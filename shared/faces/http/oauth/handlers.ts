import type { FastifyReply, FastifyRequest } from 'fastify'
import { isFailure, toFailureJson } from '#kit'
import type { Choice, Parameters, SignedIn } from '../../../runtime/oauth/authorize.ts'
import type { OAuth } from '../../../runtime/oauth/oauth.ts'
import type { RefusalCode } from '../../../runtime/oauth/refusal.ts'
import { countingWrong } from '../auth.ts'
import { consentPage, refusedPage, signInPage } from './pages.ts'
import type { OAuthRoutes } from './routes.ts'

/** A person who is signed in in this browser, and what proves that a form is of a page shown to them. */
export type Visitor = SignedIn & { csrfToken: string; isCsrfToken(text: string): boolean }

type Refused = { code: RefusalCode; message: string; back?: { redirectUri: string; state: string | undefined } }
/** By its name: the class is loaded with the rest of the runtime's part. */
const isRefusal = (thrown: unknown): thrown is Refused & Error =>
  thrown instanceof Error && 'code' in thrown && 'back' in thrown

/** Parameters by name; an empty one counts as absent (RFC 6749, 3.1). Undefined: one is there twice. */
const readParameters = (query: URLSearchParams): Parameters | undefined => {
  const parameters: Parameters = {}
  for (const [name, value] of query) {
    if (Object.hasOwn(parameters, name)) return undefined
    if (value !== '') parameters[name] = value
  }
  return parameters
}
const queryOf = (request: FastifyRequest) => new URL(request.raw.url ?? '/', 'http://own.internal').searchParams

const statuses: { [code in RefusalCode]?: number } = { invalid_client: 401, temporarily_unavailable: 429 }
/** The characters that RFC 6749 allows. */
const described = (message: string) => message.replaceAll('"', "'").replace(/[^\x20-\x5b\x5d-\x7e]/g, '?')

const sendRefusal = (reply: FastifyReply, code: RefusalCode, message: string) => {
  const status = statuses[code] ?? 400
  if (status === 401) reply.header('www-authenticate', 'Basic realm="toolyard"')
  if (status === 429) reply.header('retry-after', '3600')
  return reply.code(status).send({ error: code, error_description: described(message) })
}

const twice = 'A parameter is there twice.'

/** The client that a request names, in its body or by HTTP Basic authentication. */
const readClient = (
  request: FastifyRequest,
  parameters: Parameters,
): { id: string; secret: string | undefined } | undefined => {
  const [, basic] = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(request.headers.authorization ?? '') ?? []
  if (basic === undefined) {
    const id = parameters['client_id']
    return id === undefined ? undefined : { id, secret: parameters['client_secret'] }
  }
  const [id, secret] = Buffer.from(basic, 'base64')
    .toString()
    .split(':', 2)
    .map((text) => new URLSearchParams(`v=${text}`).get('v')!)
  const named = parameters['client_id']
  return id === undefined || id === '' || (named !== undefined && named !== id) ? undefined : { id, secret }
}

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

export const oauthHandlers = async ({ pack, oauth: loader, addressOf, cookie }: OAuthRoutes) => {
  const oauth: OAuth = await loader.load()
  const rootOf = (request: FastifyRequest) =>
    new URL(addressOf(request), 'http://own.internal').pathname.replace(/\/$/, '')

  /** Who is signed in, by the session of the console. */
  const visitorOf = async (request: FastifyRequest): Promise<Visitor | undefined> => {
    const secret = cookie.read(request)
    if (secret === undefined) return undefined
    try {
      const caller = await pack.sessions.authenticate(secret)
      pack.limits.admit(caller.tenant)
      const { csrfToken = '', token } = await pack.sessions.view(caller, secret)
      return {
        caller,
        who: token.name,
        csrfToken,
        isCsrfToken: (text) => pack.sessions.isCsrfToken(secret, text),
      }
    } catch (thrown) {
      if (isFailure(thrown) && toFailureJson(thrown).code === 'unauthenticated') return undefined
      throw thrown
    }
  }

  const sendSignIn = (request: FastifyRequest, reply: FastifyReply, query: string, problem?: string) =>
    sendPage(reply, signInPage({ root: rootOf(request), query, problem }), {
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
    return sendPage(reply, refusedPage({ root: rootOf(request), message, url }), {
      status: 400,
      leaves: back ? leavesTo(back.redirectUri) : '',
    })
  }

  /** Answers a request for tokens of the client that it names. */
  const answerClient = async (
    request: FastifyRequest,
    reply: FastifyReply,
    work: (parameters: Parameters, client: string) => Promise<unknown>,
  ) => {
    const parameters = readParameters(request.body as URLSearchParams)
    if (!parameters) return sendRefusal(reply, 'invalid_request', twice)
    const client = readClient(request, parameters)
    if (!client) return sendRefusal(reply, 'invalid_client', 'The request names no client, or two.')
    try {
      await oauth.clients.authenticate(client.id, client.secret)
      return reply.code(200).send(await work(parameters, client.id))
    } catch (thrown) {
      if (!isRefusal(thrown)) throw thrown
      if (thrown.code === 'invalid_grant' || thrown.code === 'invalid_client') pack.limits.wrongToken(request.ip)
      return sendRefusal(reply, thrown.code, thrown.message)
    }
  }

  const showConsent = async (request: FastifyRequest, reply: FastifyReply, visitor: Visitor, problem?: string) => {
    const parameters = readParameters(queryOf(request))
    if (!parameters) return sendRefused(request, reply, { code: 'invalid_request', message: twice })
    const asked = await oauth.read(parameters, addressOf(request))
    const offer = await oauth.offer(visitor, asked)
    const action = `${rootOf(request)}/oauth/authorize?${queryOf(request).toString()}`
    return sendPage(reply, consentPage({ root: rootOf(request), offer, action, csrf: visitor.csrfToken, problem }), {
      leaves: leavesTo(offer.redirectUri),
    })
  }

  const decide = async (request: FastifyRequest, reply: FastifyReply, visitor: Visitor) => {
    const form = request.body as URLSearchParams
    const parameters = readParameters(queryOf(request))
    if (!parameters) return sendRefused(request, reply, { code: 'invalid_request', message: twice })
    const base = addressOf(request)
    const asked = await oauth.read(parameters, base)
    const { redirectUri, state } = asked
    const leave = (url: string) => reply.code(303).header('location', url).send()
    if (form.get('decision') !== 'allow')
      return leave(oauth.answerAt(redirectUri, { error: 'access_denied', state, iss: base }))
    const offer = await oauth.offer(visitor, asked)
    const choice = readChoice(form)
    if (choice.shown !== offer.shown)
      return showConsent(request, reply, visitor, 'What is asked for has changed meanwhile. Look at it again.')
    try {
      return leave(await oauth.grant(visitor, asked, offer, choice, base))
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
    metadata: async (request: FastifyRequest, reply: FastifyReply) => {
      const base = addressOf(request)
      return reply.send({
        issuer: base,
        authorization_endpoint: `${base}/oauth/authorize`,
        token_endpoint: `${base}/oauth/token`,
        registration_endpoint: `${base}/oauth/register`,
        revocation_endpoint: `${base}/oauth/revoke`,
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
        revocation_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
        scopes_supported: oauth.scopesAt('/v1'),
        protected_resources: oauth.resources().map((path) => base + path),
      })
    },
    apiMetadata: async (request: FastifyRequest, reply: FastifyReply) =>
      reply.send({
        resource: `${addressOf(request)}/v1`,
        resource_name: 'toolyard',
        authorization_servers: [pack.issuer ?? addressOf(request)],
        bearer_methods_supported: ['header'],
        scopes_supported: oauth.scopesAt('/v1'),
      }),
    register: async (request: FastifyRequest, reply: FastifyReply) => {
      try {
        return await reply.code(201).send(await oauth.clients.register(request.body, request.ip))
      } catch (thrown) {
        if (!isRefusal(thrown)) throw thrown
        return sendRefusal(reply, thrown.code, thrown.message)
      }
    },
    token: (request: FastifyRequest, reply: FastifyReply) =>
      answerClient(request, reply, (parameters, client) => oauth.token(parameters, client, addressOf(request))),
    revoke: (request: FastifyRequest, reply: FastifyReply) =>
      answerClient(request, reply, async (parameters, client) => {
        await oauth.revoke(parameters['token'] ?? '', client)
        return {}
      }),
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
      if (!visitor.isCsrfToken((request.body as URLSearchParams).get('csrf') ?? ''))
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
