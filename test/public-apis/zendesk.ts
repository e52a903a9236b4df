import { createHmac } from 'node:crypto'
import { path } from '#kit'
import { profileOf } from './vendor.ts'
import type { Vendor } from './vendor.ts'

const timestamp = '2025-01-08T10:12:08Z'

export const zendesk: Vendor = {
  id: 'zendesk',
  title: 'Zendesk',
  kind: 'tickets',
  sources: {
    request: 'https://developer.zendesk.com/api-reference/ticketing/tickets/tickets/#show-ticket',
    paging: 'https://developer.zendesk.com/api-reference/introduction/pagination/',
    errors: 'https://developer.zendesk.com/api-reference/introduction/requests/#400-range',
    limits: 'https://developer.zendesk.com/api-reference/introduction/rate-limits/',
    webhooks: 'https://developer.zendesk.com/api-reference/webhooks/event-types/ticket-events/',
  },
  // As in https://developer.zendesk.com/api-reference/introduction/security-and-auth/#api-token, with the header that they make.
  secrets: { email: 'jdoe@example.com', apiToken: '6wiIBWbGkBMo1mRDMuVwkw1EPsNkeUj95PIz2akv' },
  baseUrl: { from: 'address' },
  account: '22129848',
  wire: profileOf({
    profile: 'zendesk support v2',
    baseUrl: null,
    baseUrlPattern: 'https://*.zendesk.com',
    auth: { token: { place: 'basic', user: '{email}/token', password: '{apiToken}' } },
    pace: {
      limits: [{ per: 'connection', max: 200, windowMs: 60_000 }],
      concurrency: 5,
      remaining: [
        {
          header: 'ratelimit-remaining',
          per: 'connection',
          windowMs: 60_000,
          reset: { header: 'ratelimit-reset', as: 'seconds' },
        },
      ],
    },
    errors: [{ path: 'error', equals: 'RecordInvalid', failure: 'invalid_input' }],
    errorDetails: {
      message: ['description', 'error.message'],
      list: { at: 'details.value', code: 'type', message: 'description' },
    },
    signature: {
      header: 'x-zendesk-webhook-signature',
      algorithm: 'hmac-sha256',
      encoding: 'base64',
      signs: '{timestamp}{body}',
      timestamp: { header: 'x-zendesk-webhook-signature-timestamp', toleranceMs: 300_000 },
      secret: 'app',
    },
  }),
  request: {
    effect: 'read',
    ask: { method: 'GET', path: path`/api/v2/tickets/35436` },
    sent: {
      method: 'GET',
      url: '/api/v2/tickets/35436',
      headers: {
        authorization: 'Basic amRvZUBleGFtcGxlLmNvbS90b2tlbjo2d2lJQldiR2tCTW8xbVJETXVWd2t3MUVQc05rZVVqOTVQSXoyYWt2',
      },
    },
    reply: { status: 200, body: { ticket: { id: 35436, subject: 'Help, my printer is on fire!', status: 'open' } } },
  },
  page: {
    ask: { method: 'GET', path: path`/api/v2/tickets` },
    rule: {
      style: 'cursor',
      at: 'meta.after_cursor',
      more: 'meta.has_more',
      parameter: 'page[after]',
      size: { parameter: 'page[size]', max: 100 },
    },
    items: 'tickets',
    // The page has placeholders for the cursors.
    replies: [
      { status: 200, body: { tickets: [{ id: 35436 }], meta: { has_more: true, after_cursor: 'cursor-2' } } },
      { status: 200, body: { tickets: [{ id: 35437 }], meta: { has_more: false, after_cursor: 'cursor-3' } } },
    ],
    nextUrl: '/api/v2/tickets?page%5Bsize%5D=100&page%5Bafter%5D=cursor-2',
  },
  error: {
    reply: {
      status: 422,
      body: {
        details: {
          value: [
            { type: 'blank', description: "can't be blank" },
            { type: 'invalid', description: ' is not properly formatted' },
          ],
        },
        description: 'RecordValidation errors',
        error: 'RecordInvalid',
      },
    },
    failure: { code: 'invalid_input', says: "can't be blank" },
  },
  limit: {
    // The answer is a text: https://support.zendesk.com/hc/en-us/community/posts/4600766234138
    reply: {
      status: 429,
      headers: { 'content-type': 'text/plain', 'retry-after': '93' },
      body: 'Number of allowed API requests per minute exceeded',
    },
    waitMs: 93_000,
  },
  deliveries: {
    registration: 'app',
    // Repeated up to three times after a timeout or 409, and up to five times after 429 and 503 with Retry-After.
    retries: [],
    watched: { kind: 'account', id: '22129848' },
    itemsOf: (body) => [body],
    read: (item) => ({
      id: item.id,
      type: item.type,
      at: item.time,
      account: String(item.account_id),
      actor: item.detail.actor_id,
      subject: { kind: 'ticket', id: item.detail.id },
    }),
  },
  // Zendesk publishes no signature. This one follows https://developer.zendesk.com/documentation/webhooks/verifying/, with the secret that it gives for tests.
  delivery: {
    now: '2025-01-08T10:12:09Z',
    secret: 'dGhpc19zZWNyZXRfaXNfZm9yX3Rlc3Rpbmdfb25seQ==',
    body: JSON.stringify({
      account_id: 22129848,
      detail: { actor_id: '8447388090494', id: '5158', status: 'OPEN', subject: 'ticketinfo_2294a6e9ece2' },
      event: {},
      id: 'cbe4028c-7239-495d-b020-f22348516046',
      subject: 'zen:ticket:5158',
      time: '2025-01-08T10:12:07.672717030Z',
      type: 'zen:event-type:ticket.created',
      zendesk_event_version: '2022-11-06',
    }),
    headers: ({ body, secret }) => ({
      'x-zendesk-webhook-signature-timestamp': timestamp,
      'x-zendesk-webhook-signature': createHmac('sha256', secret).update(`${timestamp}${body}`).digest('base64'),
    }),
    events: [{ id: 'cbe4028c-7239-495d-b020-f22348516046', type: 'zen:event-type:ticket.created' }],
  },
}
