import type { AddressInfo } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { failures } from '#kit'
import { isMark, newMark, redirectUri } from '../../../pack.ts'
import type { Pack } from '../../../pack.ts'
import type { ConnectPage, Refusal } from '../../../runtime/connections/browser/types.ts'
import type { HttpApp } from '../parts.ts'
import { icon, script, style } from './assets.ts'
import { donePage, formPage, leavePage, refusedPage } from './pages.ts'

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

/** Beyond the life of a flow, so that two of them one after the other share a browser's mark. */
const cookieSeconds = 3600

/** The mark of a browser. Lax: it must come along when the provider sends the browser back, and must not when another site posts a form. */
const browserMark = (base: string) => {
  const url = new URL(base)
  const isSecure = url.protocol === 'https:'
  const name = isSecure ? '__Host-toolyard-browser' : 'toolyard-browser'
  return {
    read(request: FastifyRequest): string | undefined {
      const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='))
      const value = pairs.find(([key]) => key === name)?.[1]
      return isMark(value) ? value : undefined
    },
    set: (reply: FastifyReply, mark: string) =>
      reply.header('set-cookie', `${name}=${mark}; Max-Age=${cookieSeconds}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`),
  }
}

const isForeign = (request: FastifyRequest, base: string) => {
  const { origin } = request.headers
  const site = request.headers['sec-fetch-site']
  // Without a referrer a browser calls the origin of a form "null"; the other header and the cookie tell it from a foreign one then.
  return (origin !== undefined && origin !== 'null' && origin !== new URL(base).origin) || (site !== undefined && site !== 'same-origin' && site !== 'none')
}

const sendPage = (reply: FastifyReply, base: string, answer: ConnectPage, clearQuery = false) => {
  const frame = { root: new URL(base).pathname.replace(/\/$/, ''), clearQuery }
  if (answer.kind === 'redirect') return reply.code(303).header('location', answer.url).send()
  reply
    // Browsers hold every redirect that follows a form to this list, and a provider's log-in page may be anywhere.
    .header('content-security-policy', policyFor(answer.kind === 'leave' ? `'self' https: ${answer.leave.to}` : "'self'"))
    .header('x-frame-options', 'DENY')
    .header('cross-origin-opener-policy', 'same-origin')
    .type('text/html; charset=utf-8')
    .serializer(String)
  if (answer.kind === 'form') return reply.code(answer.form.problem ? failures[answer.form.problem.code].status : 200).send(formPage(answer.form, frame))
  if (answer.kind === 'leave') return reply.send(leavePage(answer.leave, frame))
  if (answer.kind === 'done') return reply.send(donePage(answer.done, frame))
  const status = answer.refusal === 'failed' && answer.failure ? failures[answer.failure.code].status : statuses[answer.refusal]
  return reply.code(status).send(refusedPage(answer.refusal, answer, frame))
}

/** Pages for people; the document of the interface is for programs. */
const shown = { config: { access: 'public' as const }, schema: { hide: true } }

/** The pages a person sees while an account is connected, and the provider's way back. */
export const connectPages = (app: HttpApp, { pack }: { pack: Pack }) => {
  const { connect } = pack
  const asset = (name: string, type: string, text: string) =>
    app.get(`/connect/assets/${name}`, shown, async (_, reply) =>
      reply.type(type).header('cache-control', 'public, max-age=3600').serializer(String).send(text),
    )
  asset('page.css', 'text/css; charset=utf-8', style)
  asset('page.js', 'text/javascript; charset=utf-8', script)
  asset('icon.svg', 'image/svg+xml', icon)

  app.get<{ Params: { state: string } }>('/connect/:state', shown, async (request, reply) => {
    const base = connect.base()
    const mark = browserMark(base)
    const browser = mark.read(request) ?? newMark()
    mark.set(reply, browser)
    return sendPage(reply, base, await connect.open(request.params.state, browser))
  })

  app.get<{ Params: { integration: string } }>('/v1/oauth/:integration/callback', shown, async (request, reply) => {
    const base = connect.base()
    const { integration } = request.params
    // Built from the address we are known by, never from the Host header, which anybody may choose.
    const address = new URL(redirectUri(base, encodeURIComponent(integration)))
    address.search = new URL(request.raw.url ?? '/', base).search
    return sendPage(reply, base, await connect.finish(integration, browserMark(base).read(request), address), true)
  })

  app.register(async (forms) => {
    // A page must work without its script, so this takes what a form sends.
    forms.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string', bodyLimit: 16_384 }, (_request, body, done) =>
      done(null, Object.fromEntries(new URLSearchParams(body as string))),
    )
    forms.post<{ Params: { state: string }; Body: unknown }>('/connect/:state', shown, async (request, reply) => {
      const base = connect.base()
      const browser = isForeign(request, base) ? undefined : browserMark(base).read(request)
      const { body } = request
      const given = typeof body === 'object' && body !== null ? (body as Record<string, string>) : {}
      return sendPage(reply, base, await connect.submit(request.params.state, browser, given))
    })
  })
}

/** Where a browser can reach a server that listens there. */
const addressOf = (bound: AddressInfo | string | null): string | undefined => {
  if (typeof bound !== 'object' || bound === null) return undefined
  const anywhere = bound.address === '0.0.0.0' || bound.address === '::'
  const host = anywhere ? '127.0.0.1' : bound.family === 'IPv6' ? `[${bound.address}]` : bound.address
  return `http://${host}:${bound.port}`
}

/** Tells the pack where it is reached, once the server listens; what the operator set counts more. */
export const tellAddress = (app: HttpApp, pack: Pack, publicUrl: string | undefined) => {
  if (publicUrl !== undefined) pack.servedAt(publicUrl)
  app.addHook('onListen', async () => {
    const address = publicUrl ?? addressOf(app.server.address())
    if (address !== undefined) pack.servedAt(address)
  })
}
