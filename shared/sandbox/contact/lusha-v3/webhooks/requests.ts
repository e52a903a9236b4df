/** What the endpoints of webhooks share: bodies, pages, and results for each item. */
import type { Handled } from '../../../lookups/find.ts'
import type { Problem } from '../../../lookups/check.ts'
import { formed, text } from '../../../lookups/shape.ts'
import type { Shape } from '../../../lookups/shape.ts'
import { isLoopback } from '../../../outgoing.ts'

export const answered = (status: number, body: unknown): Handled => ({
  ok: true,
  answer: { status, body },
  credits: 0,
})

export const refused = (status: number, message: string): { ok: false; problem: Problem } => ({
  ok: false,
  problem: { status, code: status === 400 ? 'INVALID' : 'REFUSED', message },
})

export const notFound = (id: string) => refused(404, `Subscription with id '${id}' not found`)

/** HTTPS, or for a receiver on this machine HTTP. */
export const url = formed(
  'an HTTPS URL',
  (address) => URL.canParse(address) && (new URL(address).protocol === 'https:' || isLoopback(address)),
  400,
)

export const upTo =
  (max: number): Shape =>
  (value, at) =>
    text(value, at) ??
    (String(value).length <= max
      ? undefined
      : { at, message: `${at} must be shorter than or equal to ${max} characters` })

const numberIn = (query: URLSearchParams, name: string, fallback: number): number => {
  const value = query.get(name)
  if (value === null) return fallback
  return /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN
}

/** A page of rows, newest first; `names`: the parameters that choose rows. */
export const pageOf = <T>(
  query: URLSearchParams,
  rows: T[],
  defaultLimit: number,
  names: readonly string[] = [],
): Handled => {
  const unknown = [...query.keys()].find((name) => ![...names, 'limit', 'offset'].includes(name))
  if (unknown !== undefined) return refused(400, `property ${unknown} should not exist`)
  const limit = numberIn(query, 'limit', defaultLimit)
  const offset = numberIn(query, 'offset', 0)
  if (!(limit >= 1 && limit <= 100)) return refused(400, 'limit must be an integer from 1 to 100')
  if (Number.isNaN(offset)) return refused(400, 'offset must be an integer from 0')
  const total = rows.length
  // The schema requires `size` and `page`, the examples show `limit` and `offset`.
  const pagination = {
    total,
    limit,
    offset,
    size: limit,
    page: Math.floor(offset / limit),
    hasMore: offset + limit < total,
  }
  return answered(200, { data: rows.toReversed().slice(offset, offset + limit), pagination })
}

export type ItemResult<T> = { subscription: T } | { error: { code: string; message: string } }

/** The results of a request for several items, of which some may have failed. */
export const resultsOf = <T>(results: ItemResult<T>[]) => {
  const failed = results.filter((result) => 'error' in result).length
  return {
    total: results.length,
    successful: results.length - failed,
    failed,
    results: results.map((result, index) => ({ index, success: 'subscription' in result, ...result })),
  }
}
