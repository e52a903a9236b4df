import { createHmac } from 'node:crypto'
import { path } from '#kit'
import { profileOf } from './vendor.ts'
import type { Vendor } from './vendor.ts'

export const stripe: Vendor = {
  id: 'stripe',
  title: 'Stripe',
  kind: 'payments',
  sources: {
    request: 'https://docs.stripe.com/api/customers/create',
    paging: 'https://docs.stripe.com/api/pagination',
    errors: 'https://docs.stripe.com/api/errors',
    limits: 'https://docs.stripe.com/rate-limits',
    webhooks: 'https://docs.stripe.com/api/events/object',
  },
  secrets: { token: 'sk_test_example' },
  account: 'acct_1032D82eZvKYlo2C',
  wire: profileOf({
    profile: 'stripe v1',
    baseUrl: 'https://api.stripe.com',
    auth: { token: { place: 'basic', user: '{token}', password: '' } },
    body: 'form',
    pace: { limits: [{ per: 'connection', max: 100, windowMs: 1000 }], concurrency: 10, fallbackMs: 1000 },
    errors: [
      { path: 'error.code', equals: 'rate_limit', failure: 'rate_limited' },
      { path: 'error.code', equals: 'resource_missing', failure: 'not_found' },
      { path: 'error.code', equals: 'parameter_missing', failure: 'invalid_input' },
    ],
    errorDetails: { message: ['error.message'] },
    signature: {
      header: 'stripe-signature',
      algorithm: 'hmac-sha256',
      encoding: 'hex',
      prefix: 'v1=',
      separator: ',',
      signs: '{timestamp}.{body}',
      timestamp: { header: 'stripe-signature', prefix: 't=', toleranceMs: 300_000 },
      secret: 'app',
    },
  }),
  request: {
    effect: 'create',
    ask: {
      method: 'POST',
      path: path`/v1/customers`,
      body: { name: 'Jenny Rosen', email: 'jennyrosen@example.com' },
    },
    sent: {
      method: 'POST',
      url: '/v1/customers',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'name=Jenny+Rosen&email=jennyrosen%40example.com',
    },
    reply: { status: 200, body: { id: 'cus_NffrFeUfNV2Hib', object: 'customer', name: 'Jenny Rosen' } },
  },
  page: {
    ask: { method: 'GET', path: path`/v1/customers` },
    rule: {
      style: 'cursor',
      lastItem: 'id',
      more: 'has_more',
      parameter: 'starting_after',
      size: { parameter: 'limit', max: 100 },
    },
    items: 'data',
    replies: [
      {
        status: 200,
        body: { object: 'list', url: '/v1/customers', has_more: true, data: [{ id: 'cus_4QFJOjw2pOmAGJ' }] },
      },
      {
        status: 200,
        body: { object: 'list', url: '/v1/customers', has_more: false, data: [{ id: 'cus_4QFOF3xrvBT2nU' }] },
      },
    ],
    nextUrl: '/v1/customers?limit=100&starting_after=cus_4QFJOjw2pOmAGJ',
  },
  error: {
    // The page names the fields, https://docs.stripe.com/error-codes the code; the message is that of a charge without a source.
    reply: {
      status: 400,
      body: {
        error: {
          code: 'parameter_missing',
          doc_url: 'https://stripe.com/docs/error-codes/parameter-missing',
          message: 'Must provide source or customer.',
          type: 'invalid_request_error',
        },
      },
    },
    failure: { code: 'invalid_input', says: 'Must provide source or customer.' },
  },
  limit: {
    // The page names the status and 100 requests a second; the body has the shape of errors, its words are those of Stripe's answers.
    reply: {
      status: 429,
      body: {
        error: {
          code: 'rate_limit',
          message:
            'Request rate limit exceeded. You can learn more about rate limits here https://stripe.com/docs/rate-limits.',
          type: 'invalid_request_error',
        },
      },
    },
    waitMs: 1000,
  },
  deliveries: {
    // An endpoint of the Dashboard, whose secret is entered with the app; events of connected accounts name them.
    registration: 'app',
    // "Up to three days with an exponential back off"; the waits are not documented.
    retries: [3_600_000],
    watched: { kind: 'account', id: 'acct_1032D82eZvKYlo2C' },
    itemsOf: (body) => [body],
    read: (item) => ({
      id: item.id,
      type: item.type,
      at: new Date(item.created * 1000).toISOString(),
      account: item.account ?? 'acct_1032D82eZvKYlo2C',
      subject: { kind: item.data.object.object, id: item.data.object.id },
    }),
  },
  // Stripe publishes no signature with its secret. This one follows https://docs.stripe.com/webhooks#verify-manually
  delivery: {
    now: '2023-06-06T22:19:35Z',
    secret: 'whsec_test_secret',
    body: JSON.stringify({
      id: 'evt_1NG8Du2eZvKYlo2CUI79vXWy',
      object: 'event',
      api_version: '2019-02-19',
      created: 1686089970,
      data: { object: { id: 'seti_1NG8Du2eZvKYlo2C9XMqbR0x', object: 'setup_intent' } },
      livemode: false,
      type: 'setup_intent.created',
    }),
    headers: ({ body, secret }) => {
      const signature = createHmac('sha256', secret).update(`1686089971.${body}`).digest('hex')
      // While a secret is rolled, the header has a v1 for each; v0 is for test events.
      const older = createHmac('sha256', 'whsec_rolled').update(`1686089971.${body}`).digest('hex')
      return { 'stripe-signature': `t=1686089971,v1=${older},v1=${signature},v0=${older}` }
    },
    events: [{ id: 'evt_1NG8Du2eZvKYlo2CUI79vXWy', type: 'setup_intent.created' }],
  },
}
