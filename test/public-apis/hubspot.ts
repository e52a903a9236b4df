import { createHmac } from 'node:crypto'
import { path } from '#kit'
import { profileOf } from './vendor.ts'
import type { Vendor } from './vendor.ts'

const specification =
  'https://github.com/HubSpot/HubSpot-public-api-spec-collection/blob/main/PublicApiSpecs/CRM/Contacts/Rollouts/424/v3/contacts.json'

export const hubspot: Vendor = {
  id: 'hubspot',
  title: 'HubSpot',
  kind: 'CRM',
  sources: {
    request: 'https://developers.hubspot.com/docs/api-reference/legacy/crm/objects/contacts/guide',
    paging: specification,
    errors: specification,
    limits: 'https://developers.hubspot.com/docs/developer-tooling/platform/usage-guidelines',
    webhooks: 'https://developers.hubspot.com/docs/api-reference/legacy/webhooks/guide',
  },
  secrets: { token: 'YOUR_ACCESS_TOKEN' },
  account: '33',
  wire: profileOf({
    profile: 'hubspot crm v3',
    baseUrl: 'https://api.hubapi.com',
    auth: { token: { place: 'header', fields: { Authorization: 'Bearer {token}' } } },
    pace: { limits: [{ per: 'connection', max: 100, windowMs: 10_000 }], concurrency: 5, fallbackMs: 10_000 },
    errors: [
      { path: 'category', equals: 'VALIDATION_ERROR', failure: 'invalid_input' },
      { path: 'category', equals: 'MISSING_SCOPES', failure: 'access_denied' },
    ],
    errorDetails: { message: ['message'], list: { at: 'errors', field: 'in', code: 'code', message: 'message' } },
    signature: {
      header: 'x-hubspot-signature-v3',
      algorithm: 'hmac-sha256',
      encoding: 'base64',
      // Deliveries are POST requests, so the method is a literal.
      signs: 'POST{url}{body}{timestamp}',
      timestamp: { header: 'x-hubspot-request-timestamp', toleranceMs: 300_000 },
      secret: 'app',
    },
  }),
  request: {
    effect: 'read',
    ask: { method: 'GET', path: path`/crm/v3/objects/contacts/${'512'}`, query: { archived: false } },
    sent: {
      method: 'GET',
      url: '/crm/v3/objects/contacts/512?archived=false',
      headers: { authorization: 'Bearer YOUR_ACCESS_TOKEN' },
    },
    reply: {
      status: 200,
      body: { id: '512', properties: { company: 'Biglytics' }, createdAt: '2019-10-30T03:30:17.883Z', archived: false },
    },
  },
  page: {
    ask: { method: 'GET', path: path`/crm/v3/objects/contacts` },
    rule: { style: 'cursor', at: 'paging.next.after', parameter: 'after', size: { parameter: 'limit', max: 100 } },
    items: 'results',
    replies: [
      {
        status: 200,
        body: {
          results: [{ id: '512' }],
          paging: { next: { after: 'NTI1Cg%3D%3D', link: '?after=NTI1Cg%3D%3D' } },
        },
      },
      { status: 200, body: { results: [{ id: '513' }] } },
    ],
    nextUrl: '/crm/v3/objects/contacts?limit=100&after=NTI1Cg%253D%253D',
  },
  error: {
    reply: {
      status: 400,
      body: {
        status: 'error',
        message: 'Invalid input (details will vary based on the error)',
        correlationId: 'aeb5f871-7f07-4993-9211-075dc63e7cbf',
        category: 'VALIDATION_ERROR',
        links: { 'knowledge-base': 'https://www.hubspot.com/products/service/knowledge-base' },
      },
    },
    failure: { code: 'invalid_input', says: 'Invalid input (details will vary based on the error)' },
  },
  limit: {
    reply: {
      status: 429,
      body: {
        status: 'error',
        // The page shows the daily limit; this policy is the one after which the vendor's client waits ten seconds.
        message: 'You have reached your ten_secondly_rolling limit.',
        errorType: 'RATE_LIMIT',
        correlationId: 'c033cdaa-2c40-4a64-ae48-b4cec88dad24',
        policyName: 'TEN_SECONDLY_ROLLING',
        requestId: '3d3e35b7-0dae-4b9f-a6e3-9c230cbcf8dd',
      },
    },
    waitMs: 10_000,
  },
  deliveries: {
    registration: 'app',
    // Up to ten times within 24 hours; the waits are not documented.
    retries: [60_000],
    watched: { kind: 'portal', id: '33' },
    itemsOf: (body) => body,
    read: (item) => ({
      // HubSpot does not promise that an `eventId` is unique.
      id: [item.eventId, item.subscriptionId, item.objectId, item.occurredAt].join(':'),
      type: item.eventType,
      at: new Date(item.occurredAt).toISOString(),
      account: String(item.portalId),
      subject: { kind: 'contact', id: String(item.objectId) },
    }),
  },
  // HubSpot publishes signatures of versions 1 and 2 only. This one follows https://developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/request-validation
  delivery: {
    now: '2016-05-02T19:12:00Z',
    secret: 'yyyyyyyy-yyyy-yyyy-yyyy-yyyyyyyyyyyy',
    body: JSON.stringify([
      {
        objectId: 1246965,
        propertyName: 'lifecyclestage',
        propertyValue: 'subscriber',
        changeSource: 'ACADEMY',
        eventId: 3816279340,
        subscriptionId: 25,
        portalId: 33,
        appId: 1160452,
        occurredAt: 1462216307945,
        eventType: 'contact.propertyChange',
        attemptNumber: 0,
      },
      {
        objectId: 1246978,
        changeSource: 'IMPORT',
        eventId: 3816279480,
        subscriptionId: 22,
        portalId: 33,
        appId: 1160452,
        occurredAt: 1462216307945,
        eventType: 'contact.creation',
        attemptNumber: 0,
      },
    ]),
    headers: ({ body, url, secret }) => {
      const timestamp = String(Date.parse('2016-05-02T19:11:50Z'))
      const signature = createHmac('sha256', secret).update(`POST${url}${body}${timestamp}`).digest('base64')
      return { 'x-hubspot-request-timestamp': timestamp, 'x-hubspot-signature-v3': signature }
    },
    events: [
      { id: '3816279340:25:1246965:1462216307945', type: 'contact.propertyChange' },
      { id: '3816279480:22:1246978:1462216307945', type: 'contact.creation' },
    ],
  },
}
