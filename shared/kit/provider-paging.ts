import { valueAt } from './condition.ts'
import { fail, failField } from './failure.ts'
import type { Json, Query } from './json.ts'
import type { ExchangeReply, ProviderRequest } from './request.ts'
import { setAt } from './set-at.ts'

/** The parameter that sets the number of items per page, and the most that the provider allows. */
export type PageSize = { parameter: string; max: number }

/**
 * Where the cursor of the next page is: at a dotted path of the body, in a header, or at a dotted path of the last item
 * of the page. `more`: dotted path to a value of the body that is false on the last page, whatever the cursor says.
 */
type Cursor = ({ at: string } | { header: string } | { lastItem: string }) & { more?: string }

/**
 * How a provider pages a list, as data. `link`: the address of the next page is in the header `Link`, under rel="next"
 * (RFC 8288). `next-url`: it is in the body, at a dotted path. `cursor`: a value of the answer is the next value of
 * `parameter`. `page`: pages are numbered from `first` (default 1). `offset`: `parameter` is the number of items to
 * skip. For `page` and `offset`, a page that is not full is the last one. `in`: whether the parameters go into the query
 * (default) or the body, where they are dotted paths such as `variables.after`.
 */
export type PagingRule =
  | { style: 'link'; size?: PageSize }
  | { style: 'next-url'; at: string; size?: PageSize }
  | ({ style: 'cursor'; parameter: string; size?: PageSize; in?: PagePlace } & Cursor)
  | { style: 'page'; parameter: string; first?: number; size: PageSize; in?: PagePlace }
  | { style: 'offset'; parameter: string; size: PageSize; in?: PagePlace }
type PagePlace = 'query' | 'body'

/** `next`: an opaque cursor for the next page; absent on the last page. With status 304 there are no items. */
export type Page = { items: Json[]; next?: string; status: number; headers: Record<string, string> }

type PagingContext = { exchange(request: ProviderRequest): Promise<ExchangeReply> }
/**
 * `at`: an address or cursor, or the number of items or pages already read. `size` stays that of the first page, so
 * that numbered pages do not shift.
 */
type Position = { at: string | number; size?: number }

const encode = (position: Position) => Buffer.from(JSON.stringify(position)).toString('base64url')

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
const isNumbered = (rule: PagingRule): rule is Extract<PagingRule, { style: 'page' | 'offset' }> =>
  rule.style === 'page' || rule.style === 'offset'

const decode = (text: string, rule: PagingRule): Position => {
  try {
    const { at, size } = JSON.parse(Buffer.from(text, 'base64url').toString()) as Position
    const isPlaced = isNumbered(rule) ? isCount(at) : typeof at === 'string' && at !== ''
    if (isPlaced && (size === undefined || (isCount(size) && size > 0)))
      return { at, ...(size === undefined ? {} : { size }) }
  } catch {
    // Falls through to the one refusal below.
  }
  throw failField(
    'cursor',
    'This cursor was not made here. Give "next" of an earlier answer, unchanged, or leave it out to start over.',
  )
}

/** No address contains "<", so a header full of them is read in one pass. */
const links = /<([^<>]*)>((?:\s*;\s*[\w*-]+(?:\s*=(?:\s*(?:"[^"]*"|[^\s",;]+))?)?)*)/g
const relation = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s",;]*))/i

/** The address of rel="next" in a `Link` header. */
const nextLink = (header = ''): string | undefined => {
  for (const [, address, parameters = ''] of header.matchAll(links)) {
    const [, quoted, plain] = relation.exec(parameters) ?? []
    if ((quoted ?? plain ?? '').toLowerCase().split(/\s+/).includes('next')) return address
  }
  return undefined
}

const textAt = (body: Json | undefined, at: string): string | undefined => {
  const value = valueAt(body, at)
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined
}

/** The address or cursor that an answer names for the next page. */
const nextIn = (
  rule: Exclude<PagingRule, { style: 'page' | 'offset' }>,
  { headers, body }: ExchangeReply,
  items: Json[],
): string | undefined => {
  if (rule.style === 'link') return nextLink(headers['link'])
  if (rule.style === 'next-url') return textAt(body, rule.at)
  if (rule.more !== undefined && valueAt(body, rule.more) === false) return undefined
  if ('header' in rule) return headers[rule.header.toLowerCase()] || undefined
  return 'lastItem' in rule ? textAt(items.at(-1), rule.lastItem) : textAt(body, rule.at)
}

const positionAfter = (
  rule: PagingRule,
  reply: ExchangeReply,
  items: Json[],
  position: Position | undefined,
  size: number | undefined,
): Position | undefined => {
  const sized = size === undefined ? {} : { size }
  if (isNumbered(rule)) {
    if (items.length === 0 || items.length < size!) return undefined
    return { at: ((position?.at as number | undefined) ?? 0) + (rule.style === 'page' ? 1 : items.length), ...sized }
  }
  const at = nextIn(rule, reply, items)
  return at === undefined ? undefined : { at, ...sized }
}

/** The request with the parameters of a page in its query or its body. */
const withParameters = (request: ProviderRequest, rule: PagingRule, parameters: Query): ProviderRequest => {
  if (!('in' in rule) || rule.in !== 'body') {
    const query = { ...request.query, ...parameters }
    return Object.keys(query).length > 0 ? { ...request, query } : request
  }
  const body = structuredClone(request.body ?? {})
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw fail('internal', 'A list whose parameters go into the body needs an object as its body.')
  for (const [at, value] of Object.entries(parameters)) setAt(body, at, value as Json)
  return { ...request, body }
}

const requestFor = (
  request: ProviderRequest,
  rule: PagingRule,
  position: Position | undefined,
  size: number | undefined,
): ProviderRequest => {
  const sized: Query = rule.size && size !== undefined ? { [rule.size.parameter]: size } : {}
  if (position === undefined)
    return withParameters(
      request,
      rule,
      rule.style === 'page' ? { ...sized, [rule.parameter]: rule.first ?? 1 } : sized,
    )
  // Only the first page is requested conditionally: it alone shows whether anything changed.
  const { ifNoneMatch: _, ifModifiedSince: __, ...further } = request
  if (rule.style === 'link' || rule.style === 'next-url')
    return { ...further, query: { ...request.query, ...sized }, nextPage: String(position.at) }
  const at = rule.style === 'page' ? (rule.first ?? 1) + (position.at as number) : position.at
  return withParameters(further, rule, { ...sized, [rule.parameter]: at })
}

/**
 * Reads one page of a list. `items`: dotted path of the list in the body; '' (default) is the whole body. `limit`:
 * items per page, at most what the rule allows. Throws `bad_reply` when there is no list, or when the next page is on
 * another origin or is this one again, and `invalid_input` for a cursor that it did not make.
 */
export const readPage = async (
  ctx: PagingContext,
  request: ProviderRequest,
  rule: PagingRule,
  {
    items: at = '',
    limit,
    next: cursor,
  }: { items?: string; limit?: number | undefined; next?: string | undefined } = {},
): Promise<Page> => {
  const position = cursor === undefined ? undefined : decode(cursor, rule)
  const size = rule.size && Math.min(position?.size ?? limit ?? rule.size.max, rule.size.max)
  const reply = await ctx.exchange(requestFor(request, rule, position, size))
  const { status, headers } = reply
  if (status === 304) return { items: [], status, headers }
  const items = valueAt(reply.body, at)
  if (!Array.isArray(items))
    throw fail(
      'bad_reply',
      `The provider answered without a list${at === '' ? '' : ` at "${at}"`} where a page of one was asked for.`,
    )
  const after = positionAfter(rule, reply, items as Json[], position, size)
  const next = after && encode(after)
  if (cursor !== undefined && cursor === next)
    throw fail('bad_reply', 'The provider names the same page as the next one. Nothing more was read.')
  return { items: items as Json[], ...(next === undefined ? {} : { next }), status, headers }
}

/** Yields the items of a list, reading each page when it is needed; ends after `max` items. */
export async function* eachItem(
  ctx: PagingContext,
  request: ProviderRequest,
  rule: PagingRule,
  { items, max }: { items?: string; max: number },
): AsyncGenerator<Json, void> {
  let left = max
  let next: string | undefined
  do {
    const page = await readPage(ctx, request, rule, { ...(items === undefined ? {} : { items }), limit: left, next })
    for (const item of page.items.slice(0, left)) yield item
    left -= page.items.length
    next = page.next
  } while (next !== undefined && left > 0)
}
