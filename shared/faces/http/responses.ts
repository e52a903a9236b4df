import { failures, z } from '#kit'
import type { FailureCode } from '#kit'
import { problem } from './schemas.ts'

/** Failures of every route that needs a token. */
const always: FailureCode[] = ['invalid_input', 'unauthenticated', 'not_allowed', 'rate_limited', 'internal', 'unavailable']
/** Further failures of routes that send requests to a provider. */
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

type Content = { description: string; content: Record<string, { schema: z.ZodType }> }

/** Statuses that only HTTP has, beside those of the failure table. */
const httpStatuses: Record<number, string> = { 415: 'invalid_input: the body is not JSON.' }

/** The responses of a route for the OpenAPI document: success (without a schema: no body), and a problem for each status its failures have. */
export const responses = (
  success: { status?: number; description: string; schema?: z.ZodType },
  failureCodes: FailureCode[] = [],
  options: { body?: boolean; access?: 'public' } = {},
) => {
  const codes = options.access === 'public' ? failureCodes : [...new Set([...always, ...failureCodes, ...(options.body ? (['too_large'] as const) : [])])]
  const byStatus = new Map<number, string[]>()
  for (const code of codes) byStatus.set(failures[code].status, [...(byStatus.get(failures[code].status) ?? []), `${code}: ${failures[code].meaning}`])
  if (options.body) for (const [status, texts] of Object.entries(httpStatuses)) byStatus.set(Number(status), [texts])
  const content = success.schema
    ? { description: success.description, content: { 'application/json': { schema: success.schema } } }
    : z.null().describe(success.description)
  const response: Record<number, Content | z.ZodType> = { [success.status ?? 200]: content }
  for (const [status, texts] of [...byStatus].sort(([a], [b]) => a - b)) {
    response[status] = { description: texts.join(' '), content: { 'application/problem+json': { schema: problem } } }
  }
  return response
}

/** `security` of what the session cookie does not open. */
export const tokenOnly = [{ token: [] }]
