import { describe, expect, test } from 'vitest'
import { growth } from '../support/growth.ts'
import { callTo, failureOf, listen, open, profileFor, reply, secrets, wireTo } from './setup.ts'

const sink = await listen()
const wire = wireTo([sink.origin])
const profile = profileFor(sink.origin)

/** Refused with the code, with nothing sent and no secret in the message. */
const refused = async (over: Parameters<typeof callTo>[1], code = 'not_allowed') => {
  const [before, connected] = [sink.seen.length, sink.connections]
  const failure = await failureOf(wire.exchange(callTo(profile, over)))
  expect(
    failure.code,
    `${String(over?.method)} ${String(over?.path).slice(0, 60)} ${Object.keys(over?.query ?? {}).join()}`,
  ).toBe(code)
  expect(sink.seen.length - before, 'requests sent').toBe(0)
  expect(sink.connections - connected, 'connections made').toBe(0)
  for (const secret of Object.values(secrets)) expect(failure.message).not.toContain(secret)
  return failure
}

const paths: Record<string, unknown[]> = {
  'an address': ['https://evil.test/x', 'HTTP://evil.test', 'file:///etc/passwd', 'javascript:alert(1)'],
  'two slashes': ['//evil.test/x', '///evil.test/x', '/1//evil.test'],
  'backslashes in a path': ['\\\\evil.test\\x', '/\\evil.test/x', '/1/\\..\\x'],
  'tab and line end': ['/\t/evil.test', '/\n/evil.test', '/1/ca\trds'],
  'leading space or NUL': [' \0//evil.test', ' /1/cards', '\u0000/1/cards', '\ufeff/1/cards'],
  'no leading slash': ['@evil.test/x', ':8080/x', '.evil.test/x', '1/cards', ''],
  'dot segments': [
    '/1/cards/../../2/secret',
    '../../admin',
    '/1/./cards',
    '/1/cards/..',
    '/1/cards/.',
    '/1/..;/x',
    '/1/.;a=b/x',
  ],
  'encoded dots': ['/1/cards/%2e%2e/%2e%2e/2', '/1/cards/.%2E/x', '/1/%2E/x'],
  'encoded slashes': ['/1/cards/..%2f..%2f2/secret', '/1/cards/%5c..', '/1/a%2Fb', '/1/a%5Cb'],
  'double encoding': ['/1/%252e%252e/x', '/1/%252f'],
  'raw line ends': ['/1/cards\r\nX-A: b', '/1/cards\r', '/1/cards\n'],
  'encoded line ends and NUL': ['/1/cards%0d%0aX-A:b', '/1/%00', '/1/%0A', '/1/%7f', '/1/%1f'],
  'tails and parameters that routers read away': [
    '/1/cards/..%3b',
    '/1/..%3b/x',
    '/1/cards;x',
    '/1/;/cards',
    '/1/cards%3Bx',
    '/1/cards.',
    '/1/cards./x',
    '/1/cards%20',
    '/1/%20/x',
    '/1/cards%C2%A0',
    '/1/cards%E2%80%8B',
    '/1/cards%E2%80%AEx',
    '/1/cards%C2%85',
    '/1/cards%3Fa',
    '/1/cards%23a',
    '/1/...',
  ],
  'not UTF-8': ['/1/%c0%af', '/1/%ff', '/1/%ed%a0%80'],
  'a fragment': ['/1/cards#?key=1'],
  'query in the path': ['/1/cards?key=X&token=Y', '/1/cards?'],
  'broken or huge': [
    '/1/\ud800',
    `/1/${'a'.repeat(2046)}`,
    `/1${'/a'.repeat(10_000)}`,
    `/1${'/a'.repeat(500)}`,
    '/1/é',
    '/1/%zz',
    '/1/%2',
    '/1/%',
  ],
  'outside the prefix': ['/2/x', '/1evil', '/', '/1', '/11/x'],
  'not a text': [null, undefined, 1, {}, ['/1/cards'], { toString: () => '/1/cards' }],
}

describe('path', () => {
  for (const [row, list] of Object.entries(paths)) {
    test(row, async () => {
      for (const path of list) await refused({ path: path as string })
    })
  }
  test('of any length is refused without a look at all of it', async () => {
    const refuse = (size: number) => failureOf(wire.exchange(callTo(profile, { path: `/1${'/a'.repeat(size)}` })))
    expect(await growth(1_000_000, refuse, 2)).toBeLessThan(3)
  })
  test('what is legal arrives unchanged', async () => {
    for (const path of [
      '/1/cards/5f0c',
      "/1/a-b_c.d~e/!$&'()*+,=:@",
      '/1/caf%C3%A9',
      '/1/x%20y/a',
      '/1/a..b/.well-known',
      '/1/cards/',
    ]) {
      await wire.exchange(callTo(profile, { path }))
      expect(sink.seen.at(-1)?.url.split('?')[0]).toBe(path)
    }
  })
})

describe('one canonical form', () => {
  test('what is written in another way is sent as the policy read it', async () => {
    for (const [writtenPath, sent] of [
      ['/1/%63ards/%35f0c', '/1/cards/5f0c'],
      ['/1/caf%c3%a9', '/1/caf%C3%A9'],
      ['/1/a%40b.example', '/1/a@b.example'],
    ] as const) {
      await wire.exchange(callTo(profile, { path: writtenPath }))
      expect(sink.seen.at(-1)?.url.split('?')[0]).toBe(sent)
    }
  })
  test('a denied or allowed path is one however it is written', async () => {
    const deny = [{ path: '/1/tokens/**', reason: 'Not for agents.' }]
    for (const path of ['/1/tokens', '/1/%74okens/a', '/1/TOKENS/a', '/1/tokens/', '/1/%EF%BD%94okens'])
      await refused({ path, policy: { ...open, deny } })
    await wire.exchange(callTo(profile, { path: '/1/%63ards/a', policy: { ...open, only: ['/1/cards/**'] } }))
    await refused({ path: '/1/%43ards/a', policy: { ...open, only: ['/1/cards/**'] } })
  })
  test('parameters that read a denied resource within another are refused, in the query and in the body', async () => {
    const deny = [{ path: '/1/**', query: ['tokens', 'fields=tokens'], reason: 'Not for agents.' }]
    const policy = { ...open, deny }
    for (const query of [
      { tokens: 'all' },
      { Tokens: true },
      { 'tokens[]': ['x'] },
      { fields: 'id, Tokens' },
      { fields: ['id', 'tokens'] },
      { ' tokens ': 1 },
    ])
      await refused({ path: '/1/members/me', query, policy })
    await refused({ path: '/1/members/me', method: 'POST', effect: 'create', body: { tokens: 'all' }, policy })
    await wire.exchange(
      callTo(profile, { path: '/1/members/me', query: { fields: 'id,tokensUsed', filter: 'tokens' }, policy }),
    )
    expect(sink.seen.at(-1)?.url).toContain('fields=id%2CtokensUsed')
  })
})

describe('method', () => {
  test('not exactly a known method', async () => {
    for (const method of ['get ', 'get', 'GET\r\nX: y', '', ['GET'], {}, null])
      await refused({ method: method as string })
  })
  test('a method outside the policy', async () => {
    for (const method of ['PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT', 'QUERY']) await refused({ method })
    for (const method of ['PUT', 'DELETE']) await refused({ method, policy: { ...open, methods: ['GET', 'POST'] } })
  })
  test('a method in disguise', async () => {
    for (const name of ['_method', '_METHOD', 'X-HTTP-Method-Override', 'x-method-override']) {
      await refused({ method: 'POST', effect: 'create', query: { [name]: 'DELETE' } })
      await refused({ method: 'POST', effect: 'create', body: { [name]: 'DELETE' } })
    }
  })
})

describe('credentials', () => {
  const names = [
    'key',
    'KEY',
    'token',
    'Token',
    'api_key',
    'API-KEY',
    'oauth_token',
    ' token',
    'token[]',
    'token[0]',
    'api.key',
    'ｔoken',
  ]
  test('reserved names in the query', async () => {
    for (const name of names) {
      const failure = await refused({ query: { [name]: 'EVIL' } })
      expect(failure.details.errors?.[0]?.pointer).toBe(`/query/${name}`)
      await refused({ query: { [name]: ['EVIL', 'x'] } })
    }
  })
  test('reserved names in the body, at any depth', async () => {
    for (const name of names) {
      for (const body of [{ [name]: 'EVIL' }, [{ [name]: 'EVIL' }], { a: [{ b: { [name]: 1 } }] }])
        await refused({ method: 'POST', effect: 'create', body })
    }
  })
  test('names that are another one once decoded or read without what cannot be seen', async () => {
    for (const name of ['key%00', '%6bey', '%6Bey', 'k%65y', 'key\0', 'key\u200b', 'to\u00adken', 'token\u202e']) {
      await refused({ query: { [name]: 'EVIL' } })
      await refused({ method: 'POST', effect: 'create', body: { a: [{ [name]: 'EVIL' }] } })
    }
    await wire.exchange(callTo(profile, { method: 'POST', effect: 'create', body: { '100% done': 1 } }))
  })
  test('ordinary lists are repeated, and the wire has one credential', async () => {
    await wire.exchange(callTo(profile, { query: { fields: ['a', 'b c'], limit: 5, closed: false, q: 'x&y=z' } }))
    const url = new URL(sink.seen.at(-1)?.url ?? '', sink.origin)
    expect(url.searchParams.getAll('fields')).toEqual(['a', 'b c'])
    expect([url.searchParams.get('limit'), url.searchParams.get('closed'), url.searchParams.get('q')]).toEqual([
      '5',
      'false',
      'x&y=z',
    ])
    expect(url.searchParams.getAll('key')).toEqual([secrets.apiKey])
    expect(url.searchParams.getAll('token')).toEqual([secrets.token])
  })
  test('a header credential reaches the header only, a body credential the body only', async () => {
    const header = profileFor(sink.origin, {
      auth: { 'key-token': { place: 'header', fields: { Authorization: 'Bearer {token}' } } },
    })
    await wire.exchange(callTo(header))
    expect(sink.seen.at(-1)?.headers.authorization).toBe(`Bearer ${secrets.token}`)
    expect(sink.seen.at(-1)?.url).toBe('/1/cards/x')
    const inBody = profileFor(sink.origin, {
      auth: { 'key-token': { place: 'body', fields: { api_token: '{token}' } } },
    })
    await wire.exchange(callTo(inBody, { method: 'POST', effect: 'create', body: { name: 'n' } }))
    expect(JSON.parse(sink.seen.at(-1)?.body ?? '')).toEqual({ name: 'n', api_token: secrets.token })
    const list = await refusedWith(inBody, { method: 'POST', effect: 'create', body: ['n'] })
    expect(list.code).toBe('invalid_input')
  })
  test('a place that is not shown is wire_unset and named', async () => {
    const missing = await refusedWith(profileFor(sink.origin, { auth: { 'key-token': null } }), {})
    expect(missing.code).toBe('wire_unset')
    expect(missing.message).toContain('wire.test-provider.auth.key-token')
    const noAddress = await refusedWith(profileFor(sink.origin, { baseUrl: null }), {})
    expect(noAddress.code).toBe('wire_unset')
    expect(noAddress.message).toContain('wire.test-provider.baseUrl')
  })
  test('a secret that cannot be a header value is a clean refusal', async () => {
    const header = profileFor(sink.origin, {
      auth: { 'key-token': { place: 'header', fields: { 'x-key': '{apiKey}' } } },
    })
    for (const apiKey of ['a\r\nb: c', 'a\n', '\u20acuro', 'a\u0000b', ' padded']) {
      const failure = await refusedWith(header, {
        account: { key: 'k', tenant: 't', appKey: 'a', type: 'key-token', secrets: { apiKey } },
      })
      expect(failure.code).toBe('invalid_input')
      expect(failure.message).not.toContain(apiKey)
    }
  })
  test('a mark that cannot be a header value is refused', async () => {
    const marked = profileFor(sink.origin, { writeMark: { header: 'x-mark' } })
    expect((await refusedWith(marked, { method: 'POST', effect: 'create', correlationId: 'a\r\nx: y' })).code).toBe(
      'invalid_input',
    )
    await wire.exchange(callTo(marked, { method: 'POST', effect: 'create', correlationId: 'toolyard/1' }))
    expect(sink.seen.at(-1)?.headers['x-mark']).toBe('toolyard/1')
  })
  test('callers have no way to give a header', async () => {
    const sneaky = { headers: { host: 'evil.test', cookie: 'a=b' } } as object
    await wire.exchange(callTo(profile, sneaky))
    expect(sink.seen.at(-1)?.headers.host).toBe(new URL(sink.origin).host)
    expect(sink.seen.at(-1)?.headers.cookie).toBeUndefined()
  })
})

const refusedWith = async (other: typeof profile, over: Parameters<typeof callTo>[1]) => {
  const before = sink.seen.length
  const failure = await failureOf(wire.exchange(callTo(other, over)))
  expect(sink.seen.length).toBe(before)
  return failure
}

describe('values', () => {
  test('a query is a flat map of scalars and lists', async () => {
    for (const query of [
      { a: { b: 1 } },
      { a: null },
      { a: [[1]] },
      { a: Number.NaN },
      { a: Infinity },
      { a: '\ud800' },
      [1],
      'a=b',
    ]) {
      await refused({ query: query as never }, 'invalid_input')
    }
  })
  test('names that reach a prototype are refused', async () => {
    await refused(
      { method: 'POST', effect: 'create', body: JSON.parse('{"__proto__":{"admin":true}}') },
      'invalid_input',
    )
    await refused({ method: 'POST', effect: 'create', body: JSON.parse('[{"a":{"__proto__":1}}]') }, 'invalid_input')
    await refused({ query: JSON.parse('{"__proto__":"x"}') }, 'invalid_input')
    await refused(
      { method: 'POST', effect: 'create', body: JSON.parse('[{"constructor":{"prototype":{"admin":true}}}]') },
      'invalid_input',
    )
    await wire.exchange(
      callTo(profile, { method: 'POST', effect: 'create', body: { constructor: 'Harbour Build Ltd' } }),
    )
  })
  test('a body that is not JSON is refused, also one that would turn into something else', async () => {
    for (const body of [
      { at: new Date(0) },
      { f: () => 1 },
      { n: Number.NaN },
      { b: 1n },
      new Map(),
      { toJSON: () => ({ token: 'x' }) },
    ]) {
      await refused({ method: 'POST', effect: 'create', body: body as never }, 'invalid_input')
    }
    await refused({ method: 'GET', body: { a: 1 } }, 'invalid_input')
  })
  test('too many values, too large, too deep', async () => {
    await refused(
      { method: 'POST', effect: 'create', body: Array.from({ length: 1_000_000 }, () => ({ name: 'n' })) },
      'too_large',
    )
    await refused({ method: 'POST', effect: 'create', body: { name: 'x'.repeat(10_000_000) } }, 'too_large')
    let deep: unknown = 1
    for (let level = 0; level < 10_000; level += 1) deep = [deep]
    await refused({ method: 'POST', effect: 'create', body: deep as never }, 'invalid_input')
    await wire.exchange(callTo(profile, { method: 'POST', effect: 'create', body: [] }))
    expect(sink.seen.at(-1)?.body).toBe('[]')
  })
})

describe('policy', () => {
  const deny = [
    { path: '/1/batch', reason: 'It runs many paths at once.' },
    { path: '/1/webhooks/**', methods: ['POST', 'PUT', 'DELETE'], reason: 'Triggers look after webhooks.' },
    { path: '/1/tokens/**', reason: 'It can cut the connection.' },
  ]
  test('denied paths, however they are written', async () => {
    const policy = { ...open, deny }
    for (const path of ['/1/batch', '/1/batch/', '/1/BATCH', '/1/b%61tch'])
      expect((await refused({ path, policy })).message).toContain('many paths')
    for (const path of ['/1/webhooks', '/1/Webhooks/abc', '/1/webhooks/', '/1/web%68ooks/b'])
      await refused({ path, policy, method: 'POST', effect: 'create' })
    for (const path of ['/1/batch;x=1', '/1/webhooks;a/b']) await refused({ path, policy })
    for (const path of ['/1/tokens/abc', '/1/tokens/abc/webhooks'])
      await refused({ path, policy, method: 'DELETE', effect: 'delete' })
    await wire.exchange(callTo(profile, { path: '/1/webhooks/abc', policy }))
    await wire.exchange(callTo(profile, { path: '/1/batches', policy }))
  })
  test('a narrowed account reaches its own paths only', async () => {
    const policy = { ...open, only: ['/1/boards/b1/**', '/1/cards/*'] }
    for (const path of ['/1/boards/b1', '/1/boards/b1/lists', '/1/cards/c9'])
      await wire.exchange(callTo(profile, { path, policy }))
    for (const path of ['/1/boards/b2', '/1/boards', '/1/Boards/b1', '/1/cards/c9/actions', '/1/members/me'])
      await refused({ path, policy })
  })
  test('with an allowlist only what fits one of its rules is sent, and a refusal still goes first', async () => {
    const allow = [{ path: '/1/repos/*/*/**', methods: ['GET'] }, { path: '/1/user' }]
    const policy = { ...open, allow, deny: [{ path: '/1/repos/*/*/keys/**', reason: 'Keys are for people.' }] }
    for (const path of ['/1/repos/north/harbour', '/1/repos/north/harbour/issues', '/1/user'])
      await wire.exchange(callTo(profile, { path, policy }))
    await wire.exchange(callTo(profile, { path: '/1/user', method: 'POST', effect: 'create', policy }))
    for (const path of ['/1/repos/north', '/1/Repos/north/harbour', '/1/user/keys', '/1/orgs']) {
      expect((await refused({ path, policy })).message).toContain('Allowed: GET /1/repos/*/*/**, /1/user.')
    }
    await refused({ path: '/1/repos/north/harbour/issues', method: 'POST', effect: 'create', policy })
    expect((await refused({ path: '/1/repos/north/harbour/keys/1', policy })).message).toContain('Keys are for people')
    await refused({ path: '/1/user', policy: { ...policy, allow: [] } })
  })
})

test('a preview is the request with its secrets masked, and sends nothing', () => {
  const before = sink.seen.length
  const shown = wire.preview(
    callTo(profile, { method: 'POST', effect: 'create', query: { pos: 'top' }, body: { name: 'n' } }),
  )
  expect(shown).toMatchObject({
    method: 'POST',
    url: `${sink.origin}/1/cards/x?pos=top&key=***&token=***`,
    body: { name: 'n' },
  })
  expect(JSON.stringify(shown)).not.toContain('marker')
  expect(() => wire.preview(callTo(profile, { path: '/2/x' }))).toThrow('must begin with')
  expect(sink.seen.length).toBe(before)
})

test('a redirect is answered, not followed', async () => {
  const other = await listen()
  for (const status of [301, 302, 303, 307, 308]) {
    sink.answer = (_, response) => reply(response, status, '', { location: `${other.origin}/1/cards/x` })
    const before = sink.seen.length
    const got = await wire.exchange(callTo(profile, { method: 'POST', effect: 'create', body: { name: 'n' } }))
    expect(got.status).toBe(status)
    expect(wire.classify(profile, got, 'create')?.code).toBe('rejected')
    expect(sink.seen.length - before).toBe(1)
  }
  sink.answer = (_, response) => reply(response, 200, { ok: true })
  expect(other.connections).toBe(0)
})
