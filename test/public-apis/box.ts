import { path } from '#kit'
import { profileOf } from './vendor.ts'
import type { Vendor } from './vendor.ts'

const body =
  '{"type":"webhook_event","webhook":{"id":"1234567890"},"trigger":"FILE.UPLOADED","source":{"id":"1234567890","type":"file","name":"Test.txt"}}'
const headers = {
  'box-delivery-id': 'f96bb54b-ee16-4fc5-aa65-8c2d9e5b546f',
  'box-delivery-timestamp': '2020-01-01T00:00:00-07:00',
  'box-signature-algorithm': 'HmacSHA256',
  'box-signature-primary': '6TfeAW3A1PASkgboxxA5yqHNKOwFyMWuEXny/FPD5hI=',
  'box-signature-secondary': 'v+1CD1Jdo3muIcbpv5lxxgPglOqMfsNHPV899xWYydo=',
  'box-signature-version': '1',
}

export const box: Vendor = {
  id: 'box',
  title: 'Box',
  kind: 'storage',
  sources: {
    request: 'https://developer.box.com/reference/get-files-id/',
    paging: 'https://developer.box.com/guides/api-calls/pagination/marker-based/',
    errors: 'https://developer.box.com/guides/api-calls/permissions-and-errors/common-errors/',
    limits: 'https://developer.box.com/guides/api-calls/permissions-and-errors/rate-limits/',
    webhooks: 'https://developer.box.com/guides/webhooks/v2/signatures-v2/',
  },
  secrets: { token: 'ACCESS_TOKEN' },
  account: '11446498',
  wire: profileOf({
    profile: 'box 2.0',
    baseUrl: 'https://api.box.com/2.0',
    auth: { token: { place: 'header', fields: { Authorization: 'Bearer {token}' } } },
    pace: { limits: [{ per: 'connection', max: 1000, windowMs: 60_000 }], concurrency: 10 },
    errors: [{ path: 'code', equals: 'item_name_in_use', failure: 'conflict' }],
    errorDetails: {
      message: ['message'],
      list: { at: 'context_info.errors', field: 'name', code: 'reason', message: 'message' },
    },
    signature: {
      // While keys are changed, the header of the secondary key has the other signature.
      header: 'box-signature-primary',
      algorithm: 'hmac-sha256',
      encoding: 'base64',
      signs: '{body}{timestamp}',
      timestamp: { header: 'box-delivery-timestamp', toleranceMs: 600_000 },
      secret: 'app',
    },
  }),
  request: {
    effect: 'read',
    ask: { method: 'GET', path: path`/files/12345` },
    sent: { method: 'GET', url: '/files/12345', headers: { authorization: 'Bearer ACCESS_TOKEN' } },
    reply: { status: 200, body: { id: '12345', etag: '1', type: 'file', name: 'Contract.pdf' } },
  },
  page: {
    ask: { method: 'GET', path: path`/folders/0/items`, query: { usemarker: true } },
    rule: { style: 'cursor', at: 'next_marker', parameter: 'marker', size: { parameter: 'limit', max: 1000 } },
    items: 'entries',
    replies: [
      {
        status: 200,
        body: {
          entries: [{ id: '12345' }],
          limit: 1000,
          next_marker: 'JV9IRGZmieiBasejOG9yDCRNgd2ymoZIbjsxbJMjIs3kioVii',
        },
      },
      { status: 200, body: { entries: [{ id: '12346' }], limit: 1000, next_marker: null } },
    ],
    nextUrl: '/folders/0/items?usemarker=true&limit=1000&marker=JV9IRGZmieiBasejOG9yDCRNgd2ymoZIbjsxbJMjIs3kioVii',
  },
  error: {
    // The reference has no example of this code. This one is from https://support.box.com/hc/ja/community/posts/4409688793747-error-response
    reply: {
      status: 409,
      body: {
        type: 'error',
        status: 409,
        code: 'item_name_in_use',
        help_url: 'http://developers.box.com/docs/#errors',
        message: 'Item with the same name already exists',
        request_id: 'abcdef123456',
      },
    },
    failure: { code: 'conflict', says: 'Item with the same name already exists' },
  },
  limit: {
    reply: {
      status: 429,
      headers: { 'retry-after': '100' },
      body: {
        type: 'error',
        status: 429,
        code: 'rate_limit_exceeded',
        message: 'Request rate limit exceeded, please try again later',
      },
    },
    waitMs: 100_000,
  },
  deliveries: {
    registration: 'model',
    // "Up to ten times after the initial attempt", with growing waits that are not documented.
    retries: [60_000],
    watched: { kind: 'folder', id: '1234567890' },
    itemsOf: (delivered, of) => [{ ...delivered, at: of['box-delivery-timestamp'], delivery: of['box-delivery-id'] }],
    read: (item) => ({
      id: item.id ?? item.delivery,
      type: item.trigger,
      at: new Date(item.at).toISOString(),
      subject: { kind: item.source.type, id: item.source.id },
    }),
    register: {
      request: ({ callbackUrl }) => ({
        method: 'POST',
        path: path`/webhooks`,
        body: { target: { id: '1234567890', type: 'folder' }, address: callbackUrl, triggers: ['FILE.UPLOADED'] },
      }),
      reply: { status: 201, body: { id: '11446498', type: 'webhook', triggers: ['FILE.UPLOADED'] } },
      idOf: (reply) => reply.id,
    },
  },
  // Published as a whole: https://github.com/box/box-node-sdk/blob/main/docs/webhooks.md#validate-a-webhook-message
  delivery: {
    now: '2020-01-01T00:05:00-07:00',
    secret: 'SamplePrimaryKey',
    body,
    headers: () => headers,
    events: [{ id: 'f96bb54b-ee16-4fc5-aa65-8c2d9e5b546f', type: 'FILE.UPLOADED' }],
  },
}
