import type { CreateProbe, ErrorRule, WireProfile } from '#kit'

const credentials = { place: 'header', fields: { Authorization: 'OAuth oauth_consumer_key="{key}", oauth_token="{token}"' } } as const

/** Refusals by their body: the board says with the same 401 that a credential is bad and that a good one may not do this. */
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

/** Where what a create may have made would be. An id begins with the time of creation. */
const probes: CreateProbe[] = [
  {
    after: '/1/cards',
    find: { path: '/1/lists/{idList}/cards', query: { fields: 'name', filter: 'all', limit: 100 } },
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

const steps = {
  'steps.create-card':
    "The document names idList, name, desc, pos, due and idLabels; start, dueComplete, idMembers, urlSource, idCardSource, keepFromSource, address, locationName and coordinates are from the vendor's description.",
  'steps.update-card':
    "The body of PUT /1/cards/{id} is not shown; property names are the vendor's. That JSON null clears a date or cover, and [] a set of labels or members, is taken from the vendor's words and common use.",
  'steps.get-card': "Query parameters and the shape of a card are not shown; they are the vendor's.",
  'steps.archive-card': 'How a card is archived is not shown; the vendor sets closed to true with PUT /1/cards/{id}.',
  'steps.get-boards':
    "The endpoint that lists boards is not shown; GET /1/members/me/boards and its parameters are the vendor's. It knows no paging, so a part is cut out of the whole answer.",
  'steps.get-list-cards':
    'Parameters of GET /1/lists/{id}/cards are not shown. limit (at most 1000), before, fields and filter are used as observed; pages run by creation from the newest back, and the creation time is the start of the id.',
  'steps.create-list': "The body of POST /1/lists is not shown; name, idBoard, pos and idListSource are the vendor's.",
  'steps.add-comment-to-card': 'The name of the text in the body is not shown; the vendor calls it text.',
  'steps.add-comment': 'As steps.add-comment-to-card; that the legacy step does the same is assumed.',
  'steps.add-checklist': "The body of POST /1/checklists is not shown; idCard, name, pos and idChecklistSource are the vendor's.",
  'steps.create-a-checklist-item':
    "The body of POST /1/checklists/{id}/checkItems is not shown; name, pos, checked, due, dueReminder and idMember are the vendor's.",
  'steps.attach-file':
    "POST /1/cards/{id}/attachments is not shown; the parts file, name and setCover are the vendor's, and so is that the answer is one attachment. How large a file may be depends on the plan of the account (10 MB without one is widely reported), so the board decides.",
  'steps.set-custom-fields':
    "PUT /1/cards/{id}/customFields and GET /1/boards/{id}/customFields are not shown; they are the vendor's. That values are written as text whatever the type of the field, and that an empty value with an empty idValue empties a field in this request too, is taken from the vendor's words on one field.",
  'steps.api-call': 'Which endpoints an agent should not reach is not shown; webhooks (writes), tokens, authorization pages and batch are refused.',
  operations:
    "The document shows a part of the endpoints; the list is from the vendor's description, corrected where the service is known to differ. Parameters that it puts into the query of a write are taken in the body too.",
  ids: "That ids are 24 hexadecimal characters, that paths of cards and boards also take the 8-character short link, and that bodies take ids only, is not shown; it is what the vendor's service does.",
  dates: 'The form of a date is not shown; full ISO 8601 with a zone is required here, because other forms were seen to be read in another zone.',
  sizes: "Limits on texts are not shown; 16384 characters is the vendor's limit for names, descriptions and comments.",
  records: 'Response bodies are not shown; only a few fields that recordings of the service agree on are checked, and none but the id is required.',
  dropdowns:
    "The endpoints behind the choices (lists, labels, members, checklists and attachments of a board or card) are partly not shown; they are the vendor's.",
}

/**
 * The board's wire. Shown in the document: paths under /1, JSON bodies, the four methods, the authorize parameters and about 100 requests
 * in 10 seconds per token. The rest is the vendor's public description and observation, and is named in `assumed`.
 */
export const wire: WireProfile = {
  profile: 'vendor-2026',
  baseUrl: 'https://api.trello.com',
  authUrl: 'https://trello.com',
  auth: { oauth: credentials, oauth2: { place: 'header', fields: { Authorization: 'Bearer {token}' } }, 'key-token': credentials },
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
    },
    v2: {
      authorizeUrl: 'https://auth.atlassian.com/authorize',
      tokenUrl: 'https://auth.atlassian.com/oauth/token',
      scopes: ['read:board:trello', 'write:board:trello', 'read:member:trello', 'read:organization:trello', 'offline_access'],
      scopeNames: { read: ['read:board:trello', 'read:member:trello', 'read:organization:trello'], write: ['write:board:trello'] },
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
    reserved: "Names that carry credentials are not shown; these are the vendor's own in every place it takes them, and names that change a method.",
    writeMark: 'Not shown. The vendor returns this header with deliveries caused by a write that carried it.',
    'pace.limits': "100 in 10 s per token is shown as typical. 300 in 10 s per key, and 100 in 900 s for /1/members/{id}, are the vendor's published limits.",
    'pace.concurrency': 'Not shown; 16 at once fill the shown rate at answer times up to 1.6 s.',
    'pace.remaining': 'Not shown; header names as recorded from the service.',
    timeouts: 'Not shown; the vendor ends a read after 30 s, so 35 s are waited for an answer.',
    maxReplyBytes: 'Not shown; 1000 whole cards take about 4 MB.',
    errors: "Status codes and error bodies are not shown; these are the vendor's published statuses and texts seen in public tests of the service.",
    probes: "Where things are listed, the parameters of the lists, and that an id begins with its creation time, are not shown; they are the vendor's.",
    signature: "Not shown; from the vendor's guide to webhooks.",
    'auth.oauth2': 'Not shown; a bearer token in the header, as the vendor and the standard say.',
    'oauth.version':
      "The document says OAuth with redirect, read and write, and names no version. 1.0a gives a token that does not expire; 2.0 is the vendor's newer, optional one.",
    'oauth.v1': "The addresses and parameters are the vendor's; that the token is used like one of auth.key-token is common practice.",
    'oauth.v2':
      "The addresses and scopes are the vendor's. Its token address is published in two forms; the one seen in working code is taken, with the JSON body seen there.",
    connections: 'The request that tests an account is not shown. GET /1/members/me says whose token it is and costs nothing, but counts towards 100 in 900 s.',
    ...steps,
  },
}
