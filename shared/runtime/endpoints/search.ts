import { failField, valueAt } from '#kit'
import type { EndpointProfile, Json, NextLookups, PageRule, SearchPage } from '#kit'
import { counted, countCredits } from '../gate/charge.ts'
import { quote } from './quote.ts'
import type { PlannedUse } from './quote.ts'
import { endpointOf, endpointRequest, requireNamed } from './endpoint-request.ts'
import { exchangeWith, noMatchIn, notUnderstood, requireAnswer } from './answers.ts'
import { aliasesOf, isUnderstood, providerValues, readingOf, settleAll } from './endpoints.ts'
import type { OutgoingRequest } from '../gate/pass.ts'
import { foundRecord, takeList, withJoins } from './records.ts'
import type { Session } from '../session/session.ts'

type Values = Record<string, unknown>

/** Where a page begins. `size` is included so that numbered pages stay the same when `limit` changes between them. */
type Position = { start: number; size?: number } | { cursor: string; size?: number }

const encodeCursor = (position: Position) => Buffer.from(JSON.stringify(position)).toString('base64url')
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
const decodeCursor = (text: string): Position => {
  try {
    const position = JSON.parse(Buffer.from(text, 'base64url').toString()) as Position
    const placed = 'start' in position ? isCount(position.start) : typeof position.cursor === 'string'
    if (placed && (position.size === undefined || (isCount(position.size) && position.size > 0))) return position
  } catch {
    // Handled by the failure below.
  }
  throw failField(
    'cursor',
    'This cursor was not made by this step. Give "next" of an earlier answer, unchanged, or leave it out to start over.',
  )
}

/** The provider's number for a position in the list of all results. */
const wirePosition = ({ style, firstPage = 0 }: PageRule, start: number, size: number) =>
  style === 'page' ? firstPage + Math.floor(start / size) : start

const isBeyond = (page: PageRule, start: number, size: number) =>
  page.last !== undefined && wirePosition(page, start, size) > page.last

const pageValues = ({ page }: EndpointProfile, position: Position, size: number): { [dotted: string]: Json } => {
  if (!page) return {}
  const text = (value: number): Json => (page.asString ? String(value) : value)
  const values: { [dotted: string]: Json } = { [page.size]: text(size) }
  if ('cursor' in position) values[page.position] = position.cursor
  else if (page.style !== 'cursor') values[page.position] = text(wirePosition(page, position.start, size))
  return values
}

const nextCursor = (
  { page }: EndpointProfile,
  position: Position,
  size: number,
  got: number,
  total: number | undefined,
  body: unknown,
): string | undefined => {
  if (!page || got === 0) return undefined
  if (page.style === 'cursor') {
    const cursor = page.nextCursor === undefined ? undefined : valueAt(body, page.nextCursor)
    const cursorText = typeof cursor === 'number' ? String(cursor) : cursor
    return typeof cursorText === 'string' && cursorText !== '' ? encodeCursor({ cursor: cursorText, size }) : undefined
  }
  const start = ('start' in position ? position.start : 0) + (page.style === 'page' ? size : got)
  const more = total === undefined ? got >= size : start < total
  return more && !isBeyond(page, start, size) ? encodeCursor({ start, size }) : undefined
}

const totalIn = (endpoint: EndpointProfile, body: unknown): number | undefined => {
  const value = endpoint.page?.total === undefined ? undefined : valueAt(body, endpoint.page.total)
  const total = typeof value === 'number' || (typeof value === 'string' && value !== '') ? Number(value) : NaN
  return Number.isFinite(total) ? total : undefined
}

const searchIdIn = ({ searchId }: EndpointProfile, body: unknown): string | undefined => {
  const id = searchId === undefined ? undefined : valueAt(body, searchId)
  return typeof id === 'number' || (typeof id === 'string' && id !== '') ? String(id) : undefined
}

export type PageQuery = { limit?: number; cursor?: string; followedBy?: NextLookups }

const planPage = (endpoint: EndpointProfile, name: string, paging: PageQuery) => {
  const { page } = endpoint
  if (paging.cursor !== undefined && !page)
    throw failField('cursor', `No paging is configured for "${name}", so there is nothing after the first answer.`)
  const position: Position = paging.cursor === undefined ? { start: 0 } : decodeCursor(paging.cursor)
  if (!page) return { position, size: paging.limit ?? Infinity }
  const requestedSize =
    (page.style === 'page' ? position.size : undefined) ?? paging.limit ?? position.size ?? page.default
  const size = Math.min(Math.max(requestedSize, page.min ?? 1), page.max)
  if ('start' in position && isBeyond(page, position.start, size))
    throw failField(
      'cursor',
      'The provider shows nothing that lies so far behind. Narrow the search by other fields, or leave the cursor out to start over.',
    )
  return { position, size }
}

/**
 * The request for one page of a search endpoint, made of values of the provider. `size`: infinite when the provider
 * decides it. `maxCharges`: how often the price of the step may be charged, if known.
 */
export const planSearch = (session: Session, name: string, values: Values, paging: PageQuery) => {
  const { loaded } = session.loaded
  const endpoint = endpointOf(loaded, name)
  if (paging.followedBy) requireNamed(loaded, paging.followedBy.endpoint, paging.followedBy.along ?? {})
  const { position, size } = planPage(endpoint, name, paging)
  const extra = pageValues(endpoint, position, size)
  const use: PlannedUse = {
    values: Array.from({ length: Number.isFinite(size) ? size : 1 }, () => values),
    calls: [1, 1],
    recordCount: [1, 1],
  }
  return {
    position,
    size,
    use,
    maxCharges: session.cost?.per === 'call' ? 1 : Number.isFinite(size) ? size : undefined,
    requestFor: (settled: Values): OutgoingRequest => ({
      ...endpointRequest(
        loaded,
        name,
        settled,
        endpoint.page?.place === 'query' ? { query: extra as Record<string, string | number> } : { json: extra },
      ),
      isQuoted: true,
    }),
  }
}

/** One page of a search endpoint: normalised records, and a cursor while more may exist. */
export const searchEndpoint = async (
  session: Session,
  name: string,
  values: Values,
  paging: PageQuery,
): Promise<SearchPage> => {
  const { loaded } = session.loaded
  const endpoint = endpointOf(loaded, name)
  const { position, size, use, maxCharges, requestFor } = planSearch(session, name, values, paging)
  quote(session, name, use, paging.followedBy)
  const request = requestFor(await settleAll(providerValues(session), name, values))
  return counted(session, endpoint, { values: use.values, max: maxCharges ?? 1 }, async () => {
    const reply = await exchangeWith(session, name, request)
    const missed = await noMatchIn(session, name, reply)
    if (!missed) await requireAnswer(session, name, endpoint, reply)
    const list = missed ? [] : takeList(reply.body, endpoint.record ?? [''])
    if (!list)
      throw notUnderstood(
        session,
        name,
        'The provider answered, but not with a list where the wire profile expects one.',
        `endpoints.${name}.record`,
        reply.body,
      )
    const from = { provider: loaded.integration.id, endpoint: name, at: session.clock.now() }
    const reading = readingOf(loaded, endpoint)
    const all = list.map((raw) => foundRecord(withJoins(endpoint, raw, reply.body), reading, from))
    if (all.some((record) => isUnderstood(record, reading))) session.provenEndpoints?.note(session, name)
    else if (all.length > 0)
      throw notUnderstood(
        session,
        name,
        'The provider answered with a list in which nothing is known.',
        `records.${aliasesOf(endpoint)}`,
        reply.body,
      )
    countCredits(session, endpoint, reply, {
      usage: { calls: 1, recordCount: 1, foundRecords: all.map(({ record }) => ({ values, record })) },
      charged: session.cost?.per === 'call' ? 1 : list.length,
    })
    const total = endpoint.page ? totalIn(endpoint, reply.body) : list.length
    const next = nextCursor(endpoint, position, size, list.length, total, reply.body)
    const searchId = searchIdIn(endpoint, reply.body)
    return {
      // If the provider was sent a page size, all records it returned are shown: they are paid for, and the next page
      // begins after them.
      records: endpoint.page ? all : all.slice(0, size),
      ...(total === undefined ? {} : { total }),
      ...(next === undefined ? {} : { next }),
      ...(searchId === undefined ? {} : { searchId }),
    }
  })
}
