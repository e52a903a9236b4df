/** Signing in at the operator's OpenID provider, and going on to where the browser wanted to be. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { failField, isRateLimited, isUnavailable } from '#kit'
import type { Brand } from '../../../api/resources/brand.ts'
import { readLocalPath } from '../../../pack.ts'
import type { Pack } from '../../../pack.ts'
import type { AddressOf } from '../address.ts'
import type { HttpApp } from '../parts.ts'
import type { SessionCookie } from '../session-cookie.ts'
import { refusedPage } from './pages.ts'
import type { Refusal } from './pages.ts'

const cookieSeconds = 600
const maxNext = 2_000
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const statuses: Record<Refusal, number> = {
  lost: 403,
  used: 403,
  denied: 403,
  'not-accepted': 403,
  failed: 502,
  away: 503,
  busy: 429,
}

/**
 * What a browser keeps while it is at the provider. `SameSite=Lax`: it is sent when the provider sends the browser back.
 * `__Host-`: no other host of the domain can plant one.
 */
const pendingCookie = (address: string) => {
  const { protocol, port } = new URL(address)
  const isSecure = protocol === 'https:'
  const name = isSecure ? '__Host-toolyard-login' : `toolyard_login${port === '' ? '' : `_${port}`}`
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  return {
    read(request: FastifyRequest): string | undefined {
      const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='))
      const values = pairs.filter(([key]) => key === name)
      return values.length === 1 ? values[0]![1] : undefined
    },
    set: (reply: FastifyReply, value: string) =>
      reply.header('set-cookie', `${name}=${value}; Max-Age=${cookieSeconds}; ${attributes}`),
    clear: (reply: FastifyReply) => reply.header('set-cookie', `${name}=; Max-Age=0; ${attributes}`),
  }
}

const queryOf = ({ raw }: FastifyRequest) => new URL(raw.url ?? '/', 'http://host').searchParams

const hidden = { config: { access: 'public' as const }, schema: { hide: true }, exposeHeadRoute: false }

type LoginRoutes = { pack: Pack; addressOf: AddressOf; cookie: SessionCookie; brand: Brand }

export const loginRoutes = (app: HttpApp, { pack, addressOf, cookie, brand }: LoginRoutes) => {
  const { login } = pack
  const rootOf = (request: FastifyRequest) => new URL(addressOf(request), 'http://host').pathname.replace(/\/$/, '')
  const see = (reply: FastifyReply, address: string) => reply.code(303).header('location', address).send()

  /** @throws Failure `invalid_input` for anything but a path below this server's own. */
  const nextOf = (request: FastifyRequest): string => {
    const root = rootOf(request)
    const text = queryOf(request).get('next') ?? `${root}/console/`
    const path = readLocalPath(text, maxNext)
    if (path?.startsWith(`${root}/`)) return path
    throw failField('next', '"next" must be a path of this server, of at most 2000 characters.')
  }

  const refuse = (request: FastifyRequest, reply: FastifyReply, why: Refusal, next?: string) => {
    const root = rootOf(request)
    // The address to which the provider sends browsers back, which may not be the one that this one came by.
    const again = `${pack.connect.base()}/login${next === undefined ? '' : `?next=${encodeURIComponent(next)}`}`
    return reply
      .code(statuses[why])
      .headers({
        'content-security-policy': policy,
        'x-frame-options': 'DENY',
        'cross-origin-opener-policy': 'same-origin',
      })
      .type('text/html; charset=utf-8')
      .serializer(String)
      .send(refusedPage(why, { brand, name: login!.name, again, root }))
  }

  app.get('/login', hidden, async (request, reply) => {
    cookie.requireOwnHost(request)
    const next = nextOf(request)
    // Without a provider, the console has its own ways to sign in.
    if (!login) return see(reply as FastifyReply, `${rootOf(request)}/console/?next=${encodeURIComponent(next)}`)
    try {
      const { address, pending } = await login.begin(next)
      pendingCookie(addressOf(request)).set(reply as FastifyReply, pending)
      return see(reply as FastifyReply, address)
    } catch (thrown) {
      if (isUnavailable(thrown)) return refuse(request, reply as FastifyReply, 'away', next)
      throw thrown
    }
  })

  // For a page that cannot tell a path of this server from an address elsewhere, such as one that runs in a browser.
  app.get('/login/next', hidden, async (request, reply) => see(reply as FastifyReply, nextOf(request)))

  if (!login) return
  app.get('/login/callback', hidden, async (request, reply) => {
    cookie.requireOwnHost(request)
    const kept = pendingCookie(addressOf(request))
    try {
      const takeBack = pack.limits.signInAnswer(request.ip)
      let isWrong = false
      kept.clear(reply as FastifyReply)
      try {
        const result = await login.finish(kept.read(request), `?${queryOf(request)}`)
        isWrong = result.kind === 'refused'
        if (result.kind === 'refused') return refuse(request, reply as FastifyReply, result.refusal, result.next)
        cookie.set(request, reply as FastifyReply, result.secret, result.session.expiresAt!)
        return see(reply as FastifyReply, result.next)
      } finally {
        if (!isWrong) takeBack()
      }
    } catch (thrown) {
      if (isUnavailable(thrown)) return refuse(request, reply as FastifyReply, 'away')
      if (isRateLimited(thrown)) return refuse(request, reply as FastifyReply, 'busy')
      throw thrown
    }
  })
}
