import type { PagingRule, WireProfile } from '#kit'

export const paging: PagingRule = {
  style: 'cursor',
  at: 'data.items.pageInfo.endCursor',
  more: 'data.items.pageInfo.hasNextPage',
  in: 'body',
  parameter: 'variables.after',
  size: { parameter: 'variables.first', max: 100 },
}

const code = 'errors.0.extensions.code'

export const wire: WireProfile = {
  profile: 'starter-graphql v1',
  baseUrl: 'https://api.starter-graphql.example',
  auth: { token: { place: 'header', fields: { Authorization: 'Bearer {token}' } } },
  reserved: [],
  pace: { limits: [{ per: 'connection', max: 60, windowMs: 60_000 }], concurrency: 4 },
  timeouts: { connectMs: 5_000, headersMs: 15_000, bodyMs: 10_000, totalMs: 30_000, deadlineMs: 60_000 },
  maxReplyBytes: 1_000_000,
  // Errors are in the body of an answer with status 200. The first rule that fits decides.
  errors: [
    { status: 200, path: code, equals: 'UNAUTHENTICATED', failure: 'not_connected' },
    { status: 200, path: code, equals: 'FORBIDDEN', failure: 'access_denied' },
    { status: 200, path: code, equals: 'NOT_FOUND', failure: 'not_found' },
    { status: 200, path: code, equals: 'RATE_LIMITED', failure: 'rate_limited' },
    { status: 200, path: 'errors', is: 'present', failure: 'rejected' },
  ],
  errorDetails: { message: ['errors.0.message'] },
  assumed: {
    'pace.limits': 'An example: replace it with the limits that the provider documents.',
    timeouts: 'An example: the provider documents none.',
  },
}
