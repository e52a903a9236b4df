import type { PagingRule, WireProfile } from '#kit'

export const paging: PagingRule = { style: 'page', parameter: 'page', size: { parameter: 'per_page', max: 100 } }

export const wire: WireProfile = {
  profile: 'starter-poll v1',
  baseUrl: 'https://api.starter-poll.example',
  auth: { token: { place: 'header', fields: { Authorization: 'Bearer {token}' } } },
  reserved: [],
  pace: { limits: [{ per: 'connection', max: 60, windowMs: 60_000 }], concurrency: 4 },
  timeouts: { connectMs: 5_000, headersMs: 15_000, bodyMs: 10_000, totalMs: 30_000, deadlineMs: 60_000 },
  maxReplyBytes: 1_000_000,
  errors: [],
  assumed: {
    'pace.limits': 'An example: replace it with the limits that the provider documents.',
    timeouts: 'An example: the provider documents none.',
  },
}
