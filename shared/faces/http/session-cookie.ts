import type { FastifyReply, FastifyRequest } from 'fastify'
import { fail } from '#kit'
import type { BrowserAddressOf } from './address.ts'

/** Name of the cookie. Browsers send it to every port of a host, so two servers on one machine need two names. */
const nameAt = ({ port }: URL) => `toolyard_session${port === '' ? '' : `_${port}`}`
/** The cookie is sent to the API and to the pages for callers' OAuth only, not to other paths of this host. */
const folders = ['/v1', '/oauth']

const attributes = (at: URL, folder: string) =>
  `Path=${at.pathname.replace(/\/$/, '')}${folder}; HttpOnly; SameSite=Lax${at.protocol === 'https:' ? '; Secure' : ''}`

/** Whether a session cookie gives access to this path; other paths need a bearer token. */
export const isForSessions = (path: string) => path.startsWith('/v1/')
const isSentTo = (path: string) => folders.some((folder) => path.startsWith(`${folder}/`))

const wrongHost = () =>
  fail(
    'not_allowed',
    'This server does not accept sign-in under that host name. Its operator can set TOOLYARD_PUBLIC_URL to the public address.',
  )

export type SessionCookie = ReturnType<typeof createSessionCookie>

/** The cookie of a signed-in browser. It is valid only at some paths of this server, and only for its own pages. */
export const createSessionCookie = (addressOf: BrowserAddressOf) => ({
  /** The secret of the session; undefined if there is no cookie, or more than one. */
  read(request: FastifyRequest): string | undefined {
    const at = addressOf(request)
    if (at === undefined || request.headers.cookie === undefined || !isSentTo(request.routeOptions.url ?? ''))
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
    const expires = new Date(expiresAt).toUTCString()
    return reply.header(
      'set-cookie',
      folders.map((folder) => `${nameAt(at)}=${secret}; Expires=${expires}; ${attributes(at, folder)}`),
    )
  },

  clear(request: FastifyRequest, reply: FastifyReply) {
    const at = addressOf(request)!
    return reply.header(
      'set-cookie',
      folders.map((folder) => `${nameAt(at)}=; Max-Age=0; ${attributes(at, folder)}`),
    )
  },

  /**
   * Refuses to sign a browser in under a host name that may belong to somebody else.
   * @throws Failure `not_allowed`
   */
  requireOwnHost(request: FastifyRequest) {
    if (addressOf(request) === undefined) throw wrongHost()
  },

  /**
   * Refuses requests that a browser sends for a page of another site, of another program on this machine, or of a name
   * that now resolves to this machine. `isForm`: of a page, which has no referrer, so that browsers hide its origin.
   * @throws Failure `not_allowed`
   */
  refuseForeign(request: FastifyRequest, isForm = false) {
    const at = addressOf(request)
    if (at === undefined) throw wrongHost()
    const { origin } = request.headers
    const site = request.headers['sec-fetch-site']
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    // "none": the address was typed, so no page sent the request, and such a request may only read.
    const isOwnSite = site === undefined || site === 'same-origin' || (site === 'none' && isRead)
    const isOwnOrigin = origin === undefined || origin === at.origin || (isForm && origin === 'null')
    if (!isOwnOrigin || !isOwnSite)
      throw fail('not_allowed', 'Pages of other origins may not use a session of this server.')
  },
})
