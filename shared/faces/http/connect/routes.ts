import type { AddressInfo } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { failures } from '#kit'
import { isBrowserSecret, newBrowserSecret, redirectUri } from '../../../pack.ts'
import type { Brand } from '../../../api/resources/brand.ts'
import type { Pack } from '../../../pack.ts'
import type { ConnectPage, Refusal } from '../../../runtime/connections/browser/types.ts'
import type { HttpApp } from '../parts.ts'
import { brandStyle, icon, script, style } from './assets.ts'
import { checkEmbedOrigins, connectScript, toldOf } from './embed.ts'
import { textsIn } from './texts/index.ts'
import { choosePage, donePage, formPage, leavePage, refusedPage } from './pages.ts'

const policyFor = (formAction: string, ancestors: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action ${formAction}; base-uri 'none'; frame-ancestors ${ancestors}`

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
    /** `isFramed`: a frame of another site gets a cookie of its own there; forms of other sites are refused as ever. */
    set: (reply: FastifyReply, value: string, isFramed: boolean) => {
      const scope = isFramed && isSecure ? 'SameSite=None; Partitioned' : 'SameSite=Lax'
      return reply.header(
        'set-cookie',
        `${name}=${value}; Max-Age=${cookieSeconds}; Path=/; HttpOnly; ${scope}${isSecure ? '; Secure' : ''}`,
      )
    },
  }
}

const languagesOf = ({ headers }: FastifyRequest) => headers['accept-language']

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

const sendPage = async (
  reply: FastifyReply,
  base: string,
  page: ConnectPage,
  { origins, ...look }: { clearQuery: boolean; brand: Brand; origins: readonly string[] },
) => {
  const isEmbedded = origins.length > 0
  const embed = isEmbedded ? { origins, told: toldOf(page) } : undefined
  if (page.kind === 'redirect') return reply.code(303).header('location', page.url).send()
  const texts = await textsIn[page.locale]()
  const frame = { root: new URL(base).pathname.replace(/\/$/, ''), ...look, embed, texts }
  // Browsers apply `form-action` to every redirect after a form, and a provider's login page may be on any host.
  const formAction = page.kind === 'leave' ? `'self' https: ${page.leave.to}` : "'self'"
  reply.header('content-security-policy', policyFor(formAction, isEmbedded ? origins.join(' ') : "'none'"))
  // With these a page could neither be framed nor tell its opener how it ended.
  if (!isEmbedded) reply.header('x-frame-options', 'DENY').header('cross-origin-opener-policy', 'same-origin')
  reply.header('content-language', page.locale).type('text/html; charset=utf-8').serializer(String)
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
export const connectPages = (
  app: HttpApp,
  { pack, brand, embedOrigins }: { pack: Pack; brand: Brand; embedOrigins: readonly string[] },
) => {
  const origins = checkEmbedOrigins(embedOrigins)
  const send = (reply: FastifyReply, base: string, page: ConnectPage, clearQuery = false) =>
    sendPage(reply, base, page, { clearQuery, brand, origins })
  const { connect } = pack
  const asset = (name: string, type: string, text: string) =>
    app.get(`/connect/assets/${name}`, hidden, async (_, reply) =>
      reply.type(type).header('cache-control', 'public, max-age=3600').serializer(String).send(text),
    )
  asset('page.css', 'text/css; charset=utf-8', style + brandStyle(brand))
  asset('page.js', 'text/javascript; charset=utf-8', script)
  asset('icon.svg', 'image/svg+xml', icon)
  // Pages of the platform load it as a module, which needs leave.
  if (origins.length > 0)
    app.get('/connect/assets/toolyard-connect.js', hidden, async (_, reply) =>
      reply
        .type('text/javascript; charset=utf-8')
        .header('cache-control', 'public, max-age=3600')
        .header('access-control-allow-origin', '*')
        .header('cross-origin-resource-policy', 'cross-origin')
        .serializer(String)
        .send(connectScript),
    )
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
    cookie.set(reply, browser, origins.length > 0 && request.headers['sec-fetch-dest'] === 'iframe')
    return send(reply, base, await connect.open(request.params.state, browser, languagesOf(request)))
  })

  app.get<{ Params: { integration: string } }>('/v1/oauth/:integration/callback', readOnce, async (request, reply) => {
    const base = connect.base()
    const { integration } = request.params
    // Built from our own address, never from the Host header, which the client chooses.
    const address = new URL(redirectUri(base, encodeURIComponent(integration)))
    address.search = new URL(request.raw.url ?? '/', base).search
    const browser = browserCookie(base).read(request)
    return send(reply, base, await connect.finish(integration, browser, address, languagesOf(request)), true)
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
      return send(reply, base, await connect.submit(request.params.state, browser, fields, languagesOf(request)))
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
