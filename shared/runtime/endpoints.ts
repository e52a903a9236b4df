import { failField, meets, valueAt } from '#kit'
import type { EndpointProfile, Json, Lookup, SearchPage } from '#kit'
import type { Reply, Wire } from '../wire/types.ts'
import { DryRunEnd, collect, exchange, exchangeChecked, requireFine } from './context.ts'
import type { Session } from './context.ts'
import { endpointOf, endpointRequest } from './endpoint-request.ts'
import type { Clock } from './ports.ts'
import { foundRecord } from './records.ts'

type Values = Record<string, unknown>

/** Sends one endpoint call; gives the parsed reply body. */
export const askEndpoint = async (wire: Wire, session: Session, name: string, values: Values): Promise<unknown> =>
  (await exchangeChecked(wire, session, endpointRequest(session.loaded.loaded, name, values))).body

const isRecord = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0

const recordIn = (body: unknown, paths: string[]): unknown => paths.map((path) => valueAt(body, path)).find(isRecord)

/** Credits a reply says it charged, or the upper end of the usual price, marked as an estimate. */
export const countCredits = (session: Session, endpoint: EndpointProfile, reply: Reply, charged: number) => {
  const signal = endpoint.credits
  const told = !signal
    ? undefined
    : 'header' in signal
      ? reply.headers[signal.header.toLowerCase()]
      : 'path' in signal
        ? valueAt(reply.body, signal.path)
        : valueAt(reply.body, signal.flag) === true
          ? signal.amount
          : valueAt(reply.body, signal.flag) === false
            ? 0
            : undefined
  const known = told === undefined || told === null || told === '' || !Number.isFinite(Number(told)) ? undefined : Number(told)
  if (known === undefined && session.cost && charged > 0) {
    session.used.credits += session.cost.typical[1] * charged
    session.used.estimated = true
  } else session.used.credits += known ?? 0
}

export const isNoMatch = (endpoint: EndpointProfile, reply: Reply) => (endpoint.noMatch ?? []).some((condition) => meets(condition, reply))

const lookupSet = async (wire: Wire, clock: Clock, session: Session, name: string, values: Values, matchedBy: string): Promise<Lookup> => {
  const { loaded } = session.loaded
  const endpoint = endpointOf(loaded, name)
  const reply = await exchange(wire, session, endpointRequest(loaded, name, values))
  if (isNoMatch(endpoint, reply)) {
    countCredits(session, endpoint, reply, session.cost?.per === 'call' ? 1 : 0)
    return { matched: false }
  }
  requireFine(wire, session, endpoint.method, reply)
  const raw = recordIn(reply.body, endpoint.record ?? [''])
  countCredits(session, endpoint, reply, raw === undefined ? 0 : 1)
  if (raw === undefined) return { matched: false, reason: 'The provider answered without a record.' }
  return foundRecord(raw, loaded.wire.records?.[endpoint.kind ?? ''], { provider: loaded.integration.id, endpoint: name, at: clock.now(), matchedBy })
}

const nameOf = (sets: Values[]) => sets.map((set) => Object.keys(set).join('+')).join(', ')

/** Tries identifier sets strongest first; the next only after a definite no match. A failure of one ends it. */
export const lookupOne = async (wire: Wire, clock: Clock, session: Session, name: string, sets: Values[]): Promise<Lookup> => {
  const endpoint = endpointOf(session.loaded.loaded, name)
  if (endpoint.identifiers === 'all') return lookupSet(wire, clock, session, name, Object.assign({}, ...sets) as Values, nameOf(sets))
  if (session.dry && sets.length > 1) session.dry.partial = true
  let last: Lookup = { matched: false }
  for (const set of sets) {
    last = await lookupSet(wire, clock, session, name, set, nameOf([set]))
    if (last.matched) return last
  }
  return last
}

type Position = { start: number } | { cursor: string }

const encodeCursor = (position: Position) => Buffer.from(JSON.stringify(position)).toString('base64url')
const decodeCursor = (text: string): Position => {
  try {
    const position = JSON.parse(Buffer.from(text, 'base64url').toString()) as Position
    if (('start' in position && Number.isSafeInteger(position.start)) || ('cursor' in position && typeof position.cursor === 'string')) return position
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

/** One page of a search endpoint: normalised records, and a cursor while more may exist. */
export const searchEndpoint = async (wire: Wire, clock: Clock, session: Session, name: string, values: Values, asked: { limit?: number; cursor?: string }): Promise<SearchPage> => {
  const { loaded } = session.loaded
  const endpoint = endpointOf(loaded, name)
  const { page } = endpoint
  if (asked.cursor !== undefined && !page) throw failField('cursor', 'This provider profile has no paging configured, so there is nothing after the first answer.')
  const size = page ? Math.min(asked.limit ?? page.default, page.max) : (asked.limit ?? Infinity)
  const position = asked.cursor === undefined ? { start: 0 } : decodeCursor(asked.cursor)
  const extra = pageValues(endpoint, position, size)
  const request = endpointRequest(loaded, name, values, page?.place === 'query' ? { query: extra as Record<string, string | number> } : { json: extra })
  if (session.dry) {
    collect(wire, session, request)
    throw new DryRunEnd()
  }
  const reply = await exchange(wire, session, request)
  if (isNoMatch(endpoint, reply)) return { records: [], total: 0 }
  requireFine(wire, session, endpoint.method, reply)
  const list = (endpoint.record ?? ['']).map((path) => valueAt(reply.body, path)).find(Array.isArray) as unknown[] | undefined
  const found = (list ?? []).slice(0, size)
  countCredits(session, endpoint, reply, found.length > 0 ? (session.cost?.per === 'call' ? 1 : found.length) : 0)
  const aliases = loaded.wire.records?.[endpoint.kind ?? '']
  const records = found.map((raw) => foundRecord(raw, aliases, { provider: loaded.integration.id, endpoint: name, at: clock.now() }))
  const total = page?.total === undefined ? undefined : Number(valueAt(reply.body, page.total))
  const next = nextCursor(endpoint, position, size, found.length, total, reply)
  return { records, ...(total === undefined || !Number.isFinite(total) ? {} : { total }), ...(next === undefined ? {} : { next }) }
}

const nextCursor = (endpoint: EndpointProfile, position: Position, size: number, got: number, total: number | undefined, reply: Reply): string | undefined => {
  const { page } = endpoint
  if (!page || got === 0) return undefined
  if (page.style === 'cursor') {
    const cursor = page.nextCursor === undefined ? undefined : valueAt(reply.body, page.nextCursor)
    return typeof cursor === 'string' && cursor !== '' ? encodeCursor({ cursor }) : undefined
  }
  const start = ('start' in position ? position.start : 0) + (page.style === 'page' ? size : got)
  const more = total === undefined || !Number.isFinite(total) ? got >= size : start < total
  return more ? encodeCursor({ start }) : undefined
}
