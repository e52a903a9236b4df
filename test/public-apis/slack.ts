import { createHmac } from 'node:crypto'
import { path } from '#kit'
import { profileOf } from './vendor.ts'
import type { Vendor } from './vendor.ts'

const team = 'T1H9RESGL'
const body = JSON.stringify({
  team_id: team,
  api_app_id: 'A2H9RFS1A',
  event: {
    type: 'message',
    user: 'U061F7AUR',
    text: 'How many cats did we herd yesterday?',
    ts: '1525215129.000001',
    channel: 'D0PNCRP9N',
    event_ts: '1525215129.000001',
    channel_type: 'app_home',
  },
  type: 'event_callback',
  event_id: 'Ev0PV52K25',
  event_time: 1525215129,
})

export const slack: Vendor = {
  id: 'slack',
  title: 'Slack',
  kind: 'chat',
  sources: {
    request: 'https://docs.slack.dev/reference/methods/chat.postMessage',
    paging: 'https://docs.slack.dev/apis/web-api/pagination',
    errors: 'https://docs.slack.dev/reference/methods/chat.postMessage#errors',
    limits: 'https://docs.slack.dev/apis/web-api/rate-limits',
    webhooks:
      'https://github.com/slackapi/slack-api-specs/blob/master/events-api/slack_common_event_wrapper_schema.json',
  },
  secrets: { token: 'xoxb-your-token' },
  account: team,
  wire: profileOf({
    profile: 'slack web api',
    baseUrl: 'https://slack.com/api',
    auth: { token: { place: 'header', fields: { Authorization: 'Bearer {token}' } } },
    // Each method has its limit: here tier 2, and one message a second for each channel.
    pace: {
      limits: [
        { per: 'route', route: '/users.list', max: 20, windowMs: 60_000 },
        { per: 'field', route: '/chat.postMessage', field: 'channel', max: 1, windowMs: 1000 },
      ],
      concurrency: 5,
    },
    errors: [
      { path: 'error', equals: 'ratelimited', failure: 'rate_limited' },
      { path: 'error', equals: 'channel_not_found', failure: 'not_found' },
      { path: 'error', equals: 'not_in_channel', failure: 'access_denied' },
      { path: 'error', equals: 'missing_scope', failure: 'access_denied' },
      { path: 'error', equals: 'invalid_auth', failure: 'not_connected' },
      { path: 'error', equals: 'token_revoked', failure: 'not_connected' },
      { path: 'ok', equals: false, failure: 'rejected' },
    ],
    errorDetails: { message: ['error'] },
    signature: {
      header: 'x-slack-signature',
      algorithm: 'hmac-sha256',
      encoding: 'hex',
      prefix: 'v0=',
      signs: 'v0:{timestamp}:{body}',
      timestamp: { header: 'x-slack-request-timestamp', toleranceMs: 300_000 },
      secret: 'app',
    },
  }),
  request: {
    effect: 'create',
    ask: { method: 'POST', path: path`/chat.postMessage`, body: { channel: 'C123ABC456', text: 'Hello world' } },
    sent: {
      method: 'POST',
      url: '/chat.postMessage',
      headers: { authorization: 'Bearer xoxb-your-token' },
      body: '{"channel":"C123ABC456","text":"Hello world"}',
    },
    reply: { status: 200, body: { ok: true, channel: 'C123ABC456', ts: '1503435956.000247' } },
  },
  page: {
    ask: { method: 'GET', path: path`/users.list` },
    rule: {
      style: 'cursor',
      at: 'response_metadata.next_cursor',
      parameter: 'cursor',
      size: { parameter: 'limit', max: 200 },
    },
    items: 'members',
    replies: [
      {
        status: 200,
        body: {
          ok: true,
          members: [{ id: 'USLACKBOT', team_id: 'T0123ABC456' }],
          response_metadata: { next_cursor: 'dXNlcjpVMEc5V0ZYTlo=' },
        },
      },
      // "An empty, null, or non-existent next_cursor" says that nothing follows.
      { status: 200, body: { ok: true, members: [{ id: 'W012A3CDE' }], response_metadata: { next_cursor: '' } } },
    ],
    nextUrl: '/users.list?limit=200&cursor=dXNlcjpVMEc5V0ZYTlo%3D',
  },
  error: {
    reply: { status: 200, body: { ok: false, error: 'channel_not_found' } },
    failure: { code: 'not_found', says: 'channel_not_found' },
  },
  limit: {
    reply: { status: 429, headers: { 'retry-after': '30' }, body: { ok: false, error: 'ratelimited' } },
    waitMs: 30_000,
  },
  deliveries: {
    registration: 'app',
    // "Immediately, after 1 minute, after 5 minutes."
    retries: [0, 60_000, 300_000],
    watched: { kind: 'team', id: team },
    itemsOf: (delivered) => [delivered],
    read: ({ event_id: id, team_id: account, event_time: at, event }) => ({
      id,
      account,
      type: event.type,
      at: new Date(at * 1000).toISOString(),
      actor: event.user,
    }),
    respond({ body: asked }) {
      const { type, challenge } = asked as { type?: string; challenge?: string }
      return type === 'url_verification' && challenge !== undefined ? { status: 200, body: challenge } : undefined
    },
  },
  delivery: {
    now: '2018-05-01T22:52:10Z',
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    body,
    headers: ({ body: signed, secret }) => ({
      'x-slack-request-timestamp': '1525215129',
      'x-slack-signature': `v0=${createHmac('sha256', secret).update(`v0:1525215129:${signed}`).digest('hex')}`,
    }),
    events: [{ id: 'Ev0PV52K25', type: 'message' }],
  },
  // https://docs.slack.dev/authentication/verifying-requests-from-slack
  vector: {
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    now: '2018-07-12T18:37:00Z',
    body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
    headers: {
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    },
  },
}
