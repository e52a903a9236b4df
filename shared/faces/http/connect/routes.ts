import type { AddressInfo } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { failures } from '#kit'
import { isBrowserSecret, newBrowserSecret, redirectUri } from '../../../pack.ts'
import type { Brand } from '../../../api/resources/brand.ts'
import type { Pack } from '../../../pack.ts'
import type { ConnectPage, Refusal } from '../../../runtime/connections/browser/types.ts'
import type { HttpApp } from '../parts.ts'
import { brandStyle, icon, script, style } from './assets.ts'
import { choosePage, donePage, formPage, leavePage, refusedPage } from './pages.ts'

const policyFor = (formAction: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action ${formAction}; base-uri 'none'; frame-ancestors 'none'`

const statuses: Record<Refusal, number> = {
  'no-state': 400,
  expired: 410,
  'foreign-browser': 403,
  'mixed-up': 403,
  denied: 403,
  'another-account': 409,
  failed: 500,
}

/** Longer than a flow lasts, so that consecutive flows share the browser's id. */
const cookieSeconds = 3600

/**
 * The cookie that identifies a browser. It is `SameSite=Lax`: it must be sent when the provider redirects back, but not
 * when another site posts a form.
 */
const browserCookie = (base: string) => {
  const url = new URL(base)
  const isSecure = url.protocol === 'https:'
  const name = isSecure ? '__Host-toolyard-browser' : 'toolyard-browser'
  return {
    read(request: FastifyRequest): string | undefined {
      const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='))
      const value = pairs.find(([key]) => key === name)?.[1]
      return isBrowserSecret(value) ? value : undefined
    },
    set: (reply: FastifyReply, value: string) =>
      reply.header(
        'set-cookie',
        `${name}=${value}; Max-Age=${cookieSeconds}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`,
      ),
  }
}

const isForeign = (request: FastifyRequest, base: string) => {
  const { origin } = request.headers
  const site = request.headers['sec-fetch-site']
  // Without a referrer, a browser sends the origin "null" with a form. Then the other header and the cookie tell
  // whether the form is ours.
  return (
    (origin !== undefined && origin !== 'null' && origin !== new URL(base).origin) ||
    (site !== undefined && site !== 'same-origin' && site !== 'none')
  )
}

const sendPage = (
  reply: FastifyReply,
  base: string,
  page: ConnectPage,
  look: { clearQuery: boolean; brand: Brand },
) => {
  const frame = { root: new URL(base).pathname.replace(/\/$/, ''), ...look }
  if (page.kind === 'redirect') return reply.code(303).header('location', page.url).send()
  reply
    // Browsers apply `form-action` to every redirect after a form, and a provider's login page may be on any host.
    .header('content-security-policy', policyFor(page.kind === 'leave' ? `'self' https: ${page.leave.to}` : "'self'"))
    .header('x-frame-options', 'DENY')
    .header('cross-origin-opener-policy', 'same-origin')
    .type('text/html; charset=utf-8')
    .serializer(String)
  if (page.kind === 'form')
    return reply
      .code(page.form.problem ? failures[page.form.problem.code].status : 200)
      .send(formPage(page.form, frame))
  if (page.kind === 'choose') return reply.send(choosePage(page.choose, frame))
  if (page.kind === 'leave') return reply.send(leavePage(page.leave, frame))
  if (page.kind === 'done') return reply.send(donePage(page.done, frame))
  const status = page.refusal === 'failed' && page.failure ? failures[page.failure.code].status : statuses[page.refusal]
  return reply.code(status).send(refusedPage(page.refusal, page, frame))
}

/** Pages for people are left out of the OpenAPI document. */
const hidden = { config: { access: 'public' as const }, schema: { hide: true } }
/** Programs that preview links in messages send HEAD, which must not bind the link to them. */
const readOnce = { ...hidden, exposeHeadRoute: false }

/** The pages for connecting an account, and the OAuth callback. */
export const connectPages = (app: HttpApp, { pack, brand }: { pack: Pack; brand: Brand }) => {
  const send = (reply: FastifyReply, base: string, page: ConnectPage, clearQuery = false) =>
    sendPage(reply, base, page, { clearQuery, brand })
  const { connect } = pack
  const asset = (name: string, type: string, text: string) =>
    app.get(`/connect/assets/${name}`, hidden, async (_, reply) =>
      reply.type(type).header('cache-control', 'public, max-age=3600').serializer(String).send(text),
    )
  asset('page.css', 'text/css; charset=utf-8', style + brandStyle(brand))
  asset('page.js', 'text/javascript; charset=utf-8', script)
  asset('icon.svg', 'image/svg+xml', icon)
  const { logo } = brand
  if (logo)
    app.get('/connect/assets/logo', hidden, async (_, reply) =>
      (reply as FastifyReply)
        .type(logo.type)
        // An SVG that is opened by itself must not run what it contains.
        .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
        .header('cache-control', 'public, max-age=3600')
        .serializer((bytes: unknown) => bytes as string)
        .send(Buffer.from(logo.bytes)),
    )

  app.head('/connect/:state', hidden, async (_, reply) =>
    reply.type('text/html; charset=utf-8').serializer(String).send(''),
  )
  app.get<{ Params: { state: string } }>('/connect/:state', readOnce, async (request, reply) => {
    const base = connect.base()
    const cookie = browserCookie(base)
    const browser = cookie.read(request) ?? newBrowserSecret()
    cookie.set(reply, browser)
    return send(reply, base, await connect.open(request.params.state, browser))
  })

  app.get<{ Params: { integration: string } }>('/v1/oauth/:integration/callback', readOnce, async (request, reply) => {
    const base = connect.base()
    const { integration } = request.params
    // Built from our own address, never from the Host header, which the client chooses.
    const address = new URL(redirectUri(base, encodeURIComponent(integration)))
    address.search = new URL(request.raw.url ?? '/', base).search
    return send(reply, base, await connect.finish(integration, browserCookie(base).read(request), address), true)
  })

  app.register(async (forms) => {
    // The pages work without their script, so form bodies are accepted.
    forms.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: 16_384 },
      (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(body as string))),
    )
    forms.post<{ Params: { state: string }; Body: unknown }>('/connect/:state', hidden, async (request, reply) => {
      const base = connect.base()
      const browser = isForeign(request, base) ? undefined : browserCookie(base).read(request)
      const { body } = request
      const fields = typeof body === 'object' && body !== null ? (body as Record<string, string>) : {}
      return send(reply, base, await connect.submit(request.params.state, browser, fields))
    })
  })
}

/** An address at which a browser on this machine reaches the server. */
const addressOf = (bound: AddressInfo | string | null): string | undefined => {
  if (typeof bound !== 'object' || bound === null) return undefined
  const anywhere = bound.address === '0.0.0.0' || bound.address === '::'
  const host = anywhere ? '127.0.0.1' : bound.family === 'IPv6' ? `[${bound.address}]` : bound.address
  return `http://${host}:${bound.port}`
}

/** Passes the address of the listening server to the pack; the operator's setting takes precedence. */
export const reportAddress = (app: HttpApp, pack: Pack, publicUrl: string | undefined) => {
  if (publicUrl !== undefined) pack.servedAt(publicUrl)
  app.addHook('onListen', async () => {
    const address = publicUrl ?? addressOf(app.server.address())
    if (address !== undefined) pack.servedAt(address)
  })
}
