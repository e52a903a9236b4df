import { isIP } from 'node:net'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { fail } from '#kit'
import type { Failure } from '#kit'
import { canonicalPath } from './paths.ts'
import type { EgressRules, ResolveHost } from '../types.ts'

/** The origin of a provider, an agent, a file or the description of a client, parsed and checked once. */
export type Place = {
  origin: string
  /** Path of the base URL without a trailing "/"; usually ''. */
  prefix: string
  /** The operator listed the origin: it may be private or plain http. */
  listed: boolean
  /** The origin may be a loopback address. */
  loopback: boolean
}

/** Thrown inside the DNS lookup of a connection, so provably nothing was sent. */
export type EgressError = Error & { code: 'EGRESS_BLOCKED' }

const blocked = (): EgressError =>
  Object.assign(new Error('The name resolves to an address that is not on the public internet.'), {
    code: 'EGRESS_BLOCKED' as const,
  })

const publicPorts = new Set(['', '443', '8443'])
const privateName = /(^|\.)(localhost|local|internal|home\.arpa)$/

/** `public`, or the kind of private or special range that an address lies in. */
const rangeOf = (address: string): string => {
  if (!ipaddr.isValid(address)) return 'unreadable'
  const parsed = ipaddr.process(address)
  const range = parsed.range()
  if (range !== 'unicast') return range
  // Of IPv6 only 2000::/3 is allocated; the rest includes old forms that contain private IPv4 addresses.
  return parsed.kind() === 'ipv4' || ((parsed as ipaddr.IPv6).parts[0] ?? 0) >> 13 === 1 ? 'public' : 'reserved'
}

/** Whether connections for a place may use an address. */
const mayConnect = (address: string, place: Pick<Place, 'listed' | 'loopback'>): boolean => {
  const range = rangeOf(address)
  if (range === 'public') return true
  if (!place.listed || range === 'unreadable') return false
  return range !== 'loopback' || place.loopback
}

const hostOf = (url: URL) =>
  (url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname).replace(/\.$/, '')

/** The part of an address after scheme and authority, as written. */
const rawPath = (text: string) => text.slice(/^[a-z]+:\/\/[^/\\?#]*/i.exec(text)?.[0].length ?? text.length)

const readUrl = (text: string, refuse: (why: string) => Failure): URL => {
  if (/[\s\\\p{Cc}]/u.test(text)) throw refuse('holds a space, a control character or a backslash')
  if (!/^https?:\/\/[^/]/i.test(text)) throw refuse('does not begin with "https://"')
  if (!URL.canParse(text)) throw refuse('cannot be read')
  const url = new URL(text)
  if (url.username !== '' || url.password !== '' || /^[a-z]+:\/\/[^/]*@/i.test(text))
    throw refuse('holds a user name or password')
  if (/[?#]/.test(text)) throw refuse('holds a query or a fragment')
  const path = rawPath(text)
  if (path !== '' && path !== '/') {
    try {
      canonicalPath(path)
    } catch {
      throw refuse('holds a path that is not plain')
    }
    if (url.pathname !== path) throw refuse('holds a path that a URL parser reads differently')
  }
  return url
}

const checkPublic = (url: URL, host: string, refuse: (why: string) => Failure) => {
  if (url.protocol !== 'https:') throw refuse('is not https')
  if (!publicPorts.has(url.port)) throw refuse(`uses port ${url.port}`)
  if (isIP(host) !== 0 && rangeOf(host) !== 'public') throw refuse('is not a public address')
  if (isIP(host) === 0 && (!host.includes('.') || privateName.test(host)))
    throw refuse('is a name of a private network')
}

/** Loaded at the first name, since the module takes a while. */
const resolveByName: ResolveHost = (hostname) =>
  process.getBuiltinModule('node:dns/promises').lookup(hostname, { all: true, verbatim: true })

export const createEgress = (rules: EgressRules, resolve: ResolveHost = resolveByName) => {
  const originsOf = (origins: string[] = []) => new Set(origins.map((origin) => new URL(origin).origin))
  const own = originsOf(rules.ownOrigins)
  const providers = originsOf(rules.privateOrigins.concat(rules.ownOrigins ?? []))
  // A separate list: tenants choose the addresses of agents, and must not call a provider's private origin that way.
  const agents = originsOf(rules.agentOrigins)
  // Callers of any tenant name these addresses, so neither of the other lists applies.
  const files = originsOf(rules.fileOrigins)
  const clients = originsOf(rules.clientOrigins)
  const settings = new Map([
    [providers, 'TOOLYARD_PRIVATE_ORIGINS'],
    [agents, 'TOOLYARD_AGENT_ORIGINS'],
    [files, 'TOOLYARD_FILE_ORIGINS'],
  ])

  const placeOf = (address: string, setting: string, listed: Set<string>): Place => {
    const list = settings.get(listed)
    const remedy = list === undefined ? '' : `, or list its origin in ${list}`
    const refuse = (why: string) =>
      fail(
        'not_allowed',
        `The address set in "${setting}" ${why}, so nothing is sent to it. Give a public https address${remedy}.`,
      )
    const url = readUrl(address, refuse)
    const host = hostOf(url)
    const isOwn = listed === providers && own.has(url.origin)
    const place = {
      origin: url.origin,
      prefix: url.pathname.replace(/\/$/, ''),
      listed: listed.has(url.origin),
      loopback: isOwn || !rules.production,
    }
    if (!place.listed) checkPublic(url, host, refuse)
    else if (isIP(host) !== 0 && !mayConnect(host, place))
      throw refuse('is this machine itself, which production mode refuses')
    return place
  }

  return {
    /**
     * Reads an address that an operator set. Throws `not_allowed`, naming the setting, when the address could lead off
     * the public internet and is not listed.
     */
    place: (address: string, setting: string): Place => placeOf(address, setting, providers),

    /** Like `place`, for the origin of a file that a caller named. */
    placeOfFile: (origin: string): Place => placeOf(origin, 'url', files),

    /** Like `place`, for the description of a client, at an address that the client names. */
    placeOfClient: (address: string): Place => placeOf(address, 'client_id', clients),

    /** Like `place`, for the origin of an agent. */
    placeOfAgent(origin: string): Place {
      const isHere =
        rules.loopbackAgents === true &&
        !rules.production &&
        /^http:\/\/127\.0\.0\.1(:\d+)?$/.test(origin) &&
        !own.has(origin)
      return isHere ? { origin, prefix: '', listed: true, loopback: true } : placeOf(origin, 'agent.url', agents)
    },

    /**
     * The DNS lookup of a connection: every resolved address must be allowed, and the address checked is the address
     * used.
     */
    lookupFor(place: Place): LookupFunction {
      return (hostname, options, callback) => {
        resolve(hostname).then(
          (answers) => {
            const first = answers[0]
            if (first === undefined)
              return callback(Object.assign(new Error('The name has no address.'), { code: 'ENOTFOUND' }), '', 0)
            if (!answers.every(({ address }) => mayConnect(address, place))) return callback(blocked(), '', 0)
            if (options.all) return callback(null, answers)
            callback(null, first.address, first.family)
          },
          (error: NodeJS.ErrnoException) => callback(error, '', 0),
        )
      }
    },
    proxy: rules.proxy,
  }
}
export type Egress = ReturnType<typeof createEgress>
