/** Sign-in of browsers: codes, sessions, and what a session may be used for. */
import { createHash } from 'node:crypto'
import Fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { createHttp } from '../../shared/faces/http/index.ts'
import { toolyard } from '../../shared/faces/http/plugin.ts'
import type { HttpApp } from '../../shared/faces/http/index.ts'
import { createMemoryStore } from '../../shared/store/index.ts'
import { checkedAsk } from '../api/answers.ts'
import { readDocument } from './documented.ts'
import { openHttpWorld } from '../support/http-world.ts'
import type { Ask } from '../support/http-world.ts'

const hour = 3_600_000
const host = '127.0.0.1:8750'
const origin = `http://${host}`
/** Headers of a page of this server, as browsers send them. */
const own = { host, origin, 'sec-fetch-site': 'same-origin' }

let ahead = 0
const clock = { now: () => Date.now() + ahead, monotonic: () => performance.now() + ahead, sleep: async () => {} }
const store = createMemoryStore()
const face = await openHttpWorld({ clock, store })

const codeFor = async (token = face.token) => {
  const { status, json } = await face.ask('/v1/sign-in-codes', { method: 'POST', token, headers: { host } })
  expect(status, JSON.stringify(json)).toBe(201)
  return new URL(json.url).hash.slice('#code='.length)
}
type Asked = { method?: Ask['method']; body?: unknown; headers?: Record<string, string>; http?: HttpApp }
/** Without any bearer token. */
const plain = async (url: string, { method, body, headers = {}, http = face.http }: Asked = {}) => {
  const reply = await http.inject({
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    url,
    headers: { host, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  })
  return {
    status: reply.statusCode,
    text: reply.body,
    json: reply.body === '' ? undefined : reply.json(),
    cookies: [reply.headers['set-cookie'] ?? []].flat() as string[],
  }
}
const signIn = async (credential: { code: string } | { token: string }) => {
  const { status, json, cookies } = await plain('/v1/session', { body: credential, headers: own })
  expect(status, JSON.stringify(json)).toBe(201)
  const cookie = cookies[0]!.split(';')[0]!
  return { json, cookie, read: { ...own, cookie }, write: { ...own, cookie, 'x-csrf-token': json.csrfToken as string } }
}
const audited = async () =>
  (await face.ask('/v1/admin/audit?limit=200')).json.items as { path: string; actor: string; decision: string }[]

describe('signing in', () => {
  it('with the code of a link: once, as the token that asked for it', async () => {
    const { text: token, token: row } = await face.pack.tokens.create('default', {
      name: 'Ada',
      scopes: ['run', 'read'],
      steps: ['work-board/get-boards'],
    })
    const made = await face.ask('/v1/sign-in-codes', { method: 'POST', token, headers: { host } })
    expect(made.json).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:8750\/console\/#code=tyc_[\w-]{43}$/),
      expiresAt: expect.any(String),
    })
    expect(Math.abs(Date.parse(made.json.expiresAt) - clock.now() - 600_000)).toBeLessThan(5_000)
    const code = new URL(made.json.url).hash.slice('#code='.length)
    const { json, read } = await signIn({ code })
    expect(json).toMatchObject({
      tenant: { id: 'default', name: 'Default' },
      token: {
        id: row.id,
        name: 'Ada',
        scopes: ['run', 'read'],
        steps: ['work-board/get-boards'],
        connections: null,
        toolSet: null,
        expiresAt: null,
      },
      csrfToken: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(Math.abs(Date.parse(json.expiresAt) - clock.now() - 12 * hour)).toBeLessThan(5_000)
    expect((await plain('/v1/session', { headers: read })).json).toEqual(json)
    const again = await plain('/v1/session', { body: { code }, headers: own })
    expect(again).toMatchObject({ status: 401, cookies: [] })
    expect(again.json).toMatchObject({
      code: 'unauthenticated',
      detail: expect.stringMatching(/already used.*toolyard console/),
    })
  })

  it('with a token, which is not in the answer', async () => {
    const { json } = await signIn({ token: face.token })
    expect(JSON.stringify(json)).not.toContain(face.token)
    expect(json.token.scopes).toContain('admin')
  })

  it('sets a cookie that scripts cannot read, for /v1, /oauth and this port alone', async () => {
    const { cookies } = await plain('/v1/session', { body: { token: face.token }, headers: own })
    const [first] = cookies
    expect(first).toMatch(/^toolyard_session_8750=tys_[\w-]{43}; Expires=[^;]+ GMT; Path=\/v1; HttpOnly; SameSite=Lax$/)
    expect(cookies).toEqual([first, first!.replace('Path=/v1', 'Path=/oauth')])
  })

  it('below a prefix and at an https address: Secure, and the path of the prefix', async () => {
    const http = await createHttp({ pack: face.pack, version: '0', publicUrl: 'https://tools.example/base' })
    const headers = { host: 'tools.example', origin: 'https://tools.example', 'sec-fetch-site': 'same-origin' }
    const { status, cookies } = await plain('/v1/session', { body: { token: face.token }, headers, http })
    expect(status).toBe(201)
    expect(cookies[0]).toMatch(
      /^toolyard_session=tys_[^;]+; Expires=[^;]+; Path=\/base\/v1; HttpOnly; SameSite=Lax; Secure$/,
    )
    expect(cookies).toEqual([cookies[0], cookies[0]!.replace('/base/v1', '/base/oauth')])
    const link = await http.inject({
      method: 'POST',
      url: '/v1/sign-in-codes',
      headers: { host: 'tools.example', authorization: `Bearer ${face.token}` },
    })
    expect(link.json().url).toMatch(/^https:\/\/tools\.example\/base\/console\/#code=/)
    await http.close()
  })

  it('inside a host application: below its path, so that its own routes get no cookie', async () => {
    const mounted = Fastify()
    mounted.get('/v1/session', async ({ headers }) => ({ cookie: headers.cookie ?? null }))
    await mounted.register(toolyard, { prefix: '/toolyard', pack: face.pack })
    const reply = await mounted.inject({
      method: 'POST',
      url: '/toolyard/v1/session',
      headers: own,
      payload: { token: face.token },
    })
    expect(reply.statusCode).toBe(201)
    const cookie = String(reply.headers['set-cookie'])
    expect(cookie).toContain('; Path=/toolyard/v1; HttpOnly')
    const signedIn = await mounted.inject({
      url: '/toolyard/v1/session',
      headers: { ...own, cookie: cookie.split(';')[0]! },
    })
    expect(signedIn.json()).toMatchObject({ tenant: { id: 'default' } })
    await mounted.close()
  })

  it.each([
    ['no credential', {}],
    ['two', { code: 'x', token: 'y' }],
    ['an unknown field', { code: 'x', password: 'y' }],
    ['a list', []],
    ['a number as code', { code: 7 }],
  ])('with %s is refused as input', async (_, body) => {
    expect(await plain('/v1/session', { body, headers: own })).toMatchObject({
      status: 400,
      cookies: [],
      json: { code: 'invalid_input' },
    })
  })

  it('answers each wrong code alike, and slows guessing down', async () => {
    const fresh = await openHttpWorld({ limits: { wrongTokens: 4 } })
    const ask = (body: object) =>
      plain('/v1/session', { body, headers: { ...own, 'x-request-id': 'same' }, http: fresh.http })
    const used = new URL(
      (await fresh.ask('/v1/sign-in-codes', { method: 'POST', headers: { host } })).json.url,
    ).hash.slice('#code='.length)
    expect((await ask({ code: used })).status).toBe(201)
    const answers = [
      await ask({ code: 'nothing' }),
      await ask({ code: `tyc_${'x'.repeat(43)}` }),
      await ask({ code: used }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect((await ask({ token: 'ty_nothing' })).status).toBe(401)
    expect(await ask({ token: 'ty_nothing' })).toMatchObject({ status: 429, json: { code: 'rate_limited' } })
    expect(await ask({ code: used })).toMatchObject({ status: 429 })
    // Others may share the address.
    expect((await ask({ token: fresh.token })).status).toBe(201)
    await fresh.close()
  })

  it('with a code of more than ten minutes ago is refused', async () => {
    const code = await codeFor()
    ahead += 600_001
    expect((await plain('/v1/session', { body: { code }, headers: own })).status).toBe(401)
  })

  it('with a code of a token that was revoked since is refused', async () => {
    const { text, token } = await face.pack.tokens.create('default', { name: 'Gone', scopes: ['read'] })
    const code = await codeFor(text)
    await face.pack.tokens.revoke('default', token.id)
    expect((await plain('/v1/session', { body: { code }, headers: own })).status).toBe(401)
  })

  it('is for tokens of this server only', async () => {
    const jwt = { tenant: 'default', token: 'jwt:ada', scopes: ['read' as const] }
    await expect(face.pack.sessions.createCode(jwt)).rejects.toMatchObject({
      code: 'not_allowed',
      message: expect.stringContaining('identity provider'),
    })
    await expect(face.pack.sessions.createCode({ tenant: 'default' })).rejects.toMatchObject({ code: 'not_allowed' })
  })

  it('and out is written down, without what signs in', async () => {
    const { text, token } = await face.pack.tokens.create('default', { name: 'Seen', scopes: ['read'] })
    const code = await codeFor(text)
    const { cookie, write } = await signIn({ code })
    expect((await plain('/v1/session', { method: 'DELETE', headers: write })).status).toBe(204)
    const rows = (await audited()).filter(({ actor }) => actor === token.id)
    expect(rows.map(({ path, decision }) => [path, decision])).toEqual([
      ['sessions.signOut', 'allowed'],
      ['sessions.signIn', 'with a code'],
      ['sessions.createCode', 'allowed'],
    ])
    const seen = JSON.stringify([face.lines, rows])
    for (const secret of [code, cookie.split('=')[1]!, write['x-csrf-token'], text]) expect(seen).not.toContain(secret)
  })

  it('leaves hashes in the store, nothing that signs in', async () => {
    const code = await codeFor()
    const { cookie } = await signIn({ token: face.token })
    const secret = cookie.split('=')[1]!
    const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
    expect(await store.sessions.get(hashOf(secret), 0)).toMatchObject({ tenant: 'default' })
    expect(await store.sessions.get(secret, 0)).toBeUndefined()
    expect(
      JSON.stringify([await store.sessions.get(hashOf(secret), 0), await store.signInCodes.take(hashOf(code), 0)]),
    ).not.toMatch(/ty[cs]_/)
  })
})

describe('a session', () => {
  it('reads with its cookie, and writes with its CSRF token too', async () => {
    const { read, write } = await signIn({ code: await codeFor() })
    expect((await plain('/v1/connections', { headers: read })).json.items).toHaveLength(1)
    expect(
      (await plain('/v1/admin/tenants', { body: { id: 'by-session', name: 'By session' }, headers: write })).status,
    ).toBe(201)
  })

  it('ends when signed out, at once and alone', async () => {
    const [first, second] = [await signIn({ token: face.token }), await signIn({ token: face.token })]
    const out = await plain('/v1/session', { method: 'DELETE', headers: first.write })
    expect(out).toMatchObject({
      status: 204,
      cookies: ['/v1', '/oauth'].map(
        (path) => `toolyard_session_8750=; Max-Age=0; Path=${path}; HttpOnly; SameSite=Lax`,
      ),
    })
    const after = await plain('/v1/session', { headers: first.read })
    expect(after).toMatchObject({
      status: 401,
      json: { code: 'unauthenticated', detail: expect.stringContaining('Sign in again') },
    })
    expect((await plain('/v1/session', { headers: second.read })).status).toBe(200)
  })

  it('ends after twelve hours, however much it is used', async () => {
    const { read } = await signIn({ token: face.token })
    ahead += 12 * hour - 10_000
    expect((await plain('/v1/session', { headers: read })).status).toBe(200)
    ahead += 10_001
    expect((await plain('/v1/session', { headers: read })).status).toBe(401)
  })

  it('ends with its token: revoked at once, expired on time', async () => {
    const { text: expiring } = await face.pack.tokens.create('default', {
      name: 'Short',
      scopes: ['read'],
      expiresAt: clock.now() + hour,
    })
    const short = await signIn({ token: expiring })
    expect(Date.parse(short.json.expiresAt)).toBeLessThanOrEqual(clock.now() + hour)
    const { text, token } = await face.pack.tokens.create('default', { name: 'Revoked', scopes: ['read'] })
    const revoked = await signIn({ token: text })
    await face.pack.tokens.revoke('default', token.id)
    expect((await plain('/v1/session', { headers: revoked.read })).status).toBe(401)
    expect((await plain('/v1/session', { headers: short.read })).status).toBe(200)
    ahead += hour + 1
    expect((await plain('/v1/session', { headers: short.read })).status).toBe(401)
  })

  it('may do what its token may do, and no more', async () => {
    await face.pack.tenants.create({ id: 'other', name: 'Other' })
    const { text } = await face.pack.tokens.create('other', { name: 'Reader', scopes: ['read'] })
    const { read, write } = await signIn({ token: text })
    expect((await plain('/v1/connections', { headers: read })).json.items).toEqual([])
    const [mine] = (await face.ask('/v1/connections')).json.items
    expect((await plain(`/v1/connections/${mine.id}`, { headers: read })).status).toBe(404)
    expect((await plain('/v1/admin/tenants', { headers: read })).status).toBe(403)
    expect((await plain('/v1/connections', { body: {}, headers: write })).status).toBe(403)
  })

  it('is that of its token at that moment: a narrowed one narrows it', async () => {
    const { text, token } = await face.pack.tokens.create('default', {
      name: 'Narrowed',
      scopes: ['read', 'connections'],
    })
    const { read } = await signIn({ token: text })
    const get = store.tokens.get
    store.tokens.get = async (tenant, id) => {
      const row = await get(tenant, id)
      return row && id === token.id ? { ...row, scopes: ['run'] } : row
    }
    expect((await plain('/v1/runs', { headers: read })).status).toBe(403)
    expect((await plain('/v1/session', { headers: read })).json.token.scopes).toEqual(['run'])
    store.tokens.get = get
  })

  it('gives way to a bearer token, also to a wrong one', async () => {
    const { read } = await signIn({ token: face.token })
    const token = await face.tokenWith(['run'], 'other')
    const reply = await plain('/v1/session', { headers: { ...read, authorization: `Bearer ${token}` } })
    expect(reply.json).toMatchObject({ tenant: { id: 'other' }, token: { scopes: ['run'] }, expiresAt: null })
    expect(reply.json).not.toHaveProperty('csrfToken')
    expect((await plain('/v1/session', { headers: { ...read, authorization: 'Bearer wrong' } })).status).toBe(401)
    const nothing = await face.ask('/v1/session', { method: 'DELETE' })
    expect(nothing.json).toMatchObject({ code: 'not_found' })
  })

  it('ends when its token has a hundred newer ones', async () => {
    const { text } = await face.pack.tokens.create('default', { name: 'Many', scopes: ['read'] })
    const first = await signIn({ token: text })
    ahead += 1
    for (let turn = 0; turn < 100; turn += 1) await face.pack.sessions.signIn({ token: text })
    expect((await plain('/v1/session', { headers: first.read })).status).toBe(401)
  })
})

describe('a session is refused', () => {
  it.each([
    ['a page of another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    [
      'a page of another site, in a browser that says so only by Origin',
      { origin: 'https://evil.example', 'sec-fetch-site': '' },
    ],
    ['a page of another port of this host', { origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-site' }],
    ['another name of this host', { origin: 'http://localhost:8750' }],
    ['a sandboxed frame', { origin: 'null' }],
    ['a page of another site that sends no Origin', { origin: '', 'sec-fetch-site': 'cross-site' }],
  ])('to %s, for reads, writes and sign-in', async (_, headers: Record<string, string>) => {
    const { read, write } = await signIn({ token: face.token })
    const from = (all: Record<string, string>) =>
      Object.fromEntries(Object.entries({ ...all, ...headers }).filter(([, value]) => value !== ''))
    const refused = { status: 403, cookies: [], json: { code: 'not_allowed' } }
    expect(await plain('/v1/session', { headers: from(read) })).toMatchObject(refused)
    expect(
      await plain('/v1/admin/tenants', { body: { id: 'evil', name: 'Evil' }, headers: from(write) }),
    ).toMatchObject(refused)
    expect(await plain('/v1/session', { body: { token: face.token }, headers: from(own) })).toMatchObject(refused)
  })

  it('under a name that now leads to this machine (DNS rebinding)', async () => {
    const { read } = await signIn({ token: face.token })
    const rebound = { host: 'evil.example:8750', origin: 'http://evil.example:8750', 'sec-fetch-site': 'same-origin' }
    expect((await plain('/v1/session', { headers: { ...read, ...rebound } })).status).toBe(401)
    expect(await plain('/v1/session', { body: { token: face.token }, headers: rebound })).toMatchObject({
      status: 403,
      cookies: [],
      json: { detail: expect.stringContaining('TOOLYARD_PUBLIC_URL') },
    })
  })

  it('without its CSRF token, with that of another session, and with what is none', async () => {
    const [mine, other] = [await signIn({ token: face.token }), await signIn({ token: face.token })]
    const body = { id: 'forged', name: 'Forged' }
    for (const csrfHeader of [
      {},
      { 'x-csrf-token': '' },
      { 'x-csrf-token': other.write['x-csrf-token'] },
      { 'x-csrf-token': 'x'.repeat(4_000) },
    ]) {
      const reply = await plain('/v1/admin/tenants', { body, headers: { ...mine.read, ...csrfHeader } })
      expect(reply, JSON.stringify(csrfHeader)).toMatchObject({
        status: 403,
        json: { code: 'not_allowed', detail: expect.stringContaining('x-csrf-token') },
      })
    }
    expect((await plain('/v1/session', { method: 'DELETE', headers: mine.read })).status).toBe(403)
    expect(
      (await face.ask('/v1/admin/tenants?limit=200')).json.items.map(({ id }: { id: string }) => id),
    ).not.toContain('forged')
  })

  it('at sign-in, for anything but JSON', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const payload = JSON.stringify({ token: face.token })
      const reply = await face.http.inject({
        method: 'POST',
        url: '/v1/session',
        headers: { ...own, 'content-type': type },
        payload,
      })
      expect([type, reply.statusCode, reply.headers['set-cookie']]).toEqual([type, 415, undefined])
    }
  })

  it('outside /v1: MCP, metrics, the API description, hooks', async () => {
    const { cookie, write } = await signIn({ token: face.token })
    for (const [method, url] of [
      ['POST', '/mcp'],
      ['GET', '/metrics'],
      ['GET', '/openapi.json'],
      ['GET', '/openapi/work-board.json'],
    ] as const) {
      expect([
        url,
        (await plain(url, { method, headers: write, ...(method === 'POST' ? { body: {} } : {}) })).status,
      ]).toEqual([url, 401])
    }
    const delivered = await plain('/hooks/work-board/none', { body: {}, headers: { ...write, cookie } })
    expect(delivered.status).toBe(401)
    expect(
      (await plain('/v1/oauth/work-board/callback?state=x', { headers: { cookie } }).catch(() => ({ status: 0 })))
        .status,
    ).not.toBe(200)
  })

  it('with a cookie that is changed, doubled, or of another port', async () => {
    const { cookie } = await signIn({ token: face.token })
    const [name, secret] = cookie.split('=') as [string, string]
    const session = { ...own }
    for (const other of [
      `${cookie}x`,
      `${name}=`,
      `${name}=${secret.slice(0, -1)}`,
      `${cookie}; ${name}=tys_${'x'.repeat(43)}`,
      `toolyard_session=${secret}`,
      `toolyard_session_8751=${secret}`,
      `x${cookie}`,
    ])
      expect([
        other.slice(0, 30),
        (await plain('/v1/session', { headers: { ...session, cookie: other } })).status,
      ]).toEqual([other.slice(0, 30), 401])
    expect((await plain('/v1/session', { headers: { ...session, cookie: `theme=dark; ${cookie}; a=b` } })).status).toBe(
      200,
    )
  })
})

describe('the document', () => {
  it('says what each answers', async () => {
    const { document } = await readDocument(face)
    const check = checkedAsk(face)
    const code = async () =>
      new URL((await check('/v1/sign-in-codes', { method: 'POST', headers: { host } })).json.url).hash.slice(6)
    const body = { code: await code() }
    expect((await check('/v1/session', { body, headers: own })).status).toBe(201)
    expect((await check('/v1/session', { body, headers: own })).status).toBe(401)
    expect((await check('/v1/session', { body: {}, headers: own })).status).toBe(400)
    await check('/v1/session')
    await check('/v1/session', { method: 'DELETE' })
    await check('/v1/server')
    expect(document.components.securitySchemes).toMatchObject({
      session: { type: 'apiKey', in: 'cookie', name: 'toolyard_session' },
    })
    const { security } = document as unknown as { security: object[] }
    expect(security).toEqual([{ token: [] }, { session: [] }])
    const elsewhere = Object.entries(document.paths).filter(([path]) => !path.startsWith('/v1/'))
    expect(elsewhere.length).toBeGreaterThan(4)
    for (const [path, methods] of elsewhere)
      for (const operation of Object.values(methods))
        expect([[], [{ token: [] }]], path).toContainEqual(operation.security)
  })
})

describe('GET /v1/server', () => {
  it('says what the server is, to any token', async () => {
    const token = await face.tokenWith(['metrics'])
    expect((await face.ask('/v1/server', { token })).json).toEqual({
      version: '0.0.0',
      publicUrl: null,
      sandbox: null,
      contentsKept: false,
      creditPrices: {},
    })
    const sandbox = {
      places: [{ title: 'Board', integration: 'work-board', origin: 'http://127.0.0.1:1' }],
      agent: null,
    }
    const http = await createHttp({ pack: face.pack, version: '1', publicUrl: 'https://tools.example', sandbox })
    const reply = await http.inject({ url: '/v1/server', headers: { authorization: `Bearer ${token}` } })
    expect(reply.json()).toEqual({
      version: '1',
      publicUrl: 'https://tools.example',
      sandbox,
      contentsKept: false,
      creditPrices: {},
    })
    expect((await plain('/v1/server', { http })).status).toBe(401)
    await http.close()
  })
})
