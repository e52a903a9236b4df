import type { CreateProbe, ErrorRule, WireProfile } from '#kit'
import { stepAssumptions } from './step-assumed.ts'

const credentials = {
  place: 'header',
  fields: { Authorization: 'OAuth oauth_consumer_key="{key}", oauth_token="{token}"' },
} as const

/**
 * Errors recognised by their body: the board uses the same 401 for a bad credential and for a good one without the
 * permission.
 */
const errors: ErrorRule[] = [
  { status: 401, contains: 'permission requested', failure: 'access_denied' },
  {
    status: [401, 403],
    contains: 'missing scopes',
    failure: 'access_denied',
    message:
      'The connection was made without a permission that this needs. Reconnect the account and allow everything that is asked for; a token entered by hand needs read and write.',
  },
  { status: 401, contains: 'does not belong to token', failure: 'access_denied' },
  { status: 401, contains: 'invalid token', failure: 'not_connected' },
  { status: 401, contains: 'invalid key', failure: 'not_connected' },
  { status: 403, failure: 'access_denied' },
  { status: 404, failure: 'not_found' },
  { status: 409, failure: 'conflict' },
  { status: [413, 414], failure: 'too_large' },
  { status: 429, path: 'error', equals: 'API_TOO_MANY_CARDS_REQUESTED', failure: 'too_large' },
  { status: 429, path: 'error', equals: 'API_KEY_LIMIT_EXCEEDED', failure: 'rate_limited', pauses: 'app' },
  { status: 429, path: 'error', equals: 'API_TOKEN_LIMIT_EXCEEDED', failure: 'rate_limited', pauses: 'connection' },
  { status: 429, path: 'error', equals: 'API_TOKEN_DB_LIMIT_EXCEEDED', failure: 'rate_limited', pauses: 'connection' },
  { status: 429, path: 'error', equals: 'MEMBER_LIMIT_EXCEEDED', failure: 'rate_limited', pauses: 'route' },
  { status: 429, failure: 'rate_limited', pauses: 'connection' },
]

/** Where to look for what an unconfirmed create may have made. An id begins with the time of creation. */
const probes: CreateProbe[] = [
  {
    after: '/1/cards',
    find: { path: '/1/lists/{idList}/cards', query: { fields: 'name', filter: 'all', limit: 100 } },
    list: '',
    same: { name: 'name' },
    idHoldsTime: true,
  },
  {
    after: '/1/labels',
    find: { path: '/1/boards/{idBoard}/labels', query: { fields: 'name,color', limit: 1000 } },
    list: '',
    same: { name: 'name', color: 'color' },
    idHoldsTime: true,
  },
  {
    after: '/1/customFields',
    find: { path: '/1/boards/{idModel}/customFields' },
    list: '',
    same: { name: 'name', type: 'type' },
    idHoldsTime: true,
  },
  {
    after: '/1/customFields/{id}/options',
    find: { path: '/1/customFields/{id}/options' },
    list: '',
    same: { 'value.text': 'value.text' },
    id: '_id',
    idHoldsTime: true,
  },
  {
    after: '/1/boards',
    find: { path: '/1/members/me/boards', query: { fields: 'name' } },
    list: '',
    same: { name: 'name' },
    idHoldsTime: true,
  },
  {
    after: '/1/lists',
    find: { path: '/1/boards/{idBoard}/lists', query: { fields: 'name', filter: 'all' } },
    list: '',
    same: { name: 'name' },
    idHoldsTime: true,
  },
  {
    after: '/1/cards/{id}/actions/comments',
    find: { path: '/1/cards/{id}/actions', query: { filter: 'commentCard', limit: 50 } },
    list: '',
    same: { 'data.text': 'text' },
    idHoldsTime: true,
  },
  {
    after: '/1/cards/{id}/attachments',
    find: { path: '/1/cards/{id}/attachments', query: { fields: 'url' } },
    list: '',
    same: { url: 'url' },
    idHoldsTime: true,
  },
  // An uploaded file has no address that could be compared, so it is found by name.
  {
    after: '/1/cards/{id}/attachments',
    find: { path: '/1/cards/{id}/attachments', query: { fields: 'name' } },
    list: '',
    same: { name: 'name' },
    idHoldsTime: true,
  },
  {
    after: '/1/actions/{id}/reactions',
    find: { path: '/1/actions/{id}/reactions', query: { emoji: true } },
    list: '',
    same: { 'emoji.shortName': 'shortName' },
    idHoldsTime: true,
  },
  // Labels, members and votes are sent only when the card did not have them.
  {
    after: '/1/cards/{id}/idLabels',
    find: { path: '/1/cards/{id}', query: { fields: 'labels' } },
    list: 'labels',
    same: { id: 'value' },
  },
  { after: '/1/cards/{id}/idMembers', find: { path: '/1/cards/{id}/members' }, list: '', same: { id: 'value' } },
  {
    after: '/1/cards/{id}/membersVoted',
    find: { path: '/1/cards/{id}/membersVoted' },
    list: '',
    same: { id: 'value' },
  },
  {
    after: '/1/checklists',
    find: { path: '/1/cards/{idCard}/checklists', query: { fields: 'name', checkItems: 'none' } },
    list: '',
    same: { name: 'name' },
    idHoldsTime: true,
  },
  {
    after: '/1/checklists/{id}/checkItems',
    find: { path: '/1/checklists/{id}/checkItems', query: { fields: 'name' } },
    list: '',
    same: { name: 'name' },
    idHoldsTime: true,
  },
]

/**
 * The board's wire profile. The document shows paths under /1, JSON bodies, the four methods, the authorize parameters
 * and about 100 requests in 10 seconds per token. Everything else comes from the vendor's public description and from
 * observation, and is named in `assumed`.
 */
export const wire: WireProfile = {
  profile: 'vendor-2026',
  baseUrl: 'https://api.trello.com',
  authUrl: 'https://trello.com',
  auth: {
    oauth: credentials,
    oauth2: { place: 'header', fields: { Authorization: 'Bearer {token}' } },
    'key-token': credentials,
  },
  reserved: [
    'key',
    'token',
    'access_token',
    'api_key',
    'apikey',
    'authorization',
    '_method',
    'oauth_consumer_key',
    'oauth_token',
    'oauth_signature',
    'oauth_signature_method',
    'oauth_timestamp',
    'oauth_nonce',
    'oauth_version',
    'oauth_verifier',
  ],
  writeMark: { header: 'X-Trello-Client-Identifier' },
  pace: {
    limits: [
      { per: 'connection', max: 100, windowMs: 10_000 },
      { per: 'app', max: 300, windowMs: 10_000 },
      { per: 'route', route: '/1/members/{id}', max: 100, windowMs: 900_000 },
    ],
    concurrency: 16,
    remaining: [
      { header: 'x-rate-limit-api-token-remaining', per: 'connection' },
      { header: 'x-rate-limit-member-remaining', per: 'connection' },
      { header: 'x-rate-limit-api-key-remaining', per: 'app' },
    ],
  },
  timeouts: { connectMs: 5_000, headersMs: 35_000, bodyMs: 30_000, totalMs: 60_000, deadlineMs: 120_000 },
  maxReplyBytes: 10 * 1024 * 1024,
  errors,
  probes,
  signature: {
    header: 'X-Trello-Webhook',
    algorithm: 'hmac-sha1',
    encoding: 'base64',
    signs: 'body+url',
    secrets: { oauth: 'app', oauth2: 'client', 'key-token': 'app' },
  },
  oauth: {
    version: '1.0a',
    v1: {
      requestUrl: 'https://trello.com/1/OAuthGetRequestToken',
      authorizeUrl: 'https://trello.com/1/OAuthAuthorizeToken',
      tokenUrl: 'https://trello.com/1/OAuthGetAccessToken',
      authorizeParams: { name: '{appName}', scope: 'read,write', expiration: 'never' },
      scopeNames: { members: ['write'] },
    },
    v2: {
      authorizeUrl: 'https://auth.atlassian.com/authorize',
      tokenUrl: 'https://auth.atlassian.com/oauth/token',
      scopes: [
        'read:board:trello',
        'write:board:trello',
        'write:board:membership:trello',
        'read:member:trello',
        'read:organization:trello',
        'offline_access',
      ],
      scopeNames: {
        read: ['read:board:trello', 'read:member:trello', 'read:organization:trello'],
        write: ['write:board:trello'],
        members: ['write:board:membership:trello'],
      },
      authorizeParams: { prompt: 'consent' },
      tokenBody: 'json',
    },
  },
  assumed: {
    baseUrl: 'The document writes {base_url}; this is the address of the service its facts fit.',
    authUrl: 'The document writes {auth_url}; this is the site of the same service.',
    'auth.oauth':
      'Where key and token go on ordinary requests is not shown. The vendor takes them in query, body or header; the header keeps them out of addresses and logs.',
    'auth.key-token': 'As auth.oauth: not shown; the header keeps secrets out of addresses and logs.',
    reserved:
      "Names that carry credentials are not shown; these are the vendor's own in every place it takes them, and names that change a method.",
    writeMark: 'Not shown. The vendor returns this header with deliveries caused by a write that carried it.',
    'pace.limits':
      "100 in 10 s per token is shown as typical. 300 in 10 s per key, and 100 in 900 s for /1/members/{id}, are the vendor's published limits.",
    'pace.concurrency': 'Not shown; 16 at once fill the shown rate at answer times up to 1.6 s.',
    'pace.remaining': 'Not shown; header names as recorded from the service.',
    timeouts: 'Not shown; the vendor ends a read after 30 s, so 35 s are waited for an answer.',
    maxReplyBytes: 'Not shown; 1000 whole cards take about 4 MB.',
    errors:
      "Status codes and error bodies are not shown; these are the vendor's published statuses and texts seen in public tests of the service.",
    probes:
      "Where things are listed, the parameters of the lists, and that an id begins with its creation time, are not shown; they are the vendor's.",
    signature: "Not shown; from the vendor's guide to webhooks.",
    'auth.oauth2': 'Not shown; a bearer token in the header, as the vendor and the standard say.',
    'oauth.version':
      "The document says OAuth with redirect, read and write, and names no version. 1.0a gives a token that does not expire; 2.0 is the vendor's newer, optional one.",
    'oauth.v1':
      "The addresses and parameters are the vendor's; that the token is used like one of auth.key-token is common practice.",
    'oauth.v2':
      "The addresses and scopes are the vendor's. Its token address is published in two forms; the one seen in working code is taken, with the JSON body seen there.",
    connections:
      'The request that tests an account is not shown. GET /1/members/me says whose token it is and costs nothing, but counts towards 100 in 900 s.',
    ...stepAssumptions,
  },
}
