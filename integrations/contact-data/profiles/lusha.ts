import type { ErrorRule, Pace, ReplyCondition, WireProfile } from '#kit'

/** What versions 2 and 3 of Lusha's API share: address, key, rate limits and errors. */

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const pace = (): Pace => ({
  limits: [
    { per: 'connection', max: 25, windowMs: 1000 },
    { per: 'connection', max: 300, windowMs: minute },
    { per: 'connection', max: 5000, windowMs: hour },
    { per: 'connection', max: 50_000, windowMs: day },
    { per: 'route', route: '/account/usage', max: 5, windowMs: minute },
    { per: 'route', route: '/v3/account/usage', max: 5, windowMs: minute },
  ],
  concurrency: 4,
  remaining: [
    { header: 'x-minute-requests-left', per: 'connection', windowMs: minute },
    { header: 'x-hourly-requests-left', per: 'connection', windowMs: hour },
    { header: 'x-daily-requests-left', per: 'connection', windowMs: day },
    {
      header: 'ratelimit-remaining',
      per: 'connection',
      windowMs: 1000,
      reset: { header: 'ratelimit-reset', as: 'seconds' },
    },
    {
      header: 'x-ratelimit-remaining-daily',
      per: 'connection',
      windowMs: day,
      reset: { header: 'x-ratelimit-reset-daily', as: 'seconds' },
    },
  ],
  waitTexts: ['Reset in {seconds} seconds', 'Reset in {seconds} second'],
  fallbackMs: minute,
})

/**
 * The provider has two shapes of error bodies, with the same texts in different places, so the whole body is searched.
 */
const says = (status: number, contains: string): ReplyCondition => ({ status, contains })

const errors = (): ErrorRule[] => [
  {
    status: 400,
    failure: 'rejected',
    message:
      "Lusha does not accept the request; its message names the field. Company filters and list values must be spelled as in Lusha's own lists.",
  },
  {
    status: 401,
    failure: 'not_connected',
    message:
      'Lusha does not know this API key. Copy it again from the dashboard under API, where a key can also have been revoked, and reconnect.',
  },
  {
    status: 402,
    failure: 'credits_exhausted',
    message: 'The Lusha account has no credits left. Its owner buys more, or waits until the plan renews.',
  },
  {
    ...says(403, 'not active'),
    failure: 'access_denied',
    message: 'The Lusha account is not active. Its owner has to ask support@lusha.com to activate it.',
  },
  {
    ...says(403, 'pricing version'),
    failure: 'access_denied',
    message:
      'The Lusha plan does not allow choosing e-mails or phones. Leave out "reveal", or ask for a plan with unified credits.',
  },
  {
    ...says(403, 'v3'),
    failure: 'access_denied',
    message:
      'Version 3 of the API is not enabled for this Lusha account. Ask Lusha for it, or choose the profile lusha-v2.',
  },
  {
    status: 403,
    failure: 'access_denied',
    message: 'The Lusha plan does not include this. Search and its lists of values belong to the plan Scale.',
  },
  {
    status: 410,
    failure: 'rejected',
    message: 'This search at Lusha has expired. Run the search again, then reveal its contacts.',
  },
  {
    status: 412,
    failure: 'rejected',
    message: 'Lusha wants a first and a last name: a full name of one word identifies nobody.',
  },
  {
    ...says(429, 'trial'),
    failure: 'credits_exhausted',
    message: 'The trial of the Lusha account is used up. Its owner has to choose a plan.',
  },
  {
    status: 429,
    failure: 'rate_limited',
    message:
      'The rate limit or the daily quota of the Lusha plan is used up. It opens again by itself; a higher plan has more.',
  },
  {
    status: 451,
    failure: 'suppressed',
    message: 'Lusha may not give data of this person under the GDPR. Do not look for it elsewhere.',
  },
  { status: 499, failure: 'provider_failed' },
]

export const lusha = (): Omit<WireProfile, 'profile' | 'endpoints' | 'records' | 'assumed'> => ({
  baseUrl: 'https://api.lusha.com',
  auth: { 'api-key': { place: 'header', fields: { api_key: '{apiKey}' } } },
  reserved: ['api_key', 'api-key', 'apikey', 'x-api-key', 'authorization', 'access_token'],
  pace: pace(),
  timeouts: { connectMs: 5_000, headersMs: 60_000, bodyMs: 30_000, totalMs: 90_000, deadlineMs: 300_000 },
  maxReplyBytes: 10 * 1024 * 1024,
  errors: errors(),
  errorDetails: { message: ['message', 'error.message'], list: { at: 'errors' } },
  // Signed with the account's webhook secret.
  signature: {
    header: 'x-lusha-signature',
    algorithm: 'hmac-sha256',
    encoding: 'hex',
    signs: '{timestamp}.{body}',
    timestamp: { header: 'x-lusha-timestamp', toleranceMs: 5 * minute },
  },
  optOuts: {
    challenge: 'challenge',
    fields: { linkedin: 'linkedinUrl', recordId: 'contactId' },
    list: { at: 'datapoints', kind: 'datapointType', value: 'datapointId', kinds: { email: 'email', phone: 'phone' } },
    acknowledge: { constants: { received: true }, time: 'timestamp', echo: { webhookId: ['id', 'contactId'] } },
  },
  test: { endpoint: 'account-usage' },
  validKey: [
    { status: 402 },
    says(403, 'not active'),
    says(403, 'plan'),
    says(403, 'pricing version'),
    says(403, 'not enabled'),
    { status: 451 },
  ],
})

export const lushaAssumed = {
  reserved:
    'api_key is documented; the others are names that other documents of this provider, and proxies, use for a key.',
  'pace.limits':
    'The numbers are those of the largest plan (Scale), with 25 requests a second by default. The documents disagree on whether limits count per key or per account. Headers report what a smaller plan has left.',
  'pace.concurrency': 'Not documented; 4 at once stay below 25 a second.',
  'pace.remaining':
    'Two sets of header names are documented, in the guide and in the description of version 2; both are read.',
  'pace.fallbackMs':
    'No header says when to retry. The documents advise waiting 1 second, doubled each time up to 60; we wait 60 seconds, after which the minute window is free again.',
  timeouts: 'Not documented.',
  maxReplyBytes: 'Not documented.',
  errors:
    'Statuses are documented; the bodies of 402 and 429 were not seen. That "trial" in the text of a 429 means that the credits are used up is a guess.',
  validKey: 'That these refusals are sent only for a valid key is a guess.',
  'signature.timestamp': 'No age is documented after which a delivery is to be refused; 5 minutes are usual.',
  optOuts:
    'The acknowledgement is that of other deliveries. A request about an opt-out has no "id": its contact is named.',
}
