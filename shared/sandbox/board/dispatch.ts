/** Handles one request from raw bytes to reply; the checks are in the provider's order. */
import { authenticate, identify, takeCredentials, type Identity, type Presented } from './auth.ts'
import { answerOfFault, takeFault, type Fault, type Faults } from './faults.ts'
import { admit, type Limiter } from './limits.ts'
import { emptyParams, type Params } from './params.ts'
import { parseParams } from './parse.ts'
import type { Actor, World } from './records.ts'
import { answerOf, namedAnswers, refuse, type Answer } from './refusals.ts'
import { findRoute, isRaw, malformedId, type Call, type RouteMatch, type Table } from './routes.ts'

export type Incoming = {
  method: string
  url: string
  headers: Record<string, string | string[] | undefined>
  body: Uint8Array | undefined
}
export type Reply = {
  status: number
  headers: Record<string, string>
  contentType: string
  body: string | Uint8Array
  cut?: Fault['cut']
}

/** A request as it arrived. Credentials are recorded separately and are not in `headers`, `query` or `body`. */
export type RecordedRequest = {
  n: number
  at: number
  method: string
  path: string
  /** The route that answered, for example `POST /cards`; null when no route matches. */
  route: string | null
  values: Record<string, unknown>
  headers: Record<string, string>
  auth: Presented
  status: number
  /** Parameters unknown to the route: the provider ignores them; a test may fail on them. */
  unknown: string[]
  oddities: string[]
  clientIdentifier: string | null
  /** True when a fault set by the control functions determined the answer. */
  faulted: boolean
}

export type Server = {
  world: World
  table: Table
  limiter: Limiter
  faults: Faults
  requests: RecordedRequest[]
  seen: number
  keep: number
}

const jsonType = 'application/json; charset=utf-8'
const textType = 'text/plain; charset=utf-8'

export const toReply = (answer: Answer, headers: Record<string, string> = {}): Reply => ({
  status: answer.status,
  headers: { ...headers, ...answer.headers },
  contentType: answer.contentType ?? (typeof answer.body === 'string' ? textType : jsonType),
  body: typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body),
})

const unlimited = {
  'x-rate-limit-db-query-time-interval-ms': '600000',
  'x-rate-limit-db-query-time-max': '7200000',
  'x-rate-limit-db-query-time-remaining': '7199990',
}
const memberHeaders = {
  'x-rate-limit-member-interval-ms': '10000',
  'x-rate-limit-member-max': '375',
  'x-rate-limit-member-remaining': '374',
}

type Asking = {
  server: Server
  method: string
  path: string
  params: Params
  presented: Presented
  identity: Identity | undefined
  clientIdentifier: string | null
}

const headerOf = (incoming: Incoming, name: string): string | undefined => {
  const value = incoming.headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** Counts the request and refuses it when a window is full. The route /1/members/{id} itself has its own limit. */
const pace = (asking: Asking): Record<string, string> => {
  const { server, presented, identity, path } = asking
  const key =
    identity?.app.key ?? (presented.key !== null && server.world.state.apps.has(presented.key) ? presented.key : null)
  const memberRoute = /^\/members\/[^/]+\/?$/.exec(path)?.[0] ?? null
  const verdict = admit(
    server.limiter,
    { key, token: identity?.token.value ?? null, memberRoute: identity ? memberRoute : null },
    server.world.now(),
    server.world.timeScale,
  )
  const headers = { ...verdict.headers, ...(identity ? { ...memberHeaders, ...unlimited } : {}) }
  if (verdict.refusal) throw Object.assign(new Error('rate limit'), { answer: { ...verdict.refusal, headers } })
  return headers
}

const callOf = (asking: Asking, foundRoute: RouteMatch, identity: Identity | null): Call => {
  const { server, params, presented } = asking
  const actor: Actor = {
    idMember: identity?.member.id ?? '',
    app: identity?.app ?? null,
    clientIdentifier: asking.clientIdentifier,
  }
  return {
    world: server.world,
    path: foundRoute.path,
    params,
    identity,
    presented,
    viewer: identity?.member.id ?? null,
    actor,
    again: async (url) => {
      const { pathname, search } = new URL(url, 'http://board.invalid')
      const inner = {
        ...asking,
        method: 'GET',
        path: pathname,
        params: await parseParams('GET', search, undefined, ''),
      }
      try {
        return { status: 200, body: (await answer(inner)).value }
      } catch (error) {
        const stopped = answerOf(error)
        if (!stopped) throw error
        return { status: stopped.status, body: stopped.body }
      }
    },
  }
}

type RouteResult = { value: unknown; headers: Record<string, string>; foundRoute: RouteMatch }
const answer = async (asking: Asking): Promise<RouteResult> => {
  const { server, method, path, identity, presented } = asking
  const foundRoute = findRoute(server.table, method, path)
  if (!foundRoute) return refuse(404, `Cannot ${method} /1${path}`)
  if (malformedId(foundRoute.path)) refuse(400, 'invalid id')
  const headers = pace(asking)
  const { route } = foundRoute
  const who = authenticate(server.world, presented, identity, {
    kind: route.need,
    of: route.of,
    account: route.account,
    scope: route.scope,
  })
  return { value: await route.run(callOf(asking, foundRoute, who)), headers, foundRoute }
}

const open = (server: Server, incoming: Incoming, path: string): RecordedRequest => {
  const { authorization: _, ...shown } = incoming.headers
  server.seen += 1
  const entry: RecordedRequest = {
    n: server.seen,
    at: server.world.now(),
    method: incoming.method,
    path,
    route: null,
    values: {},
    headers: Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, String(value)])),
    auth: { place: 'none', key: null, token: null },
    status: 0,
    unknown: [],
    oddities: [],
    clientIdentifier: headerOf(incoming, 'x-trello-client-identifier') ?? null,
    faulted: false,
  }
  server.requests.push(entry)
  if (server.requests.length > server.keep) server.requests.shift()
  return entry
}

const faultReply = async (
  server: Server,
  fault: Fault,
  entry: RecordedRequest,
  normal: Reply | undefined,
): Promise<Reply | undefined> => {
  entry.faulted = true
  if (fault.delayMs) await new Promise<void>((resolve) => void server.world.schedule(fault.delayMs as number, resolve))
  const forced = answerOfFault(fault)
  const reply = forced ? toReply(forced) : normal
  if (!fault.cut) return reply
  return { ...(reply ?? toReply({ status: 200, body: {} })), cut: fault.cut }
}

const process = async (server: Server, incoming: Incoming, entry: RecordedRequest, search: string): Promise<Reply> => {
  let params = emptyParams()
  try {
    params = await parseParams(incoming.method, search, incoming.body, headerOf(incoming, 'content-type') ?? '')
    const presented = takeCredentials(
      incoming.method,
      headerOf(incoming, 'authorization'),
      new URLSearchParams(search),
      params,
    )
    entry.auth = presented
    entry.values = Object.fromEntries(params.values)
    const identity = identify(server.world.state, presented, server.world.now())
    const path = entry.path.slice('/1'.length)
    entry.route = routeName(server, incoming.method, path)
    const done = await answer({
      server,
      method: incoming.method,
      path,
      params,
      presented,
      identity,
      clientIdentifier: entry.clientIdentifier,
    })
    entry.unknown = [...params.values.keys()].filter(
      (name) => !params.readNames.has(name) && !done.foundRoute.route.knows.includes(name),
    )
    return replyOf(done)
  } catch (error) {
    const stopped = answerOf(error)
    if (!stopped) throw error
    return toReply(stopped)
  } finally {
    entry.oddities = params.oddities
  }
}
const routeName = (server: Server, method: string, path: string): string | null => {
  const foundRoute = findRoute(server.table, method, path)
  return foundRoute ? `${foundRoute.route.method} ${foundRoute.route.path}` : null
}
const replyOf = ({ value, headers }: RouteResult): Reply => {
  if (!isRaw(value)) return { status: 200, headers, contentType: jsonType, body: JSON.stringify(value) }
  if ('bytes' in value.raw)
    return { status: value.raw.status, headers, contentType: value.raw.contentType, body: value.raw.bytes }
  return toReply(value.raw, headers)
}

/** Reads credentials only to choose a fault; the request itself is authenticated later. */
const roughToken = (incoming: Incoming, search: URLSearchParams): { token: string | null; key: string | null } => {
  const header = headerOf(incoming, 'authorization') ?? ''
  return {
    token: /oauth_token="([^"]*)"/.exec(header)?.[1] ?? /^Bearer (.+)$/.exec(header)?.[1] ?? search.get('token'),
    key: /oauth_consumer_key="([^"]*)"/.exec(header)?.[1] ?? search.get('key'),
  }
}

/**
 * `other` answers instead of the API routes (pages and token endpoints); recording and faults are the same for both.
 */
export const dispatch = async (
  server: Server,
  incoming: Incoming,
  other?: { name: string; run: () => Reply },
): Promise<Reply> => {
  const [path, search = ''] = splitUrl(incoming.url)
  const entry = open(server, incoming, path)
  const finish = (reply: Reply): Reply => {
    entry.status = reply.status
    return {
      ...reply,
      headers: {
        'x-trello-version': '1.0.0-sandbox',
        'x-trello-environment': 'Sandbox',
        'atl-traceid': `sandbox${entry.n}`,
        ...reply.headers,
      },
    }
  }
  if (incoming.url.length > 8192) return finish(toReply(namedAnswers['uri too long'] as Answer))
  const fault = takeFault(server.faults, {
    method: incoming.method,
    path,
    ...roughToken(incoming, new URLSearchParams(search)),
  })
  if (fault && fault.when !== 'after') {
    const reply = await faultReply(server, fault, entry, undefined)
    if (reply) return finish(reply)
  }
  if (other) entry.route = other.name
  const normal = other ? other.run() : await process(server, incoming, entry, search)
  if (fault?.when === 'after') return finish((await faultReply(server, fault, entry, normal)) ?? normal)
  return finish(normal)
}
const splitUrl = (url: string): [string, string] => {
  const mark = url.indexOf('?')
  return mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)]
}
