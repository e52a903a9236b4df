/**
 * How ten providers differ from RFC 6749, from their public documents: what each takes in a token request, and what it
 * answers. It shares no code with ours.
 */
import type { OAuth2Profile } from '#kit'

export const app = { key: 'client-1a_2b', secret: 'secret_of-the.app~0123' }
export const verifierLength = 43

/** A token request as it arrived. `basic`: user and password, undecoded. */
export type TokenRequest = { type: string; basic: [string, string] | undefined; fields: Record<string, unknown> }

export type Form = {
  profile: Omit<OAuth2Profile, 'authorizeUrl' | 'tokenUrl'>
  /** What the provider would object to. */
  objects(request: TokenRequest): string | undefined
  answer: object
  refusal: { status: number; body: object; code: string }
}

const json = 'application/json'
const form = 'application/x-www-form-urlencoded;charset=UTF-8'

/** Basic as RFC 6749 form-encodes it; providers that do not decode it want it plain. */
const wants = (
  { type, basic, fields }: TokenRequest,
  want: { type: string; auth: 'body' | 'plain' | 'encoded'; pkce: boolean },
): string | undefined => {
  if (type !== want.type) return `the body is ${type}`
  const plain = basic?.[0] === app.key && basic[1] === app.secret
  const encoded = basic?.[0] === 'client%2D1a%5F2b' && basic[1] === 'secret%5Fof%2Dthe%2Eapp%7E0123'
  if (want.auth === 'plain' && !plain) return 'the client is not in the header as it is'
  if (want.auth === 'encoded' && !encoded) return 'the client is not form-encoded in the header'
  if (want.auth === 'body' && (basic || fields.client_id !== app.key || fields.client_secret !== app.secret))
    return 'the client is not in the body'
  if (want.auth !== 'body' && 'client_secret' in fields) return 'the secret is in the body, too'
  if (fields.grant_type === 'authorization_code' && want.pkce !== 'code_verifier' in fields)
    return `code_verifier: ${String(fields.code_verifier)}`
  return undefined
}

const standardRefusal = {
  status: 400,
  body: { error: 'invalid_grant', error_description: 'The code has expired.' },
  code: 'not_connected',
}

export const forms: Record<string, Form> = {
  'a chat with a bot and a person': {
    profile: {
      scopes: ['chat:write', 'channels:history'],
      scopeSeparator: ',',
      authorizeParams: { user_scope: 'search:read' },
      pkce: 'none',
      clientAuth: 'basic',
      answer: {
        tokenType: 'unstated',
        secretsAt: { userToken: 'authed_user.access_token' },
        account: { id: 'team.id', name: 'team.name' },
        ownIdsAt: ['bot_user_id'],
        error: { at: 'error', means: { invalid_code: 'invalid_grant', bad_client_secret: 'invalid_client' } },
      },
    },
    objects: (request) => wants(request, { type: form, auth: 'encoded', pkce: false }),
    answer: {
      ok: true,
      access_token: 'xoxb-17653672481-19874698323',
      token_type: 'bot',
      scope: 'chat:write,channels:history',
      bot_user_id: 'U0KRQLJ9H',
      app_id: 'A0KRD7HC3',
      team: { name: 'Orchard Team', id: 'T9TK3CUKW' },
      enterprise: null,
      authed_user: { id: 'U1234', scope: 'search:read', access_token: 'xoxp-1234', token_type: 'user' },
    },
    refusal: { status: 200, body: { ok: false, error: 'invalid_code' }, code: 'not_connected' },
  },
  'documents with Basic and no expiry': {
    profile: {
      scopes: [],
      authorizeParams: { owner: 'user' },
      pkce: 'none',
      clientAuth: 'basic-plain',
      tokenBody: 'json',
      answer: { account: { id: 'workspace_id', name: 'workspace_name' }, ownIdsAt: ['bot_id'] },
    },
    objects: (request) => wants(request, { type: json, auth: 'plain', pkce: false }),
    answer: {
      access_token: 'e202e8c9-0990-40af-855f-ff8f872b1ec6',
      token_type: 'bearer',
      bot_id: 'b3414d65-1224-4ab7-9aff-cc9d87730128',
      workspace_id: '0f5e3f5c-2882-4e61-854a-999d9c36abcd',
      workspace_name: 'Orchard',
      owner: { workspace: true },
    },
    refusal: standardRefusal,
  },
  'a CRM with errors of its own': {
    profile: {
      scopes: ['crm.objects.contacts.read'],
      pkce: 'none',
      answer: { error: { at: 'status', messageAt: 'message', means: { BAD_AUTH_CODE: 'invalid_grant' } } },
    },
    objects: (request) => wants(request, { type: form, auth: 'body', pkce: false }),
    answer: { token_type: 'bearer', access_token: 'CI_access', refresh_token: '6f18f21e-a743', expires_in: 1800 },
    refusal: {
      status: 400,
      body: { status: 'BAD_AUTH_CODE', message: 'missing or unknown auth code' },
      code: 'not_connected',
    },
  },
  'a CRM that names the address of the account': {
    profile: {
      scopes: ['api', 'refresh_token'],
      refreshTokens: 'reusable',
      answer: { account: { id: 'id' }, secretsAt: { instanceUrl: 'instance_url' } },
    },
    objects: (request) => wants(request, { type: form, auth: 'body', pkce: true }),
    answer: {
      access_token: '00DB0000000TfcR!AQQAQFhoK8vTMg',
      refresh_token: '5Aep8614iLM.Dq661ePDmPEgaAW9',
      signature: 'd/SxeYBxH0GSVko0HMgcUxuZy0PA2cDDz1u7g7JtDHw=',
      scope: 'api refresh_token',
      instance_url: 'https://orchard.my.crm.example',
      id: 'https://login.crm.example/id/00Dx0000000BV7z/005x00000012Q9P',
      token_type: 'Bearer',
      issued_at: '1278448832702',
    },
    refusal: standardRefusal,
  },
  'payments for connected accounts': {
    profile: {
      scopes: ['read_write'],
      pkce: 'none',
      refreshTokens: 'reusable',
      answer: { account: { id: 'stripe_user_id' } },
    },
    objects: (request) => wants(request, { type: form, auth: 'body', pkce: false }),
    answer: {
      access_token: 'sk_test_example',
      livemode: false,
      refresh_token: 'rt_example',
      token_type: 'bearer',
      stripe_publishable_key: 'pk_test_example',
      stripe_user_id: 'acct_1example',
      scope: 'read_write',
    },
    refusal: standardRefusal,
  },
  'source control that refuses at 200': {
    profile: {
      scopes: ['repo', 'gist'],
      answer: {
        scopeSeparator: ',',
        error: {
          at: 'error',
          messageAt: 'error_description',
          means: {
            bad_verification_code: 'invalid_grant',
            bad_refresh_token: 'invalid_grant',
            incorrect_client_credentials: 'invalid_client',
          },
        },
      },
    },
    objects: (request) => wants(request, { type: form, auth: 'body', pkce: true }),
    answer: { access_token: 'gho_16C7e42F292c6912E7710c838347Ae178B4a', scope: 'repo,gist', token_type: 'bearer' },
    refusal: {
      status: 200,
      body: { error: 'bad_verification_code', error_description: 'The code passed is incorrect or expired.' },
      code: 'not_connected',
    },
  },
  'a shop without a token type': {
    profile: {
      scopes: ['write_orders', 'read_customers'],
      scopeSeparator: ',',
      pkce: 'none',
      answer: { tokenType: 'unstated' },
    },
    objects: (request) => wants(request, { type: form, auth: 'body', pkce: false }),
    answer: { access_token: 'f85632530bf277ec9ac6f649fc327f17', scope: 'write_orders,read_customers' },
    refusal: { status: 400, body: { error: 'invalid_request', error_description: 'no' }, code: 'rejected' },
  },
  'tickets with a JSON body': {
    profile: { scopes: ['read', 'write'], tokenBody: 'json', tokenParams: { expires_in: '172800' } },
    objects: (request) =>
      request.fields.expires_in === '172800'
        ? wants(request, { type: json, auth: 'body', pkce: true })
        : 'no expires_in is asked for',
    answer: {
      access_token: 'gErypPlm4dOVgGRvA1ZzMH5MQ3nLo8bo',
      refresh_token: '31048ba4',
      token_type: 'bearer',
      scope: 'read write',
      expires_in: 172800,
    },
    refusal: standardRefusal,
  },
  'mail with offline access': {
    profile: {
      scopes: ['https://www.mail.example/auth/gmail.readonly'],
      authorizeParams: { access_type: 'offline', prompt: 'consent' },
      issuerParameter: 'required',
      refreshTokens: 'reusable',
    },
    objects: (request) => wants(request, { type: form, auth: 'body', pkce: true }),
    answer: {
      access_token: '1/fFAGRNJru1FTz70BzhT3Zg',
      expires_in: 3920,
      token_type: 'Bearer',
      scope: 'https://www.mail.example/auth/gmail.readonly',
      refresh_token: '1//xEoDL4iW3cxlI7yDbSRFYNG01kVKM2C-259HOF2aQbI',
    },
    refusal: standardRefusal,
  },
  'a directory that wants scopes in token requests': {
    profile: {
      scopes: ['offline_access', 'User.Read'],
      tokenParams: { scope: 'offline_access User.Read' },
    },
    objects: (request) =>
      request.fields.scope === 'offline_access User.Read'
        ? wants(request, { type: form, auth: 'body', pkce: true })
        : 'AADSTS90014: no scope',
    answer: {
      token_type: 'Bearer',
      scope: 'User.Read',
      expires_in: 3599,
      ext_expires_in: 3599,
      access_token: 'eyJ0eXAiOiJKV1Qi',
      refresh_token: 'AwABAAAAvPM1KaPlrEqdFSBzjqfTGAMxZGUTdM0t4B4',
    },
    refusal: standardRefusal,
  },
}
