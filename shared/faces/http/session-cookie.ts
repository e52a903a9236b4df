import type { FastifyReply, FastifyRequest } from 'fastify'
import { fail } from '#kit'
import type { BrowserAddressOf } from './address.ts'

/** Name of the cookie. Browsers send it to every port of a host, so two servers on one machine need two names. */
const nameAt = ({ port }: URL) => `toolyard_session${port === '' ? '' : `_${port}`}`
/** The cookie is sent to the API only, not to other paths of this host. */
const pathAt = ({ pathname }: URL) => `${pathname.replace(/\/$/, '')}/v1`

const attributes = (at: URL) =>
  `Path=${pathAt(at)}; HttpOnly; SameSite=Lax${at.protocol === 'https:' ? '; Secure' : ''}`

/** Whether a session cookie gives access to this path; other paths need a bearer token. */
export const isForSessions = (path: string) => path.startsWith('/v1/')

export type SessionCookie = ReturnType<typeof createSessionCookie>

/** The cookie of a signed-in browser. It is valid only at `/v1` of this server, and only for pages of this server. */
export const createSessionCookie = (addressOf: BrowserAddressOf) => ({
  /** The secret of the session; undefined if there is no cookie, or more than one. */
  read(request: FastifyRequest): string | undefined {
    const at = addressOf(request)
    if (at === undefined || request.headers.cookie === undefined || !isForSessions(request.routeOptions.url ?? ''))
      return undefined
    const name = `${nameAt(at)}=`
    const pairs = request.headers.cookie
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(name))
    return pairs.length === 1 ? pairs[0]!.slice(name.length) : undefined
  },

  set(request: FastifyRequest, reply: FastifyReply, secret: string, expiresAt: string) {
    const at = addressOf(request)!
    return reply.header(
      'set-cookie',
      `${nameAt(at)}=${secret}; Expires=${new Date(expiresAt).toUTCString()}; ${attributes(at)}`,
    )
  },

  clear(request: FastifyRequest, reply: FastifyReply) {
    const at = addressOf(request)!
    return reply.header('set-cookie', `${nameAt(at)}=; Max-Age=0; ${attributes(at)}`)
  },

  /**
   * Refuses requests that a browser sends for a page of another site, of another program on this machine, or of a name
   * that now resolves to this machine.
   * @throws Failure `not_allowed`
   */
  refuseForeign(request: FastifyRequest) {
    const at = addressOf(request)
    if (at === undefined)
      throw fail(
        'not_allowed',
        'This server does not accept sign-in under that host name. Its operator can set TOOLYARD_PUBLIC_URL to the public address.',
      )
    const { origin } = request.headers
    const site = request.headers['sec-fetch-site']
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    // "none": the address was typed, so no page sent the request, and such a request may only read.
    const isOwnSite = site === undefined || site === 'same-origin' || (site === 'none' && isRead)
    if ((origin !== undefined && origin !== at.origin) || !isOwnSite)
      throw fail('not_allowed', 'Pages of other origins may not use a session of this server.')
  },
})
