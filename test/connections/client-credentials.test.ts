import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { defineIntegration, path, z } from '#kit'
import type { ConnectionType, OAuth2ClientProfile } from '#kit'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { startProvider } from '../support/provider.ts'
import { caller } from '../support/world.ts'
import { movableClock } from '../support/clock.ts'

/**
 * OAuth 2.0 client credentials against a strict server: it knows one client, and takes only tokens it gave that have
 * not ended.
 */
const client = { id: 'client-0a1b2c', secret: 'client-secret-marker-77e0' }
const minute = 60_000
const secret = (title: string) =>
  z
    .string()
    .trim()
    .min(1)
    .meta({ title, description: `${title} of the provider.` })

const startServer = async (clock: { now(): number }) => {
  const tokens = new Map<string, number>()
  const state = {
    fetches: 0,
    livesMs: (10 * minute) as number | undefined,
    refuse: false,
    down: 0,
    waits: Promise.resolve(),
    client,
    tokens,
    says: undefined as string | undefined,
  }
  const json = (response: ServerResponse, status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  const isClient = (authorization: string | undefined, form: URLSearchParams) => {
    const [user, password] = authorization?.startsWith('Basic ')
      ? Buffer.from(authorization.slice(6), 'base64').toString().split(':').map(decodeURIComponent)
      : [form.get('client_id'), form.get('client_secret')]
    return user === state.client.id && password === state.client.secret
  }
  const server = await startProvider(async ({ url, method, headers }, response, body) => {
    if (url === '/token') {
      state.fetches += 1
      if (state.down > 0) {
        state.down -= 1
        return void response.destroy()
      }
      const form = new URLSearchParams(body)
      const isForm =
        method === 'POST' && headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true
      if (!isForm || form.get('grant_type') !== 'client_credentials')
        return json(response, 400, { error: 'unsupported_grant_type' })
      if (!isClient(headers.authorization, form) || state.refuse)
        return json(response, 401, { error: 'invalid_client' })
      if (form.get('scope') !== 'read write' || form.get('audience') !== 'api')
        return json(response, 400, { error: 'invalid_scope', error_description: state.says })
      const token = `token-${state.fetches}-marker-5b18`
      tokens.set(token, state.livesMs === undefined ? Infinity : clock.now() + state.livesMs)
      await state.waits
      return json(response, 200, {
        access_token: token,
        token_type: 'Bearer',
        ...(state.livesMs === undefined ? {} : { expires_in: state.livesMs / 1000 }),
      })
    }
    const accessToken = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1]
    if (accessToken === undefined || (tokens.get(accessToken) ?? 0) <= clock.now())
      return json(response, 401, { error: 'invalid_token' })
    json(response, 200, { id: 'me', name: 'A robot', path: url })
  })
  return { ...server, state }
}

type Server = Awaited<ReturnType<typeof startServer>>
const opened: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close()
})

const open = async ({
  type: over = {},
  facts = {},
  options = {},
}: { type?: Partial<ConnectionType>; facts?: Partial<OAuth2ClientProfile>; options?: object } = {}) => {
  const clock = movableClock()
  const server: Server = await startServer(clock)
  const type: ConnectionType = {
    id: 'robot',
    scheme: 'oauth2-client',
    title: 'Client credentials',
    purpose: 'Access without a person.',
    secrets: z.strictObject({ clientId: secret('Client id'), clientSecret: secret('Client secret') }),
    test: { method: 'GET', path: path`/me` },
    identify: (reply) => ({ accountId: (reply as { id: string }).id, accountName: 'A robot' }),
    ...over,
  }
  const keyed: ConnectionType = {
    id: 'person',
    scheme: 'basic',
    title: 'User name and password',
    purpose: 'Access of a person.',
    secrets: z.strictObject({ user: secret('User'), password: secret('Password') }),
  }
  const desk = defineIntegration({
    id: 'desk',
    title: 'Desk',
    summary: 'A desk.',
    version: '0.0.1',
    maturity: 'beta',
    connections: [type, keyed],
    steps: [],
    apiCall: { methods: ['GET', 'POST'], under: '/', deny: [] },
    wire: {
      profile: 'test',
      baseUrl: server.origin,
      auth: {
        robot: { place: 'header', fields: { Authorization: 'Bearer {token}' } },
        person: { place: 'basic', user: '{user}', password: '{password}' },
      },
      reserved: [],
      pace: { limits: [], concurrency: 16 },
      timeouts: { connectMs: 500, headersMs: 2000, bodyMs: 2000, totalMs: 5000, deadlineMs: 10_000 },
      maxReplyBytes: 100_000,
      errors: [{ status: 401, failure: 'not_connected' }],
      oauth: {
        client: {
          tokenUrl: `${server.origin}/token`,
          scopes: ['read', 'write'],
          params: { audience: 'api' },
          ...facts,
        },
      },
      assumed: {},
    },
  })
  const lines: string[] = []
  const pack: Pack = await createPack({
    integrations: [desk],
    clock,
    egress: { privateOrigins: [server.origin] },
    log: (level, event, fields) => void lines.push(JSON.stringify({ level, event, ...fields })),
    ...options,
  })
  opened.push(
    () => server.close(),
    () => pack.close(),
  )
  const create = (secrets: object = { clientId: client.id, clientSecret: client.secret }, more: object = {}) =>
    pack.connections.create(caller, { integration: 'desk', type: 'robot', secrets: { ...secrets }, ...more })
  const call = (more: object = {}) =>
    pack.steps.run(caller, {
      integration: 'desk',
      step: 'api-call',
      input: { method: 'GET', path: '/things' },
      ...more,
    })
  return { pack, server, state: server.state, clock, lines, create, call }
}
const codeOf = (outcome: Awaited<ReturnType<Pack['steps']['run']>>) => (outcome.ok ? 'ok' : outcome.failure.code)

describe('a token of client credentials', () => {
  it('is fetched when connecting, which proves id and secret, and used for requests', async () => {
    const { pack, state, create, call, lines } = await open()
    const made = await create()
    expect(made).toMatchObject({ state: 'connected', account: { id: 'me' }, secrets: { clientId: '…1b2c' } })
    expect(codeOf(await call())).toBe('ok')
    expect(codeOf(await call())).toBe('ok')
    // One for the proof of what was not stored yet, one for the stored connection.
    expect(state.fetches).toBe(2)
    expect(Object.keys((await pack.connections.get(caller, made.id)).secrets)).toEqual(['clientId', 'clientSecret'])
    expect(JSON.stringify(lines)).not.toMatch(/marker/)
  })

  it.each<[string, Partial<OAuth2ClientProfile>]>([
    ['in the body', { clientAuth: 'body' }],
    ['in the Authorization header', { clientAuth: 'basic' }],
  ])('is asked for with id and secret %s', async (_, facts) => {
    const { create, call } = await open({ facts })
    expect((await create()).state).toBe('connected')
    expect(codeOf(await call())).toBe('ok')
  })

  it('that is refused: the words of the provider are one short line without what was sent', async () => {
    const { state, create } = await open({ facts: { scopes: ['other'] } })
    state.says = `no\r\nerror forged ${String.fromCodePoint(27)}[31m line, ${client.secret} ${'x'.repeat(500)}`
    const refused = await create().then(
      () => undefined,
      (thrown: { details: { providerMessage: string } }) => thrown,
    )
    const { providerMessage } = refused!.details
    expect(providerMessage).toMatch(/^invalid_scope: no error forged .* line, \*\*\* x+$/)
    expect(providerMessage).not.toMatch(/\p{Cc}|marker/u)
    expect(providerMessage.length).toBeLessThanOrEqual(200)
  })

  it('is fetched anew before it expires', async () => {
    const { state, clock, create, call } = await open()
    await create()
    await call()
    clock.advance(7 * minute)
    await call()
    expect(state.fetches).toBe(2)
    clock.advance(1.5 * minute)
    expect(codeOf(await call())).toBe('ok')
    expect(state.fetches).toBe(3)
  })

  it('is fetched anew after a 401, and the request is sent again', async () => {
    const { state, create, call } = await open()
    await create()
    await call()
    state.tokens.clear()
    expect(codeOf(await call())).toBe('ok')
    expect(state.fetches).toBe(3)
  })

  it('that names no end is used until it is refused', async () => {
    const { state, clock, create, call } = await open()
    state.livesMs = undefined
    await create()
    await call()
    clock.advance(365 * 24 * 60 * minute)
    expect(codeOf(await call())).toBe('ok')
    expect(state.fetches).toBe(2)
  })

  it('is fetched once, however many calls wait for it', async () => {
    const { state, create, call } = await open()
    await create()
    let release = () => {}
    state.waits = new Promise((resolve) => (release = resolve))
    const calls = Array.from({ length: 20 }, () => call())
    await new Promise((resolve) => setTimeout(resolve, 50))
    release()
    expect((await Promise.all(calls)).map(codeOf)).toEqual(Array.from({ length: 20 }, () => 'ok'))
    expect(state.fetches).toBe(2)
  })

  it('whose answer is lost is asked for again at once', async () => {
    const { state, create, call } = await open()
    await create()
    state.down = 1
    expect(codeOf(await call())).toBe('ok')
    expect(state.fetches).toBe(3)
  })

  it('that cannot be fetched leaves the connection as it was, and nothing is sent', async () => {
    const { pack, server, state, create, call } = await open()
    const { id } = await create()
    const before = server.seen.filter(({ url }) => url !== '/token').length
    state.down = 2
    expect(codeOf(await call())).toBe('unreachable')
    expect(server.seen.filter(({ url }) => url !== '/token').length).toBe(before)
    expect((await pack.connections.get(caller, id)).state).toBe('connected')
    expect(codeOf(await call())).toBe('ok')
  })

  it('that cannot be renewed in time is used for as long as it works', async () => {
    const { state, clock, create, call, lines } = await open()
    await create()
    await call()
    clock.advance(9 * minute)
    state.down = 2
    expect(codeOf(await call())).toBe('ok')
    expect(lines.filter((line) => line.includes('connection.refresh_failed'))).toHaveLength(1)
    clock.advance(minute)
    expect(codeOf(await call())).toBe('ok')
  })

  it('sends nothing in a dry run', async () => {
    const { server, create, call } = await open()
    await create()
    const before = server.seen.length
    const outcome = await call({ dryRun: true })
    expect(outcome).toMatchObject({ ok: true, value: { requests: [{ headers: { authorization: '***' } }] } })
    expect(server.seen.length).toBe(before)
  })
})

describe('a client that the provider does not accept', () => {
  it('is not connected, and the secret is not in the message', async () => {
    const { pack, create } = await open()
    const failed = await create({ clientId: client.id, clientSecret: 'another-secret-marker' }).catch(
      (error: unknown) => error as Error,
    )
    expect(failed).toMatchObject({
      code: 'not_connected',
      message: /The provider refused this Client credentials \(it answered 401\)\. Nothing was stored\./,
    })
    expect(JSON.stringify(failed)).not.toContain('marker')
    expect(await pack.connections.list(caller)).toEqual([])
  })

  it('any more needs a reconnect, and is not asked for again until then', async () => {
    const { pack, state, create, call } = await open()
    const { id } = await create()
    state.refuse = true
    state.tokens.clear()
    expect(codeOf(await call())).toBe('not_connected')
    expect((await pack.connections.get(caller, id)).state).toBe('needs_reconnect')
    const { fetches } = state
    expect(codeOf(await call())).toBe('not_connected')
    expect(state.fetches).toBe(fetches)
    state.refuse = false
    await pack.connections.patch(caller, id, { secrets: { clientId: client.id, clientSecret: client.secret } })
    expect(codeOf(await call())).toBe('ok')
  })

  it('without a free request is proven by the token alone', async () => {
    const { pack, state, create, call } = await open({ type: { test: undefined, identify: undefined } as never })
    const made = await create()
    expect(made).toMatchObject({ state: 'connected', stateReason: null })
    state.refuse = true
    expect(codeOf(await call())).toBe('not_connected')
    expect((await pack.connections.get(caller, made.id)).state).toBe('needs_reconnect')
  })
})

describe('the client of the app', () => {
  const type = { secrets: z.strictObject({}) }

  it('is used where the type has no secrets of its own, and its change is followed', async () => {
    const { pack, state, create, call } = await open({ type })
    await expect(create({})).rejects.toMatchObject({ code: 'not_connected', message: /PUT \/v1\/apps\/desk/ })
    await pack.apps.put(caller, 'desk', { key: client.id, clientSecret: client.secret })
    await create({})
    expect(codeOf(await call())).toBe('ok')
    state.client = { id: client.id, secret: 'a-new-secret-of-the-app' }
    state.tokens.clear()
    await pack.apps.put(caller, 'desk', { key: client.id, clientSecret: 'a-new-secret-of-the-app' })
    expect(codeOf(await call())).toBe('ok')
  })

  it('that is wrong is the operator’s to correct', async () => {
    const { pack, create } = await open({ type })
    await pack.apps.put(caller, 'desk', { key: client.id, clientSecret: 'wrong-secret-0123' })
    await expect(create({})).rejects.toMatchObject({
      code: 'rejected',
      message: /operator checks client id and secret/,
    })
  })
})

it('secrets of a platform’s own vault are read again with every fetch', async () => {
  let held = { clientId: client.id, clientSecret: client.secret }
  const { state, create, call } = await open({ options: { credentials: { resolve: async () => held } } })
  await create(undefined, { secrets: undefined, externalId: 'vault/1' })
  expect(codeOf(await call())).toBe('ok')
  state.client = { id: client.id, secret: 'rotated-secret-0123' }
  held = { clientId: client.id, clientSecret: 'rotated-secret-0123' }
  state.tokens.clear()
  expect(codeOf(await call())).toBe('ok')
})

it('two types of one integration use different schemes', async () => {
  const { pack, server, create, call } = await open()
  await create()
  const { id } = await pack.connections.create(caller, {
    integration: 'desk',
    type: 'person',
    name: 'Ann',
    secrets: { user: 'ann', password: 'päss word' },
  })
  const before = server.seen.length
  const outcome = await call({ connection: id })
  expect(codeOf(outcome)).toBe('ok')
  expect(outcome).toMatchObject({ value: { status: 401 } })
  expect(server.seen.length).toBe(before + 1)
  expect(codeOf(await call())).toBe('ok')
})
