import { fail, failField, meets, valueAt } from '#kit'
import type { EndpointProfile, Json, Lookup, SearchPage } from '#kit'
import { excerptOf, ruleFor } from '../../wire/exchange/classify.ts'
import type { Reply, Wire } from '../../wire/types.ts'
import { DryRunEnd, collect, exchange, requireFine } from './exchange.ts'
import type { Session } from './session.ts'
import { counted, countCredits } from './credits.ts'
import { endpointOf, endpointRequest, usableSets } from './endpoint-request.ts'
import type { Clock } from '../ports/index.ts'
import { foundRecord, takeList, takeRecord } from './records.ts'
import type { Loaded } from '../catalogue/registry.ts'

type Values = Record<string, unknown>

const isOk = ({ status }: Reply) => status >= 200 && status < 300
const isWebPage = ({ headers, body, json }: Reply) => !json && (/html/i.test(headers['content-type'] ?? '') || (typeof body === 'string' && /^\s*</.test(body)))

/**
 * Whether a reply says that there is no such record. A web page, or an error without a body, is what any server answers at an address it does
 * not have; of another text only a rule about its words may claim it.
 */
export const isNoMatch = (endpoint: EndpointProfile, reply: Reply) =>
  !isWebPage(reply) &&
  (endpoint.noMatch ?? []).some((rule) => (reply.json || (reply.body === null && isOk(reply)) || rule.contains !== undefined) && meets(rule, reply))

const notThere = new Set([404, 405, 410])

/** What a reply is that some other server or page gave, unless a rule of the profile knows it. */
const foreignReply = (loaded: Loaded, reply: Reply): string | undefined => {
  if (ruleFor(loaded.wire, reply)) return undefined
  if (reply.status >= 300 && reply.status < 400) return 'a redirect'
  const what = isWebPage(reply) ? 'a web page' : reply.body === null ? 'nothing' : reply.json ? 'nothing about a record' : 'a text'
  return notThere.has(reply.status) || (isOk(reply) && !reply.json && reply.body !== null) ? what : undefined
}

/** Throws the failure that a reply of an endpoint means; one that looks like a wrong address names the settings that hold it. */
export const requireAnswer = (wire: Wire, session: Session, name: string, method: string, reply: Reply) => {
  const { loaded } = session.loaded
  const what = foreignReply(loaded, reply)
  if (what === undefined) return requireFine(wire, session, method, reply)
  const setting = `wire.${loaded.integration.id}`
  throw fail(
    'bad_reply',
    `The provider answered ${reply.status} with ${what}, so this address may be wrong. The operator checks "${setting}.baseUrl" and "${setting}.endpoints.${name}.path"; if this is how the provider reports no match, a rule of "${setting}.endpoints.${name}.noMatch" must say so.`,
    { providerStatus: reply.status, ...(reply.body === null ? {} : { providerMessage: excerptOf(reply.body) }) },
  )
}

/** Sends one endpoint call; gives the parsed reply body. */
export const askEndpoint = async (wire: Wire, session: Session, name: string, values: Values): Promise<unknown> => {
  const reply = await exchange(wire, session, endpointRequest(session.loaded.loaded, name, values))
  requireAnswer(wire, session, name, endpointOf(session.loaded.loaded, name).method, reply)
  return reply.body
}

/** How records of an endpoint are read. */
export const readingOf = (loaded: Loaded, endpoint: EndpointProfile) => ({ kind: endpoint.kind, aliases: loaded.wire.records?.[endpoint.kind ?? ''] ?? {} })

/** The one record of an answer in the result contract. What is not understood is no match, but is shown: it may have been paid. */
export const lookupIn = (loaded: Loaded, name: string, body: unknown, paths: string[], at: number, matchedBy: string): Lookup => {
  const taken = takeRecord(body, paths)
  if ('none' in taken) return { matched: false }
  if ('unclear' in taken) return { matched: false, reason: taken.unclear, raw: body as Json }
  const reading = readingOf(loaded, endpointOf(loaded, name))
  const found = foundRecord(taken.found, reading, { provider: loaded.integration.id, endpoint: name, at, matchedBy })
  const understood = Object.keys(found.record).length > 0 || Object.keys(reading.aliases).length === 0
  if (understood || taken.at !== '') return found
  const setting = `wire.${loaded.integration.id}.records.${endpointOf(loaded, name).kind ?? ''}`
  return { matched: false, reason: `The provider answered with nothing that "${setting}" knows, so it may or may not be a match; see raw.`, raw: body as Json }
}

export const identifierOf = (set: Values) => Object.keys(set).join('+')

const lookupSet = (wire: Wire, clock: Clock, session: Session, name: string, values: Values, matchedBy: string): Promise<Lookup> =>
  counted(session, 1, async () => {
    const { loaded } = session.loaded
    const endpoint = endpointOf(loaded, name)
    const reply = await exchange(wire, session, endpointRequest(loaded, name, values))
    const missed = isNoMatch(endpoint, reply)
    if (!missed) requireAnswer(wire, session, name, endpoint.method, reply)
    const result = missed ? { matched: false as const } : lookupIn(loaded, name, reply.body, endpoint.record ?? [''], clock.now(), matchedBy)
    const charged = result.matched || result.raw !== undefined || session.cost?.per === 'call'
    countCredits(session, endpoint.credits, reply, charged ? 1 : 0)
    return result
  })

/**
 * Tries identifier sets strongest first; the next only after a definite no match. A failure, or an answer that is not
 * understood, ends it. Sets the provider has no names for are passed over while another can be used.
 */
export const lookupOne = async (wire: Wire, clock: Clock, session: Session, name: string, given: Values[]): Promise<Lookup> => {
  const { loaded } = session.loaded
  const sets = usableSets(loaded, name, given)
  if (endpointOf(loaded, name).identifiers === 'all') {
    return lookupSet(wire, clock, session, name, Object.assign({}, ...sets) as Values, sets.map(identifierOf).join(', '))
  }
  if (session.dry && sets.length > 1) session.dry.partial = true
  let last: Lookup = { matched: false }
  for (const set of sets) {
    last = await lookupSet(wire, clock, session, name, set, identifierOf(set))
    if (last.matched || last.raw !== undefined) return last
  }
  return last
}

/** Where a page begins. `size` goes along, so that numbered pages stay the same when `limit` changes between them. */
type Position = { start: number; size?: number } | { cursor: string; size?: number }

const encodeCursor = (position: Position) => Buffer.from(JSON.stringify(position)).toString('base64url')
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
const decodeCursor = (text: string): Position => {
  try {
    const position = JSON.parse(Buffer.from(text, 'base64url').toString()) as Position
    const placed = 'start' in position ? isCount(position.start) : typeof position.cursor === 'string'
    if (placed && (position.size === undefined || (isCount(position.size) && position.size > 0))) return position
  } catch {
    // Falls through to the one refusal below.
  }
  throw failField('cursor', 'This cursor was not made by this step. Give "next" of an earlier answer, unchanged, or leave it out to start over.')
}

const pageValues = (endpoint: EndpointProfile, position: Position, size: number): { [dotted: string]: Json } => {
  const { page } = endpoint
  if (!page) return {}
  const text = (value: number): Json => (page.asString ? String(value) : value)
  const values: { [dotted: string]: Json } = { [page.size]: text(size) }
  if ('cursor' in position) values[page.position] = position.cursor
  else if (page.style === 'offset') values[page.position] = text(position.start)
  else if (page.style === 'page') values[page.position] = text((page.firstPage ?? 0) + Math.floor(position.start / size))
  return values
}

const nextCursor = (endpoint: EndpointProfile, position: Position, size: number, got: number, total: number | undefined, body: unknown): string | undefined => {
  const { page } = endpoint
  if (!page || got === 0) return undefined
  if (page.style === 'cursor') {
    const cursor = page.nextCursor === undefined ? undefined : valueAt(body, page.nextCursor)
    const given = typeof cursor === 'number' ? String(cursor) : cursor
    return typeof given === 'string' && given !== '' ? encodeCursor({ cursor: given, size }) : undefined
  }
  const start = ('start' in position ? position.start : 0) + (page.style === 'page' ? size : got)
  const more = total === undefined ? got >= size : start < total
  return more ? encodeCursor({ start, size }) : undefined
}

const totalIn = (endpoint: EndpointProfile, body: unknown): number | undefined => {
  const value = endpoint.page?.total === undefined ? undefined : valueAt(body, endpoint.page.total)
  const total = typeof value === 'number' || (typeof value === 'string' && value !== '') ? Number(value) : NaN
  return Number.isFinite(total) ? total : undefined
}

type Asked = { limit?: number; cursor?: string }

const planPage = (endpoint: EndpointProfile, name: string, asked: Asked) => {
  const { page } = endpoint
  if (asked.cursor !== undefined && !page) throw failField('cursor', `No paging is configured for "${name}", so there is nothing after the first answer.`)
  const position: Position = asked.cursor === undefined ? { start: 0 } : decodeCursor(asked.cursor)
  const wanted = (page?.style === 'page' ? position.size : undefined) ?? asked.limit ?? position.size ?? page?.default
  return { position, size: page ? Math.min(wanted ?? page.default, page.max) : (asked.limit ?? Infinity) }
}

/** One page of a search endpoint: normalised records, and a cursor while more may exist. */
export const searchEndpoint = async (wire: Wire, clock: Clock, session: Session, name: string, values: Values, asked: Asked): Promise<SearchPage> => {
  const { loaded } = session.loaded
  const endpoint = endpointOf(loaded, name)
  const { position, size } = planPage(endpoint, name, asked)
  const extra = pageValues(endpoint, position, size)
  const request = endpointRequest(
    loaded,
    name,
    values,
    endpoint.page?.place === 'query' ? { query: extra as Record<string, string | number> } : { json: extra },
  )
  const maxCharges = session.cost?.per === 'call' ? 1 : Number.isFinite(size) ? size : undefined
  if (session.dry) {
    session.dry.units = maxCharges
    collect(wire, session, request)
    throw new DryRunEnd()
  }
  return counted(session, maxCharges ?? 1, async () => {
    const reply = await exchange(wire, session, request)
    const missed = isNoMatch(endpoint, reply)
    if (!missed) requireAnswer(wire, session, name, endpoint.method, reply)
    const list = missed ? [] : takeList(reply.body, endpoint.record ?? [''])
    if (!list)
      throw fail('bad_reply', `The provider answered with no list where "wire.${loaded.integration.id}.endpoints.${name}.record" expects one.`, {
        providerStatus: reply.status,
      })
    countCredits(session, endpoint.credits, reply, session.cost?.per === 'call' ? 1 : list.length)
    // Where the provider got a page size, everything it returned is shown: it is paid, and the next page begins after it.
    const shown = endpoint.page ? list : list.slice(0, size)
    const from = { provider: loaded.integration.id, endpoint: name, at: clock.now() }
    const records = shown.map((raw) => foundRecord(raw, readingOf(loaded, endpoint), from))
    const total = endpoint.page ? totalIn(endpoint, reply.body) : list.length
    const next = nextCursor(endpoint, position, size, list.length, total, reply.body)
    return { records, ...(total === undefined ? {} : { total }), ...(next === undefined ? {} : { next }) }
  })
}
