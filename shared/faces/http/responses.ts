import { failures, z } from '#kit'
import type { FailureCode } from '#kit'
import { problem } from './schemas.ts'

/** What every guarded route may answer. */
const always: FailureCode[] = ['invalid_input', 'unauthenticated', 'not_allowed', 'rate_limited', 'internal', 'unavailable']
/** What a request that reaches the provider may answer besides. */
export const providerFailures: FailureCode[] = [
  'rejected',
  'not_connected',
  'access_denied',
  'credits_exhausted',
  'outcome_unknown',
  'rate_limited',
  'budget_exceeded',
  'suppressed',
  'cancelled',
  'conflict',
  'not_found',
  'too_large',
  'wire_unset',
  'provider_failed',
  'bad_reply',
  'unreachable',
]

type Answer = { description: string; content: Record<string, { schema: z.ZodType }> }

/** `method not known here` and `not JSON` have no row in the failure table: HTTP has words of its own for them. */
const ofHttp: Record<number, string> = { 415: 'invalid_input: the body is not sent as JSON.' }

/** The answers of a route as its OpenAPI part: what it gives (no body without a schema), and the failures it can have, each with its codes. */
export const answers = (
  gives: { status?: number; description: string; schema?: z.ZodType },
  fails: FailureCode[] = [],
  options: { body?: boolean; access?: 'public' } = {},
) => {
  const codes = options.access === 'public' ? fails : [...new Set([...always, ...fails, ...(options.body ? (['too_large'] as const) : [])])]
  const byStatus = new Map<number, string[]>()
  for (const code of codes) byStatus.set(failures[code].status, [...(byStatus.get(failures[code].status) ?? []), `${code}: ${failures[code].meaning}`])
  if (options.body) for (const [status, words] of Object.entries(ofHttp)) byStatus.set(Number(status), [words])
  const given = gives.schema
    ? { description: gives.description, content: { 'application/json': { schema: gives.schema } } }
    : z.null().describe(gives.description)
  const response: Record<number, Answer | z.ZodType> = { [gives.status ?? 200]: given }
  for (const [status, words] of [...byStatus].sort(([a], [b]) => a - b)) {
    response[status] = { description: words.join(' '), content: { 'application/problem+json': { schema: problem } } }
  }
  return response
}
