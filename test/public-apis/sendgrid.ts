import { path } from '#kit'
import { profileOf } from './vendor.ts'
import type { Vendor } from './vendor.ts'

const publicKey =
  'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g=='

export const sendgrid: Vendor = {
  id: 'sendgrid',
  title: 'Twilio SendGrid',
  kind: 'mail',
  sources: {
    request:
      'https://www.twilio.com/docs/sendgrid/api-reference/transactional-templates/retrieve-a-single-transactional-template',
    paging: 'https://www.twilio.com/docs/sendgrid/api-reference/bounces-api/retrieve-all-bounces',
    errors: 'https://github.com/twilio/sendgrid-oai/blob/main/spec/json/tsg_suppressions_v3.json',
    limits: 'https://www.twilio.com/docs/sendgrid/api-reference/how-to-use-the-sendgrid-v3-api/rate-limits',
    webhooks: 'https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event',
  },
  secrets: { token: 'YOUR_API_KEY' },
  account: 'parent',
  wire: profileOf({
    profile: 'sendgrid v3',
    baseUrl: 'https://api.sendgrid.com',
    auth: { token: { place: 'header', fields: { Authorization: 'Bearer {token}' } } },
    pace: {
      // The number is ours: each endpoint has its own, which only the headers tell.
      limits: [{ per: 'connection', max: 600, windowMs: 60_000 }],
      concurrency: 10,
      remaining: [
        {
          header: 'x-ratelimit-remaining',
          per: 'connection',
          windowMs: 60_000,
          reset: { header: 'x-ratelimit-reset', as: 'epoch-s' },
        },
      ],
    },
    errors: [{ status: 400, path: 'errors', is: 'present', failure: 'invalid_input' }],
    errorDetails: { message: ['errors.0.message'], list: { at: 'errors', field: 'field', message: 'message' } },
    signature: {
      header: 'x-twilio-email-event-webhook-signature',
      algorithm: 'ecdsa-sha256',
      encoding: 'base64',
      signs: '{timestamp}{body}',
      timestamp: { header: 'x-twilio-email-event-webhook-timestamp', toleranceMs: 600_000 },
      // The public key that the settings of the event webhook show.
      secret: 'app',
    },
  }),
  request: {
    effect: 'read',
    ask: { method: 'GET', path: path`/v3/templates/40da60e6-66f3-4223-9406-ba58b7f55a62` },
    sent: {
      method: 'GET',
      url: '/v3/templates/40da60e6-66f3-4223-9406-ba58b7f55a62',
      headers: { authorization: 'Bearer YOUR_API_KEY' },
    },
    reply: { status: 200, body: { id: '40da60e6-66f3-4223-9406-ba58b7f55a62', name: 'Duis in dolor', versions: [] } },
  },
  page: {
    ask: { method: 'GET', path: path`/v3/suppression/bounces` },
    // SendGrid allows 500 a page. With one, the example needs only one.
    rule: { style: 'offset', parameter: 'offset', size: { parameter: 'limit', max: 1 } },
    items: '',
    replies: [
      { status: 200, body: [{ created: 1250337600, email: 'example@example.com', status: '5.1.1' }] },
      { status: 200, body: [] },
    ],
    nextUrl: '/v3/suppression/bounces?limit=1&offset=1',
  },
  error: {
    reply: {
      status: 400,
      body: { errors: [{ field: 'field_name', message: 'error message' }] },
    },
    failure: { code: 'invalid_input', says: 'field_name' },
  },
  limit: {
    reply: {
      status: 429,
      headers: {
        // The page has no date: this is ten seconds before the reset.
        date: 'Wed, 19 Feb 2014 13:07:33 GMT',
        'x-ratelimit-limit': '150',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': '1392815263',
      },
      body: { errors: [{ field: null, message: 'too many requests' }] },
    },
    waitMs: 10_000,
  },
  deliveries: {
    registration: 'app',
    // "For 24 hours", with growing waits that are not documented.
    retries: [600_000],
    watched: { kind: 'account', id: 'parent' },
    itemsOf: (body) => body,
    read: (item) => ({
      id: item.sg_event_id,
      type: item.event,
      at: new Date(item.timestamp * 1000).toISOString(),
      account: 'parent',
      subject: { kind: 'message', id: item.sg_message_id },
    }),
  },
  // Published as a whole: https://github.com/sendgrid/sendgrid-nodejs/blob/main/packages/eventwebhook/src/eventwebhook.spec.js
  delivery: {
    now: '2020-09-14T19:41:50Z',
    secret: publicKey,
    body: '[{"email":"hello@world.com","event":"dropped","reason":"Bounced Address","sg_event_id":"ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA","sg_message_id":"LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0","smtp-id":"<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>","timestamp":1600112492}]\r\n',
    headers: () => ({
      'x-twilio-email-event-webhook-timestamp': '1600112502',
      'x-twilio-email-event-webhook-signature':
        'MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM=',
    }),
    events: [{ id: 'ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA', type: 'dropped' }],
  },
}
