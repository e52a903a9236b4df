import { afterEach, describe, expect, it } from 'vitest'
import { formPage, leavePage, donePage, refusedPage } from '../../shared/faces/http/connect/pages.ts'
import { openHttpWorld } from '../support/http-world.ts'
import type { HttpWorld } from '../support/http-world.ts'
import { call, connect, failureOf, openMcpWorld, textOf } from '../support/mcp-world.ts'

/** Rows of the threat model that no other test names. */
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

describe('the text of a failed tool', () => {
  const trace = (secret: string) =>
    `TypeError: cannot read ${secret}\n    at Object.handle (/srv/app/node_modules/thing/index.js:17:3)\nGET https://api.board.example/1/cards?key=k&token=${secret}\nauthorization: Bearer ${secret}`

  it('is a code and a safe sentence, whatever the provider says: no secret, no stack of ours, no address of ours', async () => {
    const world = await openMcpWorld()
    closers.push(() => world.close())
    const { board } = world.sandbox
    const { token } = board.credentials
    const client = await connect(world, '2026-07-28')
    closers.unshift(() => client.close())
    const answers: [string, object][] = [
      ['bad_reply', { status: 200, body: trace(token) }],
      ['rejected', { status: 400, body: trace(token) }],
      ['access_denied', { status: 403, body: { message: trace(token) } }],
      ['not_found', { status: 404, body: trace(token) }],
      ['conflict', { status: 409, body: trace(token) }],
    ]
    for (const [code, answer] of answers) {
      board.control.fault({ times: 5, answer: answer as never })
      const result = await call(client, 'work_board_get_boards')
      board.control.clearFaults()
      expect(failureOf(result).code).toBe(code)
      const all = JSON.stringify(result)
      expect(textOf(result)).toMatch(new RegExp(`^${code}: [A-Z]`))
      expect(all).not.toContain(token)
      expect(all).not.toMatch(/127\.0\.0\.1|shared\/|wire\/|file:\/\//)
    }
  })

  it('of a defect is the number of the run alone', async () => {
    const world = await openMcpWorld({
      change: (pack) => ({
        ...pack,
        steps: { ...pack.steps, run: () => Promise.reject(new Error('refused with token=secret-canary at /srv/app')) },
      }),
    })
    closers.push(() => world.close())
    const client = await connect(world, '2026-07-28')
    closers.unshift(() => client.close())
    const result = await call(client, 'work_board_get_boards').catch((error: unknown) => ({ thrown: String(error) }))
    expect(JSON.stringify(result)).not.toMatch(/secret-canary|srv/)
    expect(JSON.stringify(world.lines)).not.toContain('secret-canary')
    expect(world.lines.find(({ event }) => event === 'mcp.defect')).toMatchObject({
      message: 'refused with token=*** at /srv/app',
    })
  })
})

describe('what is told on the side', () => {
  it('a defect answers 500 with a number; its text is in no answer, its secrets in no log, whatever DEBUG says', async () => {
    const before = process.env['DEBUG']
    process.env['DEBUG'] = '*'
    closers.push(async () => (before === undefined ? delete process.env['DEBUG'] : (process.env['DEBUG'] = before)))
    const face = await openHttpWorld()
    closers.push(() => face.close())
    face.pack.connections.list = () =>
      Promise.reject(Object.assign(new Error('token=secret-canary'), { cause: new Error('secret-canary') }))
    const reply = await face.ask('/v1/connections')
    expect([reply.status, reply.json.code]).toEqual([500, 'internal'])
    expect(reply.text).not.toMatch(/secret-canary|stack|\.ts/)
    expect(face.lines.some(({ event }) => event === 'http.defect')).toBe(true)
    expect(JSON.stringify(face.lines)).not.toContain('secret-canary')
  })

  it('a provider is sent no Referer, and no header of the caller', async () => {
    const face = await openHttpWorld()
    closers.push(() => face.close())
    const headers = {
      referer: 'https://platform.example/?token=secret-canary',
      'x-request-id': 'secret canary',
      traceparent: '00-secret-canary-01',
      cookie: 'a=secret-canary',
      'x-forwarded-for': '192.0.2.1',
    }
    await face.ask('/v1/steps/work-board/get-boards/run', { body: { input: {} }, headers })
    const sent = face.sandbox.board.control.requests()
    expect(sent.length).toBeGreaterThan(0)
    expect(JSON.stringify(sent)).not.toMatch(/secret.canary/)
    for (const request of sent) expect(Object.keys(request.headers)).not.toEqual(expect.arrayContaining(['referer']))
    expect(JSON.stringify(face.lines)).not.toMatch(/secret.canary/)
  })
})

describe('tokens stay where they belong', () => {
  const bearers = async (face: HttpWorld) => [face.token, await face.tokenWith(['run'])]

  it('ours goes to no provider', async () => {
    const face = await openHttpWorld()
    closers.push(() => face.close())
    for (const { integration, type, secrets } of face.sandbox.accounts)
      await face.pack.connections.create({ tenant: 'default' }, { integration, type, name: 'Second', secrets })
    const tokens = await bearers(face)
    for (const token of tokens) {
      await face.ask('/v1/steps/work-board/get-boards/run', { body: { input: {}, connection: 'Second' }, token })
      await face.ask('/v1/steps/anz-data/api-call/run', {
        body: { input: { method: 'GET', path: '/account/usage' } },
        token,
      })
      await face.ask('/v1/steps/contact-data/api-call/run', {
        body: { input: { method: 'GET', path: '/account/usage' } },
        token,
      })
    }
    const { board, anz, contact } = face.sandbox
    const seen = JSON.stringify([board.control.requests(), anz.control.requests(), contact.control.requests()])
    expect([board, anz, contact].map(({ control }) => control.requests().length).every((count) => count >= 2)).toBe(
      true,
    )
    for (const token of tokens) expect(seen).not.toContain(token)
    // What each provider was sent is its own account's key.
    expect(anz.control.requests().map(({ headers }) => headers['x-api-key'])).toEqual(
      tokens.map(() => anz.credentials.apiKey),
    )
    expect(contact.control.requests().map(({ headers }) => headers['authorization'])).toEqual(
      tokens.map(() => `Bearer ${contact.credentials.apiKey}`),
    )
  })

  it('a provider’s is not taken as ours', async () => {
    const face = await openHttpWorld()
    closers.push(() => face.close())
    const { board, anz, contact } = face.sandbox
    for (const token of [
      board.credentials.token,
      board.credentials.key,
      board.credentials.appSecret,
      anz.credentials.apiKey,
      contact.credentials.apiKey,
    ]) {
      for (const url of ['/v1/connections', '/mcp'])
        expect([
          url,
          (
            await face.ask(url, {
              token,
              method: url === '/mcp' ? 'POST' : 'GET',
              ...(url === '/mcp' ? { body: {} } : {}),
            })
          ).status,
        ]).toEqual([url, 401])
    }
  })
})

describe('the connect pages, asked by a program', () => {
  const open = async () => {
    const face = await openHttpWorld({ publicUrl: 'https://tools.example.org' })
    closers.push(() => face.close())
    const { json } = await face.ask('/v1/connections/authorize', {
      body: { integration: 'work-board', type: 'key-token' },
    })
    const page = await face.ask(`/connect/${json.state}`)
    const cookie = String(page.headers['set-cookie'])
    const { key, token } = face.sandbox.board.credentials
    const post = (headers: Record<string, string>, type = 'application/x-www-form-urlencoded') =>
      face.ask(`/connect/${json.state}`, {
        raw: new URLSearchParams({ key, token }).toString(),
        headers: { cookie: cookie.split(';')[0]!, 'content-type': type, ...headers },
      })
    return { face, page, cookie, post }
  }

  it('say that nothing may frame them, that no address is passed on, and load nothing from elsewhere', async () => {
    const { face, page, cookie } = await open()
    for (const reply of [page, await face.ask('/connect/nothing'), await face.ask('/v1/oauth/work-board/callback')]) {
      expect(reply.headers).toMatchObject({
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        'cross-origin-opener-policy': 'same-origin',
      })
      for (const [, address] of reply.text.matchAll(/(?:src|href)="([^"]*)"/g))
        expect(address).toMatch(/^\/connect\/assets\/|^http:\/\/127\.0\.0\.1:\d+\/1\/authorize\?/)
    }
    expect(cookie).toMatch(/^__Host-toolyard-browser=[\w-]{43}; Max-Age=3600; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
  })

  it.each<[string, Record<string, string>, string?]>([
    ['of another origin', { origin: 'https://evil.example' }],
    ['of a sister site', { origin: 'https://evil.example.org', 'sec-fetch-site': 'same-site' }],
    ['that the browser calls cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['without our cookie', { cookie: '' }],
    ['with somebody else’s cookie', { cookie: `__Host-toolyard-browser=${'a'.repeat(43)}` }],
    ['as plain text', { origin: 'https://evil.example' }, 'text/plain'],
  ])('take no form %s', async (_, headers, type) => {
    const { face, post } = await open()
    const before = face.sandbox.board.control.requests().length
    const reply = await post(headers, type)
    expect([403, 415]).toContain(reply.status)
    expect(face.sandbox.board.control.requests().length).toBe(before)
    expect(await face.pack.connections.list({ tenant: 'default' })).toHaveLength(1)
    // The person’s own form still works.
    expect((await post({ origin: 'https://tools.example.org', 'sec-fetch-site': 'same-origin' })).status).toBe(200)
  })
})

describe('names from a provider on our pages', () => {
  const evil = '<img src=x onerror=alert(1)>"\'&</title><script>alert(1)</script>'
  const frame = { root: '' }

  it('are text, in every place a page has', () => {
    const connection = {
      id: `con_${evil}`,
      integration: 'work-board',
      type: 'oauth',
      name: evil,
      state: 'connected',
      account: { id: evil, name: evil },
    } as never
    const failure = {
      code: 'rejected',
      message: evil,
      providerMessage: evil,
      retryable: false,
      actor: 'caller',
    } as never
    const form = {
      integration: 'work-board',
      title: evil,
      typeTitle: evil,
      purpose: evil,
      help: evil,
      fields: [
        { name: 'key', title: evil, description: evil, value: evil },
        { name: 'token', title: evil, description: evil, value: '' },
      ],
      profiles: [{ name: evil, title: evil, isChosen: true }],
      authorizeUrl: `https://provider.example/?key=${evil}`,
      reconnects: evil,
      workspace: evil,
      requester: evil,
      problem: failure,
    }
    const pages = [
      formPage(form, frame),
      formPage({ ...form, authorizeUrl: undefined, reconnects: null }, frame),
      formPage({ ...form, authorizeUrl: null }, frame),
      leavePage(
        {
          title: evil,
          purpose: evil,
          reconnects: evil,
          account: evil,
          workspace: evil,
          requester: evil,
          to: evil,
          address: { name: evil, title: evil, description: evil, value: evil },
          problem: failure,
        },
        frame,
      ),
      donePage(
        { connection, title: evil, workspace: evil, reconnected: true, returnTo: '/console?x="><script>' },
        frame,
      ),
      refusedPage('failed', { title: evil, failure, returnTo: null }, frame),
    ]
    for (const page of pages) {
      expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;')
      expect(page).not.toMatch(/<img|<script>/)
      expect(page.match(/<\/title>/g)).toHaveLength(1)
      // The only script and the only addresses are our own and the provider's page.
      expect([...page.matchAll(/<script src="([^"]*)"/g)].map(([, src]) => src)).toEqual(['/connect/assets/page.js'])
    }
  })
})
