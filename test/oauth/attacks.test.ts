import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { movableClock } from '../support/clock.ts'
import {
  askToken,
  authorizePath,
  letIn,
  openBrowser,
  openSignInWorld,
  pkce,
  redirectUri,
  refreshForm,
  register,
  signedInClient,
  statusAt,
} from './world.ts'

const clock = movableClock()
const limits = { wrongTokens: 10_000 }
const world = await openSignInWorld({ clock, limits })
const { address, pack } = world
afterAll(() => world.close())
// One address may register only so many clients in an hour.
beforeEach(() => clock.advance(3_600_000))

const tenant = 'default'
const grantsOf = async () => (await pack.grants.list({ tenant }, { limit: 200 })).items
const codeForm = (let_: { client: string; code: string; verifier: string }, more: Record<string, string> = {}) => ({
  grant_type: 'authorization_code',
  code: let_.code,
  client_id: let_.client,
  redirect_uri: redirectUri,
  code_verifier: let_.verifier,
  ...more,
})

describe('metadata', () => {
  it('of each resource names this server, and that of the server what it does', async () => {
    for (const path of ['/mcp', '/mcp/work-board', '/v1']) {
      const reply = await fetch(`${address}/.well-known/oauth-protected-resource${path}`)
      expect(await reply.json()).toMatchObject({ resource: address + path, authorization_servers: [address] })
    }
    for (const name of ['oauth-authorization-server', 'openid-configuration']) {
      const reply = await fetch(`${address}/.well-known/${name}`)
      expect(await reply.json()).toMatchObject({
        issuer: address,
        authorization_endpoint: `${address}/oauth/authorize`,
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
      })
    }
  })

  it('is named by what refuses a request without a token', async () => {
    const refusals = await Promise.all([fetch(`${address}/mcp`, { method: 'POST' }), fetch(`${address}/v1/runs`)])
    expect(refusals.map(({ status }) => status)).toEqual([401, 401])
    expect(refusals.map(({ headers }) => headers.get('www-authenticate'))).toEqual([
      expect.stringContaining(
        `scope="run read", resource_metadata="${address}/.well-known/oauth-protected-resource/mcp"`,
      ),
      expect.stringContaining(`resource_metadata="${address}/.well-known/oauth-protected-resource/v1"`),
    ])
  })
})

describe('PKCE', () => {
  it.each([
    ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }],
    ['the plain method', { code_challenge_method: 'plain' }],
    ['no method, which means the plain one', { code_challenge_method: undefined }],
    ['a short challenge', { code_challenge: 'short' }],
  ])('with %s is refused before anybody is asked', async (_, more) => {
    const { json } = await register(address)
    const { html } = await openBrowser(address).open(
      authorizePath(json['client_id'], pkce().challenge, more),
      world.token,
    )
    expect(html).toContain('PKCE is required')
    expect(html).not.toContain('Let it in')
  })

  it.each([
    ['a wrong verifier', { code_verifier: pkce().verifier }],
    ['no verifier', { code_verifier: '' }],
    ['the challenge as verifier', 'challenge' as const],
  ])('with %s gets no token, and the code is spent', async (_, wrong) => {
    const client = await letIn(world)
    const more = wrong === 'challenge' ? { code_verifier: client.challenge } : wrong
    expect(await askToken(address, codeForm(client, more))).toMatchObject({
      status: 400,
      json: { error: 'invalid_grant' },
    })
    expect((await askToken(address, codeForm(client))).json['error']).toBe('invalid_grant')
  })
})

describe('a code', () => {
  it('used twice ends what it gave', async () => {
    const client = await letIn(world)
    const first = await askToken(address, codeForm(client))
    expect(await statusAt(address, '/mcp', first.json['access_token'])).not.toBe(401)
    expect((await askToken(address, codeForm(client))).json['error']).toBe('invalid_grant')
    expect(await statusAt(address, '/mcp', first.json['access_token'])).toBe(401)
    const refreshed = await askToken(address, refreshForm(client.client, first.json['refresh_token']))
    expect(refreshed.json['error']).toBe('invalid_grant')
  })

  it('used again as long as its first token lasts ends what it gave', async () => {
    const client = await letIn(world)
    const first = await askToken(address, codeForm(client))
    clock.advance(9 * 60_000)
    expect((await askToken(address, codeForm(client))).json['error']).toBe('invalid_grant')
    expect(await statusAt(address, '/mcp', first.json['access_token'])).toBe(401)
    const refreshed = await askToken(address, refreshForm(client.client, first.json['refresh_token']))
    expect(refreshed.json['error']).toBe('invalid_grant')
  })

  it('used twice at once gives at most one answer, which ends', async () => {
    const client = await letIn(world)
    const answers = await Promise.all([1, 2, 3].map(() => askToken(address, codeForm(client))))
    const given = answers.filter(({ status }) => status === 200)
    expect(given.length).toBeLessThanOrEqual(1)
    for (const { json } of given) expect(await statusAt(address, '/mcp', json['access_token'])).toBe(401)
  })

  it('of another client, for another address or too old is refused', async () => {
    const other = (await register(address)).json['client_id'] as string
    const [one, two, three] = [await letIn(world), await letIn(world), await letIn(world)]
    expect((await askToken(address, codeForm({ ...one, client: other }))).json['error']).toBe('invalid_grant')
    expect((await askToken(address, codeForm(two, { redirect_uri: `${redirectUri}/other` }))).json['error']).toBe(
      'invalid_grant',
    )
    clock.advance(61_000)
    expect((await askToken(address, codeForm(three))).json['error']).toBe('invalid_grant')
    expect((await askToken(address, codeForm({ ...three, code: 'none' }))).json['error']).toBe('invalid_grant')
  })
})

describe('a redirect', () => {
  const refusedAt = async (asked: string, registered = 'https://app.example/callback') => {
    const { json } = await register(address, { redirect_uris: [registered] })
    const path = authorizePath(json['client_id'], pkce().challenge, { redirect_uri: asked })
    const { html } = await openBrowser(address).open(path, world.token)
    return { isRefused: !html.includes('Let it in'), links: html.includes('id="back"') }
  }
  it.each([
    ['by prefix', 'https://app.example/callback/more'],
    ['by case', 'https://app.example/Callback'],
    ['with a fragment', 'https://app.example/callback#a'],
    ['with a query', 'https://app.example/callback?a=b'],
    ['at another port', 'https://app.example:8443/callback'],
    ['at another host', 'https://app.example.evil.example/callback'],
    ['with a user name', 'https://app.example@evil.example/callback'],
    ['with a dot segment', 'https://app.example/a/../callback'],
  ])('%s is refused, and nobody is sent there', async (_, asked) => {
    expect(await refusedAt(asked)).toEqual({ isRefused: true, links: false })
  })
  it('to a program on the same machine may have any port, and nothing else of its own', async () => {
    const registered = 'http://127.0.0.1/callback'
    expect((await refusedAt('http://127.0.0.1:45678/callback', registered)).isRefused).toBe(false)
    expect((await refusedAt('http://127.0.0.1:45678/other', registered)).isRefused).toBe(true)
    expect((await refusedAt('http://localhost:45678/callback', registered)).isRefused).toBe(true)
    expect((await refusedAt('http://127.0.0.1:80@evil.example/callback', registered)).isRefused).toBe(true)
  })
  it.each([
    'http://app.example/callback',
    'https://app.example/callback#fragment',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://user:password@app.example/',
    'callback',
    `https://app.example/${'x'.repeat(600)}`,
  ])('to %s cannot be registered', async (uri) => {
    expect(await register(address, { redirect_uris: [uri] })).toMatchObject({
      status: 400,
      json: { error: 'invalid_redirect_uri' },
    })
  })
  it('happens by no request alone: an error waits for a click', async () => {
    const { json } = await register(address, { redirect_uris: ['https://evil.example/landing'] })
    const browser = openBrowser(address)
    await browser.open(authorizePath(json['client_id'], pkce().challenge, { redirect_uri: undefined }), world.token)
    for (const more of [
      { response_type: 'token' },
      { scope: 'no-such-scope' },
      { resource: 'https://other.example/mcp' },
    ]) {
      const path = authorizePath(json['client_id'], pkce().challenge, { redirect_uri: undefined, ...more })
      const reply = await browser.ask(path)
      expect([reply.status, reply.headers.get('location')]).toEqual([400, null])
      expect(await reply.text()).toContain('id="back"')
    }
  })
  it('after sign-in leads to this server alone', async () => {
    const reply = await openBrowser(address).post(
      '/oauth/sign-in',
      new URLSearchParams({ token: world.token, query: '//evil.example/?a=b' }),
    )
    expect(new URL(reply.headers.get('location')!, address).origin).toBe(address)
  })
})

describe('an answer', () => {
  it('names the server that gives it, and the state', async () => {
    const { location } = await letIn(world)
    expect(Object.fromEntries(location.searchParams)).toMatchObject({ iss: address, state: 'state-1' })
    const { json } = await register(address)
    const browser = openBrowser(address)
    const page = await browser.open(authorizePath(json['client_id'], pkce().challenge), world.token)
    const denied = new URL((await browser.answer(page, { decision: 'deny' })).headers.get('location')!)
    expect(Object.fromEntries(denied.searchParams)).toEqual({ error: 'access_denied', state: 'state-1', iss: address })
  })
  it('is not given to a request with a parameter twice', async () => {
    const { json } = await register(address)
    const path = `${authorizePath(json['client_id'], pkce().challenge)}&client_id=other`
    expect((await openBrowser(address).open(path, world.token)).html).toContain('A parameter is there twice')
  })
})

describe('a token', () => {
  it.each([
    ['/mcp', ['/mcp/work-board', '/v1/runs']],
    ['/mcp/work-board', ['/mcp', '/mcp/anz-data', '/v1/runs']],
    ['/v1', ['/mcp', '/mcp/work-board']],
  ])('of %s is good there alone', async (path, others) => {
    const { access } = await signedInClient(world, { resource: address + path })
    expect(await statusAt(address, path === '/v1' ? '/v1/runs' : path, access)).not.toBe(401)
    for (const other of others) expect(await statusAt(address, other, access)).toBe(401)
  })
  it('is not made for another resource with a code or a refresh token', async () => {
    const client = await letIn(world)
    const other = { resource: `${address}/v1` }
    expect((await askToken(address, codeForm(client, other))).json['error']).toBe('invalid_target')
    const { client: id, refresh } = await signedInClient(world)
    expect((await askToken(address, refreshForm(id, refresh, other))).json['error']).toBe('invalid_target')
    for (const resource of [
      'https://other.example/mcp',
      `${address}/mcp/none`,
      `${address}/mcp#a`,
      `${address}/oauth`,
    ]) {
      const { challenge } = pkce()
      const { html } = await openBrowser(address).open(authorizePath(id, challenge, { resource }), world.token)
      expect(html).toContain('no such resource')
    }
  })
  it('without a signature, or with a changed text, is nothing', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const none = `${part({ alg: 'none' })}.${part({ sub: 'x', scope: 'run read', exp: 4e9 })}.`
    const { access } = await signedInClient(world)
    for (const text of [none, `${access}x`, access.slice(0, -1), 'tya_', access.replace('tya_', 'tyr_')])
      expect(await statusAt(address, '/mcp', text)).toBe(401)
  })
  it('expires after ten minutes', async () => {
    const { access } = await signedInClient(world)
    clock.advance(599_000)
    expect(await statusAt(address, '/mcp', access)).not.toBe(401)
    clock.advance(2_000)
    expect(await statusAt(address, '/mcp', access)).toBe(401)
  })
  it('signs no browser in and makes no link for one', async () => {
    const { access } = await signedInClient(world, { resource: `${address}/v1`, scope: 'run read connections' })
    const ask = (path: string, body: object) =>
      fetch(address + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${access}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    expect((await ask('/v1/session/code', {})).status).not.toBe(201)
    expect((await ask('/v1/session', { token: access })).status).toBe(401)
  })
})

describe('a refresh token', () => {
  it('is replaced by each use; used again, it ends everything', async () => {
    const { client, refresh, access } = await signedInClient(world)
    const second = await askToken(address, refreshForm(client, refresh))
    expect(second.status).toBe(200)
    expect(second.json['refresh_token']).not.toBe(refresh)
    expect(await statusAt(address, '/mcp', access)).not.toBe(401)
    expect((await askToken(address, refreshForm(client, refresh))).json['error']).toBe('invalid_grant')
    expect((await askToken(address, refreshForm(client, second.json['refresh_token']))).json['error']).toBe(
      'invalid_grant',
    )
    for (const text of [access, second.json['access_token']]) expect(await statusAt(address, '/mcp', text)).toBe(401)
    const [row] = (await pack.audit.list(tenant, { limit: 1 })).items
    expect(row).toMatchObject({ path: 'grants.end' })
  })
  it('of another client, or made up, ends nothing', async () => {
    const { client, refresh, access } = await signedInClient(world)
    const other = (await register(address)).json['client_id'] as string
    expect((await askToken(address, refreshForm(other, refresh))).json['error']).toBe('invalid_grant')
    expect(
      (await askToken(address, refreshForm(client, `tyr_${'x'.repeat(43)}.${'y'.repeat(43)}`))).json['error'],
    ).toBe('invalid_grant')
    expect(await statusAt(address, '/mcp', access)).not.toBe(401)
  })
  it('adds no scope', async () => {
    const { client, refresh } = await signedInClient(world, { scope: 'run:read' })
    expect((await askToken(address, refreshForm(client, refresh, { scope: 'run:write' }))).json['error']).toBe(
      'invalid_scope',
    )
  })
})

describe('a page', () => {
  it('is framed by nobody and keeps its address to itself', async () => {
    const { json } = await register(address)
    const browser = openBrowser(address)
    const path = authorizePath(json['client_id'], pkce().challenge)
    await browser.open(path, world.token)
    for (const reply of [await openBrowser(address).ask(path), await browser.ask(path)]) {
      expect(reply.headers.get('x-frame-options')).toBe('DENY')
      expect(reply.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(reply.headers.get('cache-control')).toBe('no-store')
    }
  })
  it.each([
    ['without the proof that it was shown', { csrf: '' }, {}],
    ['with the proof of another session', { csrf: 'other' }, {}],
    ['from another site', {}, { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['from another program of the same machine', {}, { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
    ['for something else than was shown', { shown: 'other' }, {}],
  ])('answered %s lets nobody in', async (_, changes, headers) => {
    const { json } = await register(address)
    const browser = openBrowser(address)
    const page = await browser.open(authorizePath(json['client_id'], pkce().challenge), world.token)
    const form = new URLSearchParams(page.inputs.map(({ name, value }) => [name, value]))
    form.set('decision', 'allow')
    for (const [name, value] of Object.entries<string>(changes)) form.set(name, value)
    const before = (await grantsOf()).length
    const reply = await browser.post(page.action, form, headers)
    expect(reply.headers.get('location')).toBeNull()
    expect(await grantsOf()).toHaveLength(before)
  })
  it('does not sign in a browser for another site', async () => {
    const browser = openBrowser(address)
    const reply = await browser.post('/oauth/sign-in', new URLSearchParams({ token: world.token, query: '' }), {
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site',
    })
    expect(reply.status).toBe(403)
    expect(browser.cookies.size).toBe(0)
  })
  it('gives each sign-in a session of its own, whatever the browser brought', async () => {
    const planted = `tys_${'a'.repeat(43)}`
    const browser = openBrowser(address)
    const name = `toolyard_session_${new URL(address).port}`
    browser.cookies.set('planted', { path: '/oauth', pair: `${name}=${planted}` })
    const { json } = await register(address)
    const path = authorizePath(json['client_id'], pkce().challenge)
    expect(await (await browser.ask(path)).text()).toContain('name="token"')
    browser.cookies.clear()
    await browser.open(path, world.token)
    expect([...browser.cookies.values()].map(({ pair }) => pair)).not.toContain(`${name}=${planted}`)
  })
  it('shows what a client calls itself as unverified, and without markup', async () => {
    const { json } = await register(address, {
      client_name: '<b>Claude</b>',
      redirect_uris: ['https://evil.example/cb'],
    })
    const path = authorizePath(json['client_id'], pkce().challenge, { redirect_uri: undefined })
    const { html } = await openBrowser(address).open(path, world.token)
    expect(html).toContain('&lt;b&gt;Claude&lt;/b&gt;')
    expect(html).toContain('None: nobody vouches for that name')
    expect(html).toContain('evil.example')
  })
})

it.each(['/oauth/token', '/oauth/revoke', '/oauth/authorize', '/oauth/sign-in'])(
  'a request to %s without a form is refused as such',
  async (path) => {
    for (const body of [undefined, new Uint8Array()]) {
      const reply = await fetch(address + path, { method: 'POST', ...(body ? { body } : {}) })
      expect([reply.status, await reply.json()]).toEqual([400, expect.objectContaining({ error: 'invalid_request' })])
    }
    expect(world.lines.filter(({ event }) => event === 'http.defect')).toEqual([])
  },
)
