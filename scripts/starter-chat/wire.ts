import type { PagingRule, WireProfile } from '#kit'

export const paging: PagingRule = {
  style: 'cursor',
  at: 'next_cursor',
  parameter: 'cursor',
  size: { parameter: 'limit', max: 100 },
}

export const wire: WireProfile = {
  profile: 'starter-chat v1',
  baseUrl: 'https://api.starter-chat.example',
  auth: { token: { place: 'header', fields: { Authorization: 'Bearer {token}' } } },
  reserved: [],
  pace: { limits: [{ per: 'connection', max: 60, windowMs: 60_000 }], concurrency: 4 },
  timeouts: { connectMs: 5_000, headersMs: 15_000, bodyMs: 10_000, totalMs: 30_000, deadlineMs: 60_000 },
  maxReplyBytes: 1_000_000,
  // The provider answers errors with status 200. The first rule that fits decides.
  errors: [
    { status: 200, path: 'error', equals: 'invalid_auth', failure: 'not_connected' },
    { status: 200, path: 'error', equals: 'missing_scope', failure: 'access_denied' },
    { status: 200, path: 'error', equals: 'channel_not_found', failure: 'not_found' },
    { status: 200, path: 'ok', equals: false, failure: 'rejected' },
  ],
  errorDetails: { message: ['error'] },
  // One secret of the app signs the deliveries of every team.
  signature: {
    header: 'x-chat-signature',
    algorithm: 'hmac-sha256',
    encoding: 'hex',
    prefix: 'v0=',
    signs: 'v0:{timestamp}:{body}',
    timestamp: { header: 'x-chat-timestamp', toleranceMs: 300_000 },
    secret: 'app',
  },
  assumed: {
    'pace.limits': 'An example: replace it with the limits that the provider documents.',
    timeouts: 'An example: the provider documents none.',
  },
}
