import { createHmac } from 'node:crypto'
import { path } from '#kit'
import { profileOf } from './vendor.ts'
import type { Vendor } from './vendor.ts'

export const typeform: Vendor = {
  id: 'typeform',
  title: 'Typeform',
  kind: 'forms',
  sources: {
    request: 'https://www.typeform.com/developers/create/reference/retrieve-form/',
    paging: 'https://www.typeform.com/developers/responses/reference/retrieve-responses/',
    errors: 'https://www.typeform.com/developers/troubleshooting/',
    limits: 'https://www.typeform.com/developers/get-started/#rate-limits',
    webhooks: 'https://www.typeform.com/developers/webhooks/example-payload/',
  },
  secrets: { token: 'your_access_token' },
  account: '01D4AGTJ',
  wire: profileOf({
    profile: 'typeform',
    baseUrl: 'https://api.typeform.com',
    auth: { token: { place: 'header', fields: { Authorization: 'Bearer {token}' } } },
    pace: { limits: [{ per: 'connection', max: 2, windowMs: 1000 }], concurrency: 2, fallbackMs: 1000 },
    errors: [{ path: 'code', equals: 'VALIDATION_ERROR', failure: 'invalid_input' }],
    errorDetails: {
      message: ['description'],
      list: { at: 'details', field: 'field', code: 'code', message: 'description' },
    },
    signature: {
      header: 'typeform-signature',
      algorithm: 'hmac-sha256',
      encoding: 'base64',
      prefix: 'sha256=',
      signs: '{body}',
      secret: 'hook',
    },
  }),
  request: {
    effect: 'read',
    ask: { method: 'GET', path: path`/forms/abc123` },
    sent: { method: 'GET', url: '/forms/abc123', headers: { authorization: 'Bearer your_access_token' } },
    reply: { status: 200, body: { id: 'abc123', title: 'title', language: 'en' } },
  },
  page: {
    ask: { method: 'GET', path: path`/forms/lT4Z3j/responses` },
    rule: { style: 'cursor', lastItem: 'token', parameter: 'before', size: { parameter: 'page_size', max: 1000 } },
    items: 'items',
    replies: [
      {
        status: 200,
        body: { total_items: 4, page_count: 1, items: [{ token: '21085286190ffad1248d17c4135ee56f' }] },
      },
      { status: 200, body: { total_items: 0, page_count: 0, items: [] } },
    ],
    nextUrl: '/forms/lT4Z3j/responses?page_size=1000&before=21085286190ffad1248d17c4135ee56f',
  },
  error: {
    // The words are those that the vendor's client expects: https://github.com/Typeform/typeform-python-sdk
    reply: { status: 404, body: { code: 'FORM_NOT_FOUND', description: 'Non existing form with uid abc123' } },
    failure: { code: 'not_found', says: 'Non existing form with uid abc123' },
  },
  limit: {
    // The page documents the status and "two requests per second", but no body: its shape is that of errors, its words ours.
    reply: { status: 429, body: { code: 'TOO_MANY_REQUESTS', description: 'Too many requests' } },
    waitMs: 1000,
  },
  deliveries: {
    registration: 'model',
    // After other statuses than 408, 423, 429 and 503, which are repeated "every 2-3 minutes for 10 hours".
    retries: [300_000, 600_000, 1_200_000, 3_600_000, 7_200_000],
    watched: { kind: 'form', id: 'lT4Z3j' },
    itemsOf: (body) => [body],
    read: (item) => ({
      id: item.event_id,
      type: item.event_type,
      at: item.form_response.submitted_at,
      subject: { kind: 'response', id: item.form_response.token },
    }),
    register: {
      request: ({ callbackUrl, secret }) => ({
        method: 'PUT',
        path: path`/forms/lT4Z3j/webhooks/phoenix`,
        body: { url: callbackUrl, enabled: true, secret: secret!, verify_ssl: true },
      }),
      reply: { status: 200, body: { id: 'yRtagDm8AT', form_id: 'abc123', tag: 'phoenix', enabled: true } },
      idOf: (reply) => reply.tag,
    },
  },
  // The payload is a part of the vendor's example. It publishes no signature: this one follows https://www.typeform.com/developers/webhooks/secure-your-webhooks/
  delivery: {
    now: '2018-01-18T18:17:05Z',
    body: JSON.stringify({
      event_id: 'LtWXD3crgy',
      event_type: 'form_response',
      form_response: {
        form_id: 'lT4Z3j',
        token: 'a3a12ec67a1365927098a606107fac15',
        submitted_at: '2018-01-18T18:17:02Z',
        landed_at: '2018-01-18T18:07:02Z',
        calculated: { score: 9 },
      },
    }),
    headers: ({ body, secret }) => ({
      'typeform-signature': `sha256=${createHmac('sha256', secret).update(body).digest('base64')}`,
    }),
    events: [{ id: 'LtWXD3crgy', type: 'form_response' }],
  },
}
