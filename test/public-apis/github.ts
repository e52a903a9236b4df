import { createHmac } from 'node:crypto'
import { path } from '#kit'
import { profileOf } from './vendor.ts'
import type { Vendor } from './vendor.ts'

const repository = { kind: 'repository', id: '1296269' }

export const github: Vendor = {
  id: 'github',
  title: 'GitHub',
  kind: 'source control',
  sources: {
    request: 'https://docs.github.com/en/rest/issues/issues#get-an-issue',
    paging: 'https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api',
    errors: 'https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api',
    limits: 'https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit',
    webhooks: 'https://docs.github.com/en/webhooks/webhook-events-and-payloads#example-delivery',
  },
  secrets: { token: 'YOUR-TOKEN' },
  account: '1',
  wire: profileOf({
    profile: 'github 2022-11-28',
    baseUrl: 'https://api.github.com',
    auth: { token: { place: 'header', fields: { Authorization: 'Bearer {token}' } } },
    headers: { 'X-GitHub-Api-Version': '2022-11-28' },
    accept: 'application/vnd.github+json',
    pace: {
      limits: [{ per: 'connection', max: 5000, windowMs: 3_600_000 }],
      concurrency: 10,
      remaining: [
        {
          header: 'x-ratelimit-remaining',
          per: 'connection',
          windowMs: 3_600_000,
          reset: { header: 'x-ratelimit-reset', as: 'epoch-s' },
        },
      ],
      fallbackMs: 60_000,
    },
    errors: [
      { status: [403, 429], header: { name: 'retry-after' }, failure: 'rate_limited', pauses: 'connection' },
      {
        status: [403, 429],
        header: { name: 'x-ratelimit-remaining', equals: '0' },
        failure: 'rate_limited',
        pauses: 'connection',
      },
    ],
    errorDetails: { message: ['message'], list: { at: 'errors', field: 'field', code: 'code', message: 'message' } },
    signature: {
      header: 'x-hub-signature-256',
      algorithm: 'hmac-sha256',
      encoding: 'hex',
      prefix: 'sha256=',
      signs: '{body}',
      secret: 'hook',
    },
  }),
  request: {
    effect: 'read',
    ask: { method: 'GET', path: path`/repos/octocat/Hello-World/issues/1347` },
    sent: {
      method: 'GET',
      url: '/repos/octocat/Hello-World/issues/1347',
      headers: {
        accept: 'application/vnd.github+json',
        authorization: 'Bearer YOUR-TOKEN',
        'x-github-api-version': '2022-11-28',
      },
    },
    reply: { status: 200, body: { id: 1, number: 1347, state: 'open', title: 'Found a bug' } },
  },
  page: {
    ask: { method: 'GET', path: path`/repos/octocat/Spoon-Knife/issues` },
    // GitHub allows 100 a page; its example has two.
    rule: { style: 'link', size: { parameter: 'per_page', max: 2 } },
    items: '',
    replies: [
      {
        status: 200,
        headers: {
          link: '<{origin}/repositories/1300192/issues?per_page=2&page=2>; rel="next", <{origin}/repositories/1300192/issues?per_page=2&page=7715>; rel="last"',
        },
        body: [{ id: 1, number: 1347 }],
      },
      { status: 200, body: [{ id: 2, number: 1348 }] },
    ],
    nextUrl: '/repos/octocat/Spoon-Knife/issues?per_page=2&page=2',
  },
  error: {
    // The page names the fields and the code; the values are ours.
    reply: {
      status: 422,
      body: { message: 'Validation Failed', errors: [{ resource: 'Issue', field: 'title', code: 'missing_field' }] },
    },
    failure: { code: 'rejected', says: 'missing_field' },
  },
  limit: {
    // The page names status, header and reason; the values are ours.
    reply: {
      status: 403,
      headers: { 'retry-after': '20' },
      body: { message: 'You have exceeded a secondary rate limit.' },
    },
    waitMs: 20_000,
  },
  deliveries: {
    registration: 'model',
    // "GitHub does not automatically redeliver failed webhook deliveries."
    retries: [],
    watched: repository,
    itemsOf: (body, headers) => [{ ...body, kind: headers['x-github-event'], delivery: headers['x-github-delivery'] }],
    read: (item) => ({
      id: item.delivery,
      type: `${item.kind}.${item.action}`,
      // The vendor's excerpt has no time.
      at: '2026-11-20T09:00:00Z',
      actor: String(item.sender.id),
      subject: { kind: 'issue', id: `${item.repository.full_name}#${item.issue.number}` },
    }),
    register: {
      request: ({ callbackUrl, secret }) => ({
        method: 'POST',
        path: path`/repos/octocat/Hello-World/hooks`,
        body: {
          name: 'web',
          active: true,
          events: ['issues'],
          config: { url: callbackUrl, content_type: 'json', insecure_ssl: '0', secret: secret! },
        },
      }),
      reply: { status: 201, body: { type: 'Repository', id: 12345678, name: 'web', active: true } },
      idOf: (reply) => String(reply.id),
    },
  },
  delivery: {
    now: '2026-11-20T09:00:00Z',
    body: JSON.stringify({
      action: 'opened',
      issue: { url: 'https://api.github.com/repos/octocat/Hello-World/issues/1347', number: 1347 },
      repository: { id: 1296269, full_name: 'octocat/Hello-World', owner: { login: 'octocat', id: 1 } },
      sender: { login: 'octocat', id: 1 },
    }),
    headers: ({ body, secret }) => ({
      'x-github-event': 'issues',
      'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    }),
    events: [{ id: '72d3162e-cc78-11e3-81ab-4c9367dc0958', type: 'issues.opened' }],
  },
  // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries#testing-the-webhook-payload-validation
  vector: {
    secret: "It's a Secret to Everybody",
    body: 'Hello, World!',
    headers: {
      'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    },
  },
}
