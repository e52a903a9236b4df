import Fastify from 'fastify'
import { createHmac } from 'node:crypto'
import { decodeJwt, exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose'
import type { JWTPayload } from 'jose'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toolyard } from '../../shared/faces/http/plugin.ts'
import { fail } from '#kit'
import { createJwtAuthenticator } from '../../shared/runtime/admin/operator-jwt.ts'
import { startProvider } from '../support/provider.ts'
import { movableClock } from '../support/clock.ts'
import { openOAuthWorld, serve } from '../support/oauth-world.ts'
import type { OAuthWorld } from '../support/oauth-world.ts'

const issuer = 'https://id.example'
type Keys = Awaited<ReturnType<typeof generateKeyPair>>
let world: OAuthWorld
let server: Awaited<ReturnType<typeof serve>>
let identities: Awaited<ReturnType<typeof startProvider>>
let clock: ReturnType<typeof movableClock>
let keys: Record<string, Keys>
let isAway = false

const newKeys = () => generateKeyPair('ES256', { extractable: true })
const jwks = async () => ({
  keys: await Promise.all(
    Object.entries(keys).map(async ([kid, { publicKey }]) => ({ ...(await exportJWK(publicKey)), kid, alg: 'ES256' })),
  ),
})

beforeEach(async () => {
  isAway = false
  keys = { one: await newKeys() }
  identities = await startProvider(async (_, response) => {
    if (isAway) return response.writeHead(503).end()
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(await jwks()))
  })
  clock = movableClock()
  world = await openOAuthWorld({
    clock,
    egress: { ownOrigins: [identities.origin] },
    jwt: { issuer, audience: 'toolyard', jwksUrl: `${identities.origin}/keys` },
  })
  await world.pack.tenants.create({ id: 'blue', name: 'Blue' })
  server = await serve(world)
})
afterEach(async () => {
  await server.close()
  await world.close()
  await identities.close()
})

type Wanted = {
  claims?: JWTPayload
  kid?: string
  by?: Keys
  seconds?: number | null
  audience?: string
  from?: string
  subject?: string
}
const sign = async ({
  claims = { tenant: 'default', scope: 'read run' },
  kid = 'one',
  by = keys[kid]!,
  seconds = 600,
  audience = 'toolyard',
  from = issuer,
  subject = 'ada',
}: Wanted = {}) => {
  const made = new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', kid })
    .setIssuer(from)
    .setAudience(audience)
    .setSubject(subject)
  return (seconds === null ? made : made.setExpirationTime(Math.floor(clock.now() / 1000) + seconds)).sign(
    by.privateKey,
  )
}
const ask = (token: string, path = '/v1/runs', init: RequestInit = {}) =>
  fetch(server.origin + path, {
    ...init,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'x-request-id': 'same' },
  })
const run = (token: string, step: string, body: object = { input: {} }) =>
  ask(token, `/v1/steps/work-board/${step}/run`, { method: 'POST', body: JSON.stringify(body) })

it('the protected-resource metadata names the identity provider, also where the pack is mounted in a host application', async () => {
  for (const path of ['', '/mcp', '/mcp/work-board']) {
    const reply = await fetch(`${server.origin}/.well-known/oauth-protected-resource${path}`)
    expect(await reply.json()).toMatchObject({
      resource: `${server.origin}${path === '' ? '/mcp' : path}`,
      authorization_servers: [issuer],
    })
  }
  const host = Fastify()
  await host.register(toolyard, { prefix: '/tools', pack: world.pack })
  const origin = await host.listen({ host: '127.0.0.1', port: 0 })
  const reply = await fetch(`${origin}/tools/.well-known/oauth-protected-resource/mcp`)
  expect(await reply.json()).toMatchObject({ resource: `${origin}/tools/mcp`, authorization_servers: [issuer] })
  const document = await fetch(`${origin}/tools/openapi.json`, {
    headers: { authorization: `Bearer ${(await world.pack.tokens.create('default', { name: 'x' })).text}` },
  })
  expect(((await document.json()) as { servers: object[] }).servers).toEqual([{ url: `${origin}/tools` }])
  await host.close()
})

const people = { note: () => {}, isKnown: async () => true }

describe('tokens of the operator’s identity provider', () => {
  it('are taken for the tenant and scopes they name, and written down with who it was', async () => {
    const blue = await sign({ claims: { tenant: 'blue', scope: 'read connections' } })
    expect((await ask(blue)).status).toBe(200)
    expect((await run(blue, 'get-boards')).status).toBe(403)
    const { key, token } = world.sandbox.board.credentials
    const made = await ask(blue, '/v1/connections', {
      method: 'POST',
      body: JSON.stringify({ integration: 'work-board', type: 'key-token', secrets: { key, token } }),
    })
    expect(made.status).toBe(201)
    expect((await world.pack.connections.list({ tenant: 'blue' })).map(({ id }) => id)).toEqual([
      ((await made.json()) as { id: string }).id,
    ])
    expect(await world.pack.connections.list({ tenant: 'default' })).toEqual([])
    expect(
      (await world.pack.audit.list('blue', { limit: 9 }, { actor: 'jwt:ada' })).items.map(
        ({ path, outcome }) => `${path} ${outcome}`,
      ),
    ).toContain('connections.create ok')
  })

  it('bind to steps and accounts; the operator’s scope counts in the operator’s tenant only', async () => {
    const { key, token } = world.sandbox.board.credentials
    const made = await world.pack.connections.create(
      { tenant: 'default' },
      { integration: 'work-board', type: 'key-token', name: 'One', secrets: { key, token } },
    )
    await world.pack.connections.create(
      { tenant: 'default' },
      { integration: 'work-board', type: 'key-token', name: 'Two', secrets: { key, token } },
    )
    const bound = await sign({
      claims: { tenant: 'default', scope: ['run', 'read'], steps: 'work-board/get-boards', connections: [made.id] },
    })
    expect((await run(bound, 'get-boards')).status).toBe(200)
    expect((await run(bound, 'get-boards', { input: {}, connection: 'Two' })).status).toBe(404)
    expect((await run(bound, 'create-list', { input: { idBoard: 'abcdefgh', name: 'x' } })).status).toBe(403)
    expect(
      (await ask(await sign({ claims: { tenant: 'blue', scope: 'admin read' } }), '/v1/admin/tenants')).status,
    ).toBe(403)
    expect((await ask(await sign({ claims: { tenant: 'default', scope: 'admin' } }), '/v1/admin/tenants')).status).toBe(
      200,
    )
    expect((await ask(await sign({ claims: { tenant: 'default', scope: 'everything' } }))).status).toBe(403)
    expect((await ask(await sign({ claims: { tenant: 'default' } }))).status).toBe(403)
  })

  it('made for a path of MCP are taken, and reach what that path reaches', async () => {
    const claims = { tenant: 'default', scope: 'read run admin' }
    // The public address of the pack.
    const resourceOf = (path: string) => `http://127.0.0.1:8750${path}`
    const listTools = async (token: string, path: string) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      }
      return (await fetch(server.origin + path, { method: 'POST', body, headers })).status
    }
    const whole = await sign({ claims, audience: resourceOf('/mcp') })
    const part = await sign({ claims, audience: resourceOf('/mcp/work-board') })
    for (const [token, path] of [
      [whole, '/mcp'],
      [whole, '/mcp/anz-data'],
      [part, '/mcp/work-board'],
    ] as const)
      expect(await listTools(token, path), path).not.toBe(401)
    // Without an account: the refusal of the step itself, or of the token.
    const lookUp = (token: string) =>
      ask(token, '/v1/steps/anz-data/company-enrichment/run', {
        method: 'POST',
        body: JSON.stringify({ input: { domain: 'a.example' } }),
      })
    expect((await run(part, 'get-boards')).status).toBe(424)
    expect([(await lookUp(whole)).status, (await lookUp(part)).status]).toEqual([424, 403])
    for (const token of [whole, part]) expect((await ask(token, '/v1/admin/tenants')).status).toBe(403)
    expect((await ask(await sign({ claims, audience: resourceOf('/mcp/none') }))).status).toBe(401)
    expect((await ask(await sign({ claims, audience: 'http://elsewhere.example/mcp' }))).status).toBe(401)
  })

  it('renewed, go on with a session of MCP', async () => {
    const post = async (token: string, message: object, session?: string) =>
      fetch(`${server.origin}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(session === undefined ? {} : { 'mcp-session-id': session }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      })
    const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    const began = await post(await sign(), { id: 1, method: 'initialize', params: hello })
    const session = began.headers.get('mcp-session-id')!
    await began.text()
    expect(session).toBeTruthy()
    const list = { id: 2, method: 'tools/list' }
    // Whoever else names it is served without it.
    const served = async (token: string) => (await post(token, list, session)).headers.get('mcp-session-id')
    expect(await served(await sign({ seconds: 900 }))).toBe(session)
    expect(await served(await sign({ seconds: 900, subject: 'ben' }))).toBeNull()
  })

  it('those made for somebody else, by somebody else, too old, without an end, unsigned, or signed with what is public are refused alike', async () => {
    const pem = await exportSPKI(keys['one']!.publicKey)
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const payload = part({
      tenant: 'default',
      scope: 'read',
      iss: issuer,
      aud: 'toolyard',
      sub: 'ada',
      exp: Math.floor(Date.now() / 1000) + 600,
    })
    const confused = `${part({ alg: 'HS256', kid: 'one' })}.${payload}`
    const good = await sign()
    const wrong: Record<string, string> = {
      'for another audience': await sign({ audience: 'vendor.example' }),
      'of another issuer': await sign({ from: 'https://other.example' }),
      'too old': await sign({ seconds: -31 }),
      'without an end': await sign({ seconds: null }),
      'of an unknown key': await sign({ kid: 'two', by: await newKeys() }),
      'of another key under a known name': await sign({ by: await newKeys() }),
      'for a tenant that is not there': await sign({ claims: { tenant: 'nobody', scope: 'read' } }),
      'for no tenant': await sign({ claims: { scope: 'read' } }),
      unsigned: `${part({ alg: 'none' })}.${payload}.`,
      'signed with the public key': `${confused}.${createHmac('sha256', pem).update(confused).digest('base64url')}`,
      'changed after it was signed': `${good.split('.')[0]}.${part({ tenant: 'default', scope: 'admin', iss: issuer, aud: 'toolyard', exp: 9_999_999_999 })}.${good.split('.')[2]}`,
      'no token at all': 'a.b.c',
    }
    expect((await ask(good)).status).toBe(200)
    const bodies = new Set<string>()
    for (const [name, token] of Object.entries(wrong)) {
      const reply = await ask(token)
      expect([name, reply.status]).toEqual([name, 401])
      bodies.add(await reply.text())
    }
    expect(bodies.size).toBe(1)
  })

  it('keys may be exchanged: a new one is looked up, at most every half minute; known ones go on while their source is away', async () => {
    const old = await sign()
    expect((await ask(old)).status).toBe(200)
    keys['two'] = await newKeys()
    const early = await sign({ kid: 'two' })
    expect((await ask(early)).status).toBe(401)
    for (let n = 0; n < 5; n += 1) await ask(early)
    expect(identities.seen).toHaveLength(1)
    clock.advance(30_000)
    expect((await ask(await sign({ kid: 'two' }))).status).toBe(200)
    expect(identities.seen).toHaveLength(2)
    isAway = true
    clock.advance(600_000)
    expect((await ask(await sign())).status).toBe(200)
    await expect.poll(() => world.events('jwt.keys_not_read').length).toBeGreaterThan(0)
    isAway = false
    delete keys['one']
    const gone = await sign({ by: (keys['one'] = await newKeys()) })
    delete keys['one']
    clock.advance(600_000)
    expect((await ask(gone)).status).toBe(401)
  })

  it('while the keys were never read, nothing is let in, and it is said why', async () => {
    isAway = true
    const reply = await ask(await sign())
    expect([reply.status, ((await reply.json()) as { detail: string }).detail]).toEqual([
      503,
      expect.stringContaining('key set'),
    ])
    isAway = false
    expect((await ask(await sign())).status).toBe(200)
  })
})

describe('a claim that is not what it should be', () => {
  const wrong: [string, JWTPayload][] = [
    ['connections as a number', { connections: 7 }],
    ['connections as an object', { connections: { id: 'con_1' } }],
    ['connections as a list of numbers', { connections: [1, 2] }],
    ['connections as null', { connections: null }],
    ['steps as a number', { steps: 7 }],
    ['steps as a list of objects', { steps: [{}] }],
    ['scope as an object', { scope: { run: true } }],
    ['tenant as a list', { tenant: ['default'] }],
  ]
  it.each(wrong)('%s: refused, and the log says which claim and why', async (what, claims) => {
    const reply = await ask(await sign({ claims: { tenant: 'default', scope: 'read run', ...claims } }))
    expect(reply.status).toBe(401)
    expect(world.events('jwt.refused')).toMatchObject([
      { code: 'wrong_claim', claim: what.split(' ')[0], reason: expect.any(String) },
    ])
  })

  it('a token of another issuer, for another audience or for an unknown tenant: the log says which', async () => {
    for (const token of [
      await sign({ from: 'https://other.example' }),
      await sign({ audience: 'vendor.example' }),
      await sign({ claims: { tenant: 'nobody' } }),
    ])
      expect((await ask(token)).status).toBe(401)
    expect(world.events('jwt.refused').map(({ claim }) => claim)).toEqual(['iss', 'aud', 'tenant'])
  })
})

describe('a claim for the person', () => {
  const openFor = async (firstUse: { tenants?: boolean; people?: boolean }, claim = 'sub') =>
    openOAuthWorld({
      clock,
      sandbox: world.sandbox,
      egress: { ownOrigins: [identities.origin] },
      jwt: {
        issuer,
        audience: 'toolyard',
        jwksUrl: `${identities.origin}/keys`,
        claims: { person: claim },
        firstUse,
      },
    })
  const refusedClaims = ({ events }: OAuthWorld) => events('jwt.refused').map(({ claim, code }) => [code, claim])
  const signFor = (subject: string, tenant = 'default') =>
    sign({ subject, claims: { tenant, scope: 'read run connections' } })

  it('binds the token to that person, whom no field of a call replaces', async () => {
    const own = await openFor({ people: true })
    const { key, token } = own.sandbox.board.credentials
    for (const person of ['ada', 'ben'])
      await own.connect('work-board', { name: person, person, secrets: { key, token } })
    const ada = await own.pack.tokens.authenticate(await signFor('ada'))
    expect(ada).toMatchObject({ tenant: 'default', token: 'jwt:ada', person: 'ada' })
    expect((await own.pack.connections.list(ada)).map(({ name }) => name)).toEqual(['ada'])
    const outcome = await own.run('work-board/get-boards', {}, {}, ada)
    expect(outcome.ok && outcome.meta.connection?.name).toBe('ada')
    expect(await own.run('work-board/get-boards', {}, { person: 'ben' }, ada)).toMatchObject({
      failure: { code: 'not_allowed' },
    })
    expect(await own.run('work-board/get-boards', {}, { connection: 'ben' }, ada)).toMatchObject({
      failure: { code: 'not_found' },
    })
  })

  it('that is missing, or no id, is refused: such a token would act for nobody', async () => {
    const own = await openFor({ people: true }, 'user')
    for (const user of [undefined, '', 7, ['ada'], 'x'.repeat(257), 'a\nb']) {
      const claims = { tenant: 'default', scope: 'read', ...(user === undefined ? {} : { user }) }
      await expect(own.pack.tokens.authenticate(await sign({ claims }))).rejects.toMatchObject({
        code: 'unauthenticated',
      })
    }
    expect(refusedClaims(own)).toEqual(Array.from({ length: 6 }, () => ['wrong_claim', 'user']))
  })

  it('of somebody unknown is refused, unless people are made on first use', async () => {
    const strict = await openFor({})
    const unknown = await signFor('ada')
    await expect(strict.pack.tokens.authenticate(unknown)).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(refusedClaims(strict)).toEqual([['unknown_person', 'sub']])
    // Whoever has an account, or a token, is known.
    await strict.pack.tokens.create('default', { name: 'Ada', person: 'ada' })
    await expect
      .poll(() => strict.pack.tokens.authenticate(unknown).catch(() => undefined))
      .toMatchObject({ person: 'ada' })
    // A person of another tenant is somebody else.
    await strict.pack.tenants.create({ id: 'blue', name: 'Blue' })
    await expect(strict.pack.tokens.authenticate(await signFor('ada', 'blue'))).rejects.toMatchObject({
      code: 'unauthenticated',
    })

    const open = await openFor({ people: true })
    await open.pack.tokens.authenticate(unknown)
    await expect
      .poll(async () => (await open.pack.people.list({ tenant: 'default' }, { limit: 9 })).items.map(({ id }) => id))
      .toEqual(['ada'])
  })

  it('a tenant is made on first use where that is allowed, and only with an id that a tenant may have', async () => {
    const own = await openFor({ tenants: true, people: true })
    // At once, as the requests of a page are.
    const tokens = await Promise.all(['ada', 'ben', 'cem'].map((subject) => signFor(subject, 'green')))
    const callers = await Promise.all(tokens.map((token) => own.pack.tokens.authenticate(token)))
    expect(callers).toMatchObject(['ada', 'ben', 'cem'].map((person) => ({ tenant: 'green', person })))
    for (const tenant of ['../green', '', 'Green', 'x'.repeat(65)])
      await expect(own.pack.tokens.authenticate(await signFor('ada', tenant))).rejects.toMatchObject({
        code: 'unauthenticated',
      })
    expect((await own.pack.tenants.list()).map(({ id }) => id).toSorted()).toEqual(['default', 'green'])
    expect((await own.pack.audit.list('green', { limit: 9 })).items.map(({ path }) => path)).toContain('tenants.create')
  })
})

describe('an identity provider that hangs', () => {
  /** Requests of the key set that nobody answers. */
  const hang = () => {
    const requestedAddresses: string[] = []
    const { promise, reject } = Promise.withResolvers<never>()
    promise.catch(() => undefined)
    return {
      asked: requestedAddresses,
      end: () => reject(fail('unreachable', 'gone')),
      getJson: (address: string) => (requestedAddresses.push(address), promise),
    }
  }
  /** Sleeps end only when the time is moved on. */
  const stillClock = () => {
    let now = 0
    const waiting: { at: number; done(): void }[] = []
    return {
      now: () => Date.now(),
      monotonic: () => now,
      sleep: (ms: number, signal?: AbortSignal) =>
        new Promise<void>((done, cut) => {
          waiting.push({ at: now + ms, done })
          signal?.addEventListener('abort', () => cut(new Error('aborted')))
        }),
      advance(ms: number) {
        now += ms
        for (const { done } of waiting.filter(({ at }) => at <= now)) done()
      },
    }
  }

  it('with old keys no request waits and one read is under way; only an unknown key waits, and not for long', async () => {
    const still = stillClock()
    const away = hang()
    const set = await jwks()
    let source: { getJson(address: string): Promise<never> } = {
      getJson: async () => ({ status: 200, body: set }) as never,
    }
    const store = { tenants: { get: async (id: string) => ({ id, name: id, createdAt: 0 }) } } as never
    const settings = {
      issuer,
      audience: 'toolyard',
      jwksUrl: 'https://id.example/keys',
      claims: { tenant: 'tenant', scopes: 'scope', steps: 'steps', connections: 'connections' },
      firstUse: { tenants: false, people: false },
    }
    const unauthenticated = { getJson: (address: string) => source.getJson(address) }
    const authenticate = createJwtAuthenticator({
      resources: () => new Map(),
      settings,
      unauthenticated,
      store,
      addTenant: async () => {},
      people,
      clock: still,
      log: () => {},
    })
    const jwt = await sign()
    const ends = (decodeJwt(jwt).exp ?? 0) * 1_000
    expect(await authenticate(jwt)).toMatchObject({ tenant: 'default', token: 'jwt:ada', expiresAt: ends })
    // Names that look alike once they are plain are of two people: what one makes is not the other's.
    const tokens = await Promise.all(
      ['Ädä', 'Ödö', '?d?'].map(async (subject) => (await authenticate(await sign({ subject }))).token),
    )
    expect(new Set(tokens).size).toBe(3)
    source = away
    still.advance(600_000)
    for (let n = 0; n < 5; n += 1) expect(await authenticate(jwt)).toMatchObject({ tenant: 'default' })
    expect(away.asked).toHaveLength(1)
    const unknown = authenticate(await sign({ kid: 'two', by: await newKeys() })).catch((error: unknown) => error)
    await new Promise((done) => setImmediate(done))
    still.advance(3_000)
    expect(await unknown).toMatchObject({ code: 'unauthenticated' })
    // It failed: it is not asked at once by the next one.
    away.end()
    await new Promise((done) => setImmediate(done))
    expect(await authenticate(jwt)).toMatchObject({ tenant: 'default' })
    expect(away.asked).toHaveLength(1)
  })

  it('while the keys were never read, a request waits for seconds, not for as long as the provider hangs', async () => {
    const still = stillClock()
    const settings = {
      issuer,
      audience: 'toolyard',
      jwksUrl: 'https://id.example/keys',
      claims: { tenant: 'tenant', scopes: 'scope', steps: 'steps', connections: 'connections' },
      firstUse: { tenants: false, people: false },
    }
    const authenticate = createJwtAuthenticator({
      resources: () => new Map(),
      settings,
      unauthenticated: hang(),
      store: {} as never,
      addTenant: async () => {},
      people,
      clock: still,
      log: () => {},
    })
    const waiting = authenticate(await sign()).catch((error: unknown) => error)
    await new Promise((done) => setImmediate(done))
    still.advance(3_000)
    expect(await waiting).toMatchObject({ code: 'unavailable' })
  })
})

describe('an address that cannot serve is found before the first token comes', () => {
  const packWith = (jwksUrl: string) =>
    openOAuthWorld({
      clock,
      sandbox: world.sandbox,
      egress: { ownOrigins: [identities.origin] },
      jwt: { issuer, audience: 'toolyard', jwksUrl },
    })

  it.each([
    ['no address', 'id.example/keys'],
    ['another scheme', 'file:///etc/keys.json'],
    ['an empty one', ''],
  ])('%s: the pack does not open', async (_, jwksUrl) => {
    await expect(packWith(jwksUrl)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('jwksUrl'),
    })
  })

  it('one that leads to something else: the start is refused, naming the setting', async () => {
    const page = await startProvider((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"issuer":"x"}'),
    )
    const other = await openOAuthWorld({
      sandbox: world.sandbox,
      egress: { ownOrigins: [page.origin] },
      jwt: { issuer, audience: 'toolyard', jwksUrl: `${page.origin}/` },
    })
    await expect(other.pack.start()).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(/jwksUrl.*TOOLYARD_JWT.*no key set/),
    })
    await other.pack.close()
    await page.close()
  })

  it('one that does not answer: the start goes on and the log says it loudly', async () => {
    isAway = true
    const other = await packWith(`${identities.origin}/keys`)
    await other.pack.start()
    expect(other.events('jwt.provider_away')).toMatchObject([
      { level: 'error', address: `${identities.origin}/keys`, reason: expect.stringContaining('503') },
    ])
    await other.pack.close()
  })
})
