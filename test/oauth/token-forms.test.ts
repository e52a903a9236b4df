import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OAuth2Profile } from '#kit'
import { createWire } from '../../shared/wire/index.ts'
import { startProvider } from '../support/provider.ts'
import { app, forms, verifierLength } from './token-forms.ts'
import type { Form, TokenRequest } from './token-forms.ts'

const back = 'http://127.0.0.1:5555/v1/oauth/forms/callback'
const verifier = 'v'.repeat(verifierLength)

let form: Form
let refuses = false
let last: TokenRequest
let provider: Awaited<ReturnType<typeof startProvider>>
let wire: ReturnType<typeof createWire>
const origins: string[] = []

const read = (type: string, authorization: string | undefined, body: string): TokenRequest => {
  const basic = authorization?.startsWith('Basic ')
    ? Buffer.from(authorization.slice(6), 'base64').toString()
    : undefined
  const fields: Record<string, unknown> = type.startsWith('application/json')
    ? (JSON.parse(body) as Record<string, unknown>)
    : Object.fromEntries(new URLSearchParams(body))
  const colon = basic?.indexOf(':') ?? -1
  return { type, basic: basic === undefined ? undefined : [basic.slice(0, colon), basic.slice(colon + 1)], fields }
}

beforeAll(async () => {
  provider = await startProvider((request, response, body) => {
    last = read(request.headers['content-type'] ?? '', request.headers.authorization, body)
    const objection = form.objects(last)
    const send = (status: number, answer: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    if (objection !== undefined) return void send(418, { objection })
    return void (refuses ? send(form.refusal.status, form.refusal.body) : send(200, form.answer))
  })
  origins.push(provider.origin)
  wire = createWire({
    now: () => 0,
    monotonic: () => 0,
    sleep: async () => {},
    random: () => 0.5,
    egress: { privateOrigins: origins, production: false },
  })
})
afterAll(async () => {
  await wire.close()
  await provider.close()
})

const use = (name: string): OAuth2Profile => {
  form = forms[name]!
  refuses = false
  return { authorizeUrl: `${provider.origin}/authorize`, tokenUrl: `${provider.origin}/token`, ...form.profile }
}
const returned = (query: string) => new URL(`${back}?state=s1&code=c1${query}`)
const iss = (profile: OAuth2Profile) =>
  profile.issuerParameter === 'required' ? `&iss=${encodeURIComponent(provider.origin)}` : ''
const redeem = (profile: OAuth2Profile, query = iss(profile), state = 's1') =>
  wire.unauthenticated.oauth2.redeem('forms', profile, app, { returned: returned(query), state, verifier })
const failed = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (thrown: unknown) => thrown as Error & { code: string; details: { providerMessage?: string } },
  )

describe.each(Object.keys(forms))('%s', (name) => {
  test('a code gives a token', async () => {
    const profile = use(name)
    const tokens = await redeem(profile)
    expect(tokens.accessToken).toBe((form.answer as { access_token: string }).access_token)
    expect(last.fields).toMatchObject({ grant_type: 'authorization_code', code: 'c1', redirect_uri: back })
  })

  test('a refusal is one, whatever its status and words', async () => {
    const profile = use(name)
    refuses = true
    const failure = await failed(redeem(profile))
    expect(failure).toMatchObject({ code: form.refusal.code })
    expect(JSON.stringify(failure)).not.toContain(app.secret)
  })

  test('another state, another issuer and a missing code give nothing', async () => {
    const profile = use(name)
    expect(await failed(redeem(profile, iss(profile), 's2'))).toMatchObject({ code: 'bad_reply' })
    expect(await failed(redeem(profile, '&iss=https%3A%2F%2Fother.example'))).toMatchObject({ code: 'bad_reply' })
  })

  test('a refresh is sent in the same form', async () => {
    const profile = use(name)
    const tokens = await wire.unauthenticated.oauth2.refresh('forms', profile, app, 'r1')
    expect(tokens.accessToken).toBe((form.answer as { access_token: string }).access_token)
    expect(last.fields).toMatchObject({ grant_type: 'refresh_token', refresh_token: 'r1' })
  })
})

const granted = async (name: string) => redeem(use(name))

test('account, second token, own ids and comma scopes are read from where they stand', async () => {
  expect(await granted('a chat with a bot and a person')).toMatchObject({
    account: { id: 'T9TK3CUKW', name: 'Orchard Team' },
    secrets: { userToken: 'xoxp-1234' },
    ownIds: ['U0KRQLJ9H'],
    scopes: ['chat:write', 'channels:history'],
    expiresInMs: undefined,
    refreshToken: undefined,
  })
  expect(await granted('documents with Basic and no expiry')).toMatchObject({
    account: { name: 'Orchard' },
    ownIds: ['b3414d65-1224-4ab7-9aff-cc9d87730128'],
    scopes: undefined,
  })
  expect(await granted('a CRM that names the address of the account')).toMatchObject({
    secrets: { instanceUrl: 'https://orchard.my.crm.example' },
    account: { id: expect.stringContaining('/id/00Dx'), name: null },
  })
  expect(await granted('source control that refuses at 200')).toMatchObject({ scopes: ['repo', 'gist'] })
  expect(await granted('mail with offline access')).toMatchObject({ expiresInMs: 3_920_000 })
})

test('a token elsewhere in the answer, with its own life and refresh token', async () => {
  const profile = use('a chat with a bot and a person')
  const person = {
    ...profile.answer,
    tokenAt: 'authed_user.access_token',
    scopesAt: 'authed_user.scope',
    account: { id: 'authed_user.id' },
  }
  expect(await redeem({ ...profile, answer: person })).toMatchObject({
    accessToken: 'xoxp-1234',
    scopes: ['search:read'],
    account: { id: 'U1234', name: null },
  })
  const nowhere = { ...profile.answer, tokenAt: 'nowhere' }
  expect(await failed(redeem({ ...profile, answer: nowhere }))).toMatchObject({ code: 'bad_reply' })
})

test('the message of a provider is kept, its own code included', async () => {
  const profile = use('a CRM with errors of its own')
  refuses = true
  expect(await failed(redeem(profile))).toMatchObject({
    details: { providerMessage: 'invalid_grant: BAD_AUTH_CODE: missing or unknown auth code' },
  })
})

test('where the provider always names itself, a return without iss is refused', async () => {
  const profile = use('mail with offline access')
  expect(await failed(redeem(profile, ''))).toMatchObject({ code: 'bad_reply' })
  expect(await redeem({ ...profile, issuerParameter: 'optional' }, '')).toMatchObject({
    refreshToken: expect.any(String),
  })
})

test('without a declaration, a refusal at 200, another type and a token elsewhere give nothing', async () => {
  for (const name of ['a chat with a bot and a person', 'a shop without a token type']) {
    const { answer: _, ...profile } = use(name)
    expect(await failed(redeem(profile))).toMatchObject({ code: 'bad_reply' })
  }
  const { answer: _, ...profile } = use('source control that refuses at 200')
  refuses = true
  expect(await failed(redeem(profile))).toMatchObject({ code: 'bad_reply' })
})

test('the page gets scopes with the separator, parameters of its own, and PKCE unless it has none', async () => {
  const address = async (name: string) =>
    new URL(
      await wire.unauthenticated.oauth2.address('forms', use(name), app, {
        redirectUri: back,
        state: 's1',
        verifier,
        params: form.profile.authorizeParams ?? {},
      }),
    ).searchParams
  const chat = await address('a chat with a bot and a person')
  expect(chat.get('scope')).toBe('chat:write,channels:history')
  expect(chat.get('user_scope')).toBe('search:read')
  expect([...chat.keys()].filter((key) => key.startsWith('code_challenge'))).toEqual([])
  expect(chat.get('state')).toBe('s1')
  expect((await address('documents with Basic and no expiry')).has('scope')).toBe(false)
  const mail = await address('mail with offline access')
  expect(mail.get('code_challenge_method')).toBe('S256')
  expect(mail.get('access_type')).toBe('offline')
})

test('a trouble of the provider is its trouble: the authorization is not given up', async () => {
  const profile = use('a chat with a bot and a person')
  refuses = true
  const error = { at: 'error', means: { invalid_code: 'temporarily_unavailable' as const } }
  const failure = await failed(redeem({ ...profile, answer: { ...profile.answer, error } }))
  expect(failure).toMatchObject({ code: 'provider_failed' })
})

test('client credentials read the same forms', async () => {
  const { answer, scopeSeparator, scopes, clientAuth } = use('a chat with a bot and a person')
  const client = {
    tokenUrl: `${provider.origin}/token`,
    answer: answer!,
    scopeSeparator: scopeSeparator!,
    scopes,
    clientAuth: clientAuth!,
  }
  const tokens = await wire.unauthenticated.oauth2.clientToken('forms', client, app, 'app')
  expect(tokens.accessToken).toBe('xoxb-17653672481-19874698323')
  expect(last.fields).toMatchObject({ grant_type: 'client_credentials', scope: 'chat:write,channels:history' })
})
