import { createHash, createHmac } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { originAllowed } from '../../shared/sandbox/board/consent.ts'
import { baseString, sign } from '../../shared/sandbox/board/oauth1.ts'
import { startBoardSandbox, type BoardSandbox } from '../../shared/sandbox/board/index.ts'
import { clientOf, findIds, noon, read, type Answered, type Client } from './board-client.ts'
import { startReceiver } from './board-receiver.ts'

let sandbox: BoardSandbox
let ask: Client
const clock = { at: noon }
beforeEach(async () => {
  clock.at = noon
  sandbox = await startBoardSandbox({ now: () => clock.at })
  ask = clientOf(sandbox)
})
afterEach(() => sandbox.close())

const open = async (path: string): Promise<Answered> => read(await fetch(sandbox.origin + path, { redirect: 'manual' }))
/** Sends the page's own form as a browser would. */
const decide = async (
  page: Answered,
  decision: string,
  member?: string,
  headers: Record<string, string> = { origin: sandbox.origin },
): Promise<Answered> => {
  const consent = /name="consent" value="([0-9a-f]+)"/.exec(page.text)?.[1] ?? ''
  const body = new URLSearchParams({ consent, decision, ...(member ? { member } : {}) })
  return read(await fetch(`${sandbox.origin}/consent`, { method: 'POST', body, headers, redirect: 'manual' }))
}
const whoIs = async (token: string) => (await ask('GET', '/1/members/me?fields=username', { token })).json?.username
const backTo = (answer: Answered): URL => new URL(answer.headers.get('location') ?? 'http://nowhere.invalid')

describe('the authorize page', () => {
  const path = (more: Record<string, string> = {}): string =>
    `/1/authorize?${new URLSearchParams({ key: sandbox.credentials.key, response_type: 'token', scope: 'read,write', expiration: 'never', name: 'My <app>', ...more })}`

  test('names the app and what it asks for, without scripts, and shows the token as text', async () => {
    const page = await open(path())
    expect([
      page.status,
      page.text.includes('My &#60;app&#62;'),
      page.text.includes('<script'),
      page.text.includes('read, write'),
    ]).toEqual([200, true, false, true])
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; frame-ancestors 'none'; base-uri 'none'; form-action 'self'$/,
    )
    const token =
      /<pre>(ATTA\w{72})<\/pre>/.exec((await decide(page, 'allow', sandbox.credentials.secondMember.id)).text)?.[1] ??
      ''
    expect(await whoIs(token)).toBe('odettequill')
  })

  test('brings the token back in the fragment, to allowed origins only', async () => {
    const returned = await decide(
      await open(path({ return_url: 'http://127.0.0.1:5555/back', callback_method: 'fragment' })),
      'allow',
    )
    expect([returned.status, backTo(returned).origin]).toEqual([303, 'http://127.0.0.1:5555'])
    expect(await whoIs(backTo(returned).hash.replace('#token=', ''))).toBe('marlowfenwick')
    expect(backTo(returned).search).toBe('')
    for (const address of [
      'https://elsewhere.example/',
      'http://127.0.0.1.elsewhere.example/',
      'http://127.0.0.1:80@elsewhere.example/',
      'javascript:alert(1)',
      'http://127.0.0.1:5555/#x',
    ]) {
      expect((await open(path({ return_url: address }))).status).toBe(400)
    }
  })

  test('a star in an allowed origin stands for one port or one name, never for more', () => {
    const allowed = ['https://*.apps.example', 'http://localhost:*']
    expect(
      ['https://one.apps.example/x', 'http://localhost:80/', 'http://localhost:3000/a?b'].map((url) =>
        originAllowed(allowed, url),
      ),
    ).toEqual([true, false, true])
    const foreign = [
      'https://a.b.apps.example/',
      'https://apps.example/',
      'http://one.apps.example/',
      'https://one.apps.example:444/',
      'https://oneXapps.example/',
      'file:///x',
    ]
    expect(foreign.filter((url) => originAllowed(allowed, url))).toEqual([])
  })

  test('denied: no token, and the consent is used up', async () => {
    const before = sandbox.state.tokens.size
    const page = await open(path({ return_url: 'http://127.0.0.1:5555/back' }))
    expect(backTo(await decide(page, 'deny')).hash).toBe('#error=Token%20request%20rejected')
    expect((await decide(page, 'allow')).status).toBe(400)
    expect(sandbox.state.tokens.size).toBe(before)
  })

  test('a form of another site decides nothing', async () => {
    expect((await decide(await open(path()), 'allow', undefined, { origin: 'https://elsewhere.example' })).status).toBe(
      403,
    )
    expect((await decide(await open(path()), 'allow', undefined, { origin: 'null' })).status).toBe(403)
  })

  test('never: the same token again; an hour: a new one each time, gone after the hour', async () => {
    const tokenOf = async (expiration: string) =>
      /<pre>(\w+)<\/pre>/.exec((await decide(await open(path({ expiration })), 'allow')).text)?.[1] ?? ''
    expect(await tokenOf('never')).toBe(await tokenOf('never'))
    const hour = await tokenOf('1hour')
    expect(await tokenOf('1hour')).not.toBe(hour)
    expect(await whoIs(hour)).toBe('marlowfenwick')
    clock.at += 3_600_000
    expect(await ask('GET', '/1/members/me', { token: hour })).toMatchObject({ status: 401, text: 'invalid token' })
  })

  test.each([
    ['key', 'f'.repeat(32)],
    ['response_type', 'code'],
    ['scope', 'read,everything'],
    ['expiration', '2hours'],
    ['callback_method', 'postMessage'],
  ])('refuses a wrong %s', async (name, value) => {
    expect((await open(path({ [name]: value }))).status).toBe(400)
  })

  test('scope decides what the token may do', async () => {
    const token = /<pre>(\w+)<\/pre>/.exec((await decide(await open(path({ scope: 'read' })), 'allow')).text)?.[1] ?? ''
    expect((await ask('POST', '/1/boards', { token, body: { name: 'x' } })).json).toEqual({ message: 'missing scopes' })
  })
})

describe('OAuth 1.0a', () => {
  const encode = (text: string): string =>
    encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  let nonce = 0
  type Leg = {
    method?: string
    path: string
    oauth?: Record<string, string>
    tokenSecret?: string
    change?: (all: Record<string, string>) => void
    secret?: string
    query?: string
  }
  const send = async (leg: Leg): Promise<Answered & { values: URLSearchParams }> => {
    nonce += 1
    const method = leg.method ?? 'POST'
    const all: Record<string, string> = {
      oauth_consumer_key: sandbox.credentials.key,
      oauth_signature_method: 'HMAC-SHA1',
      oauth_timestamp: String(clock.at / 1000),
      oauth_nonce: `n${nonce}`,
      oauth_version: '1.0',
      ...leg.oauth,
    }
    const signedPairs = { ...all, ...Object.fromEntries(new URLSearchParams(leg.query)) }
    const text = Object.keys(signedPairs)
      .sort()
      .map((name) => `${encode(name)}=${encode(signedPairs[name] ?? '')}`)
      .join('&')
    const base = [method, encode(sandbox.origin + leg.path), encode(text)].join('&')
    all['oauth_signature'] = createHmac(
      'sha1',
      `${encode(leg.secret ?? sandbox.credentials.appSecret)}&${encode(leg.tokenSecret ?? '')}`,
    )
      .update(base)
      .digest('base64')
    leg.change?.(all)
    const authorization = `OAuth ${Object.entries(all)
      .map(([name, value]) => `${name}="${encode(value)}"`)
      .join(', ')}`
    const answer = await read(
      await fetch(sandbox.origin + leg.path + (leg.query ? `?${leg.query}` : ''), {
        method,
        headers: { authorization },
      }),
    )
    return { ...answer, values: new URLSearchParams(answer.text) }
  }
  const first = { path: '/1/OAuthGetRequestToken', oauth: { oauth_callback: 'http://127.0.0.1:5555/back?x=1' } }
  const allow = async (token: string, decision = 'allow') =>
    decide(
      await open(`/1/OAuthAuthorizeToken?oauth_token=${token}&name=App&scope=read,write&expiration=never`),
      decision,
    )

  test('the signature is the published one', () => {
    const pairs = Object.entries({
      status: 'Hello Ladies + Gentlemen, a signed OAuth request!',
      include_entities: 'true',
      oauth_consumer_key: 'xvz1evFS4wEEPTGEFPHBog',
      oauth_nonce: 'kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg',
      oauth_signature_method: 'HMAC-SHA1',
      oauth_timestamp: '1318622958',
      oauth_token: '370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb',
      oauth_version: '1.0',
    })
    const text = baseString('post', 'https://api.twitter.com/1.1/statuses/update.json', pairs)
    expect(sign(text, 'kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw', 'LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE')).toBe(
      'hCtSmYh+iHYCEqBWrE7C7hYmtUk=',
    )
  })

  test.each(['GET', 'POST'])('three legs by %s give a token that works as any other', async (method) => {
    const request = (await send({ ...first, method })).values
    expect(request.get('oauth_callback_confirmed')).toBe('true')
    const token = request.get('oauth_token') ?? ''
    const back = backTo(await allow(token))
    expect([back.origin, back.searchParams.get('x'), back.searchParams.get('oauth_token')]).toEqual([
      'http://127.0.0.1:5555',
      '1',
      token,
    ])
    const third = { method, path: '/1/OAuthGetAccessToken', tokenSecret: request.get('oauth_token_secret') ?? '' }
    const oauth = { oauth_token: token, oauth_verifier: back.searchParams.get('oauth_verifier') ?? '' }
    expect(await send({ ...third, oauth: { ...oauth, oauth_verifier: 'wrong' } })).toMatchObject({
      status: 401,
      text: 'invalid verifier',
    })
    const access = (await send({ ...third, oauth })).values
    expect(await whoIs(access.get('oauth_token') ?? '')).toBe('marlowfenwick')
    expect(await send({ ...third, oauth })).toMatchObject({ status: 401, text: 'token not found' })
  })

  test.each<[string, Leg, number, string]>([
    ['unsigned', { ...first, change: (all) => delete all['oauth_signature'] }, 401, 'invalid signature'],
    ['signed with another secret', { ...first, secret: 'another' }, 401, 'invalid signature'],
    [
      'changed after signing',
      { ...first, change: (all) => void (all['oauth_callback'] = 'http://127.0.0.1:6666/') },
      401,
      'invalid signature',
    ],
    [
      'of another method of signing',
      { ...first, oauth: { ...first.oauth, oauth_signature_method: 'PLAINTEXT' } },
      400,
      'unsupported signature method',
    ],
    [
      'of an unknown key',
      { ...first, oauth: { ...first.oauth, oauth_consumer_key: 'f'.repeat(32) } },
      401,
      'invalid key',
    ],
    [
      'too old',
      { ...first, oauth: { ...first.oauth, oauth_timestamp: String(noon / 1000 - 301) } },
      401,
      'timestamp out of range',
    ],
    [
      'going back to a foreign place',
      { ...first, oauth: { oauth_callback: 'https://elsewhere.example/' } },
      400,
      'Invalid return_url',
    ],
    ['without a place to go back to', { path: first.path }, 400, 'missing oauth_callback'],
  ])('a leg %s is refused', async (_, leg, status, text) => {
    expect(await send(leg)).toMatchObject({ status, text })
    expect(sandbox.state.requestTokens.size).toBe(0)
  })

  test('a nonce is good once; parameters of the query are signed too', async () => {
    const leg = { ...first, oauth: { ...first.oauth, oauth_nonce: 'once' } }
    expect((await send(leg)).status).toBe(200)
    expect(await send(leg)).toMatchObject({ status: 401, text: 'nonce already used' })
    expect((await send({ ...first, query: 'extra=a%20b' })).status).toBe(200)
  })

  test('no token without a person allowing it', async () => {
    const request = (await send(first)).values
    const token = request.get('oauth_token') ?? ''
    const third = {
      path: '/1/OAuthGetAccessToken',
      tokenSecret: request.get('oauth_token_secret') ?? '',
      oauth: { oauth_token: token, oauth_verifier: '' },
    }
    expect(await send(third)).toMatchObject({ status: 401, text: 'token not authorized' })
    expect(backTo(await allow(token, 'deny')).searchParams.get('denied')).toBe(token)
    expect((await send(third)).text).toBe('token not found')
  })

  test('oob shows the code as text', async () => {
    const request = (await send({ path: first.path, oauth: { oauth_callback: 'oob' } })).values
    expect((await allow(request.get('oauth_token') ?? '')).text).toMatch(/<pre>\w{24}<\/pre>/)
  })
})

describe('OAuth 2.0', () => {
  const verifier = 'a-verifier-of-more-than-forty-three-characters-0123'
  const redirect = 'http://127.0.0.1:5555/back'
  const scope = 'read:board:trello write:board:trello read:member:trello offline_access'
  const path = (more: Record<string, string> = {}): string =>
    `/authorize?${new URLSearchParams({
      client_id: sandbox.credentials.oauth2.clientId,
      redirect_uri: redirect,
      response_type: 'code',
      scope,
      state: 's-1',
      prompt: 'consent',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...more,
    })}`
  const exchange = async (more: Record<string, unknown>) => {
    const { clientId, clientSecret } = sandbox.credentials.oauth2
    const body = JSON.stringify({ client_id: clientId, client_secret: clientSecret, ...more })
    return read(
      await fetch(`${sandbox.origin}/oauth/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      }),
    )
  }
  const codeFor = async (more?: Record<string, string>): Promise<string> =>
    backTo(await decide(await open(path(more)), 'allow')).searchParams.get('code') ?? ''
  const redeem = (code: string, more: Record<string, unknown> = {}) =>
    exchange({ grant_type: 'authorization_code', code, redirect_uri: redirect, code_verifier: verifier, ...more })
  const refresh = (token: string) => exchange({ grant_type: 'refresh_token', refresh_token: token })
  const bearer = (token: string) => ({ auth: 'none' as const, headers: { authorization: `Bearer ${token}` } })

  test('code and PKCE give a bearer token with the scopes asked for', async () => {
    const back = backTo(await decide(await open(path()), 'allow', sandbox.credentials.secondMember.id))
    expect(back.searchParams.get('state')).toBe('s-1')
    const tokenReply = await redeem(back.searchParams.get('code') ?? '')
    expect(tokenReply).toMatchObject({ status: 200, json: { token_type: 'Bearer', expires_in: 3600, scope } })
    expect(tokenReply.headers.get('cache-control')).toBe('no-store')
    const token = tokenReply.json.access_token
    expect((await ask('GET', '/1/members/me', bearer(token))).json.username).toBe('odettequill')
    expect(
      (await ask('POST', '/1/lists', { ...bearer(token), body: { name: 'x', idBoard: findIds(sandbox).board } }))
        .status,
    ).toBe(200)
    expect((await ask('GET', '/1/members/me/organizations', bearer(token))).json).toEqual({ message: 'missing scopes' })
    expect((await ask('GET', '/1/batch?urls=/members/me', bearer(token))).status).toBe(403)
    const shown = (await ask('GET', `/1/tokens/${token}`, bearer(token))).json
    expect(shown.dateExpires).toBe('2026-03-02T13:00:00.000Z')
    expect(shown.permissions).toContainEqual({ idModel: '*', modelType: 'Organization', read: false, write: false })
    clock.at += 3_600_000
    expect(await ask('GET', '/1/members/me', bearer(token))).toMatchObject({ status: 401, text: 'invalid token' })
  })

  test('a refresh token is good for one use; a burnt one is invalid_grant', async () => {
    const first = (await redeem(await codeFor())).json
    const second = (await refresh(first.refresh_token)).json
    expect([second.access_token !== first.access_token, second.refresh_token !== first.refresh_token]).toEqual([
      true,
      true,
    ])
    expect(await refresh(first.refresh_token)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })
    clock.at += 89 * 86_400_000
    const third = (await refresh(second.refresh_token)).json
    expect((await ask('GET', '/1/members/me', bearer(third.access_token))).status).toBe(200)
    clock.at += 91 * 86_400_000
    expect((await refresh(third.refresh_token)).json.error).toBe('invalid_grant')
  })

  test('without offline_access there is no refresh token', async () => {
    expect((await redeem(await codeFor({ scope: 'read:board:trello' }))).json).not.toHaveProperty('refresh_token')
  })

  test.each<[string, Record<string, unknown>, number, string]>([
    ['another verifier', { code_verifier: 'b'.repeat(43) }, 400, 'invalid_grant'],
    ['no verifier', { code_verifier: undefined }, 400, 'invalid_grant'],
    ['another redirect_uri', { redirect_uri: 'http://127.0.0.1:5555/other' }, 400, 'invalid_grant'],
    ['a wrong secret', { client_secret: 'wrong' }, 401, 'invalid_client'],
    ['another grant type', { grant_type: 'client_credentials' }, 400, 'unsupported_grant_type'],
  ])('a code with %s gives nothing', async (_, more, status, error) => {
    expect(await redeem(await codeFor(), more)).toMatchObject({ status, json: { error } })
    expect(sandbox.state.grants.size).toBe(0)
  })

  test('a code runs out, and used twice takes back what it gave', async () => {
    const late = await codeFor()
    clock.at += 300_001
    expect((await redeem(late)).json.error).toBe('invalid_grant')
    const code = await codeFor()
    const { access_token: token } = (await redeem(code)).json
    expect((await redeem(code)).json.error).toBe('invalid_grant')
    expect((await ask('GET', '/1/members/me', bearer(token))).status).toBe(401)
  })

  test.each<[string, Record<string, string>, string]>([
    ['no PKCE', { code_challenge: '' }, 'invalid_request'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['an unknown scope', { scope: 'read:everything' }, 'invalid_scope'],
  ])('%s goes back as an error with the state', async (_, more, error) => {
    const back = backTo(await open(path(more)))
    expect([back.origin, back.searchParams.get('error'), back.searchParams.get('state')]).toEqual([
      'http://127.0.0.1:5555',
      error,
      's-1',
    ])
  })

  test('an unknown client or address is never redirected to; denial is access_denied', async () => {
    expect((await open(path({ client_id: 'nobody' }))).status).toBe(400)
    expect(await open(path({ redirect_uri: 'https://elsewhere.example/' }))).toMatchObject({ status: 400 })
    expect(backTo(await decide(await open(path()), 'deny')).searchParams.get('error')).toBe('access_denied')
  })

  test('a form body at the token endpoint is refused; faults reach it too', async () => {
    const form = await read(
      await fetch(`${sandbox.origin}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'refresh_token' }),
      }),
    )
    expect(form).toMatchObject({ status: 400, json: { error: 'invalid_request' } })
    const first = (await redeem(await codeFor())).json
    sandbox.control.fault({ match: { path: '/oauth/token' }, cut: 'reset', when: 'after' })
    await expect(refresh(first.refresh_token)).rejects.toThrow()
    expect((await refresh(first.refresh_token)).json.error).toBe('invalid_grant')
  })

  test.each([
    [true, 1],
    [false, 0],
  ])('hooks and refresh: surviving %s leaves %i after the old token ran out', async (surviveRefresh, left) => {
    const to = await startReceiver()
    try {
      sandbox.control.hookSettings({ surviveRefresh })
      const first = (await redeem(await codeFor())).json
      clock.at += 60_000
      await ask('POST', '/1/webhooks', {
        ...bearer(first.access_token),
        body: { callbackURL: `${to.url}/h`, idModel: findIds(sandbox).board },
      })
      await refresh(first.refresh_token)
      expect(sandbox.control.webhooks()).toHaveLength(1)
      clock.at += 3_540_000
      expect(sandbox.control.webhooks()).toHaveLength(left)
    } finally {
      await to.close()
    }
  })

  test('taken back by the person: the access token, the refresh token and the hooks are gone', async () => {
    const grant = (await redeem(await codeFor())).json
    sandbox.control.revokeToken({ token: grant.access_token })
    expect((await ask('GET', '/1/members/me', bearer(grant.access_token))).text).toBe('invalid token')
    expect((await refresh(grant.refresh_token)).json.error).toBe('invalid_grant')
  })
})
