import { failures, z } from '#kit'
import type { FailureCode } from '#kit'
import { problem } from './schemas.ts'

/** What every guarded route may answer. */
const always: FailureCode[] = ['invalid_input', 'unauthenticated', 'not_allowed', 'internal', 'unavailable']
/** What a request that reaches the provider may answer besides. */
export const providerFailures: FailureCode[] = [
  'rejected', 'not_connected', 'access_denied', 'credits_exhausted', 'outcome_unknown', 'rate_limited', 'budget_exceeded', 'suppressed', 'cancelled', 'conflict', 'not_found', 'too_large',
  'wire_unset', 'provider_failed', 'bad_reply', 'unreachable',
]

type Answer = { description: string; content: Record<string, { schema: z.ZodType }> }

/** `method not known here` and `not JSON` have no row in the failure table: HTTP has words of its own for them. */
const ofHttp: Record<number, string> = { 415: 'invalid_input: the body is not sent as JSON.' }

/** The answers of a route as its OpenAPI part: what it gives, and the failures it can have, each with its codes. */
export const answers = <T extends z.ZodType, S extends number = 200>(
  gives: { status?: S; description: string; schema: T },
  fails: FailureCode[] = [],
  options: { body?: boolean; access?: 'public' } = {},
) => {
  const codes = options.access === 'public' ? fails : [...new Set([...always, ...fails, ...(options.body ? (['too_large'] as const) : [])])]
  const byStatus = new Map<number, string[]>()
  for (const code of codes) byStatus.set(failures[code].status, [...(byStatus.get(failures[code].status) ?? []), `${code}: ${failures[code].meaning}`])
  if (options.body) for (const [status, words] of Object.entries(ofHttp)) byStatus.set(Number(status), [words])
  const response: Record<number, Answer> = { [gives.status ?? 200]: { description: gives.description, content: { 'application/json': { schema: gives.schema } } } }
  for (const [status, words] of [...byStatus].sort(([a], [b]) => a - b)) {
    response[status] = { description: words.join(' '), content: { 'application/problem+json': { schema: problem } } }
  }
  return response
}

/** A 204 without a body. */
export const nothing = z.null().describe('Done')
