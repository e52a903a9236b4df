import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { defineIntegration, z } from '#kit'
import type { OAuth2Profile } from '#kit'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { checkProfile } from '../../shared/runtime/catalogue/profile.ts'
import { newBrowser } from '../support/oauth-world.ts'
import { startProvider } from '../support/provider.ts'
import { caller } from '../support/world.ts'

/** Accounts that are each at an address of their own, connected by OAuth 2.0. */
type Provider = Awaited<ReturnType<typeof startProvider>>
let shop: Provider
let other: Provider
let answer: Record<string, unknown>
const packs: Pack[] = []
const json = { 'content-type': 'application/json' }
const provider: Parameters<typeof startProvider>[0] = (request, response) =>
  void response.writeHead(200, json).end(JSON.stringify(request.url === '/oauth/token' ? answer : { ok: true }))

beforeAll(async () => {
  shop = await startProvider(provider)
  other = await startProvider(provider)
})
afterAll(async () => {
  await Promise.all(packs.map((pack) => pack.close()))
  await Promise.all([shop.close(), other.close()])
})
beforeEach(() => {
  answer = { access_token: 'token-0123456789', shop_id: 42, shop_name: 'Orchard', bot: 'B7', scope: 'read,write' }
  shop.seen.length = 0
  other.seen.length = 0
})

const text = (title: string) => z.string().meta({ title, description: `${title} of the shop.` })

const open = async (v2: Partial<OAuth2Profile>, pattern: string | null = shop.origin) => {
  const integration = defineIntegration({
    id: 'shops',
    title: 'Shops',
    summary: 'Shops.',
    version: '0.0.1',
    maturity: 'beta',
    connections: [
      {
        id: 'shop',
        scheme: 'oauth2-code',
        title: 'Shop',
        purpose: 'A shop.',
        secrets: z.strictObject({ key: text('Key'), token: text('Token'), address: text('Address') }),
        baseUrl: { from: 'address' },
      },
    ],
    steps: [],
    apiCall: { methods: ['GET'], under: '/', deny: [] },
    wire: {
      profile: 'test',
      baseUrl: null,
      baseUrlPattern: pattern,
      auth: { shop: { place: 'header', fields: { Authorization: 'Bearer {token}' } } },
      oauth: {
        // Decides nothing, since there is one version only.
        version: '2.0',
        v2: {
          authorizeUrl: '{baseUrl}/oauth/authorize',
          tokenUrl: '{baseUrl}/oauth/token',
          scopes: ['read', 'write'],
          scopeSeparator: ',',
          pkce: 'none',
          answer: { tokenType: 'unstated', account: { id: 'shop_id', name: 'shop_name' }, ownIdsAt: ['bot'] },
          ...v2,
        },
      },
      reserved: [],
      pace: { limits: [], concurrency: 4 },
      timeouts: { connectMs: 500, headersMs: 2000, bodyMs: 2000, totalMs: 5000, deadlineMs: 10_000 },
      maxReplyBytes: 100_000,
      errors: [],
      assumed: {},
    },
  })
  const pack = await createPack({
    integrations: [integration],
    publicUrl: 'http://127.0.0.1:8750',
    egress: { privateOrigins: [shop.origin, other.origin] },
  })
  packs.push(pack)
  await pack.apps.put(caller, 'shops', { key: 'client-1', secret: 'secret-marker-0123' })
  const browser = newBrowser()
  const { state } = await pack.connections.authorize(caller, { integration: 'shops' })
  return {
    pack,
    opened: await pack.connect.open(state, browser),
    submit: (fields: Record<string, string>) => pack.connect.submit(state, browser, { leave: 'yes', ...fields }),
    finish: (query = `code=c1&state=${state}`) =>
      pack.connect.finish('shops', browser, new URL(`http://127.0.0.1:8750/v1/oauth/shops/callback?${query}`)),
    call: () =>
      pack.steps.run(caller, { integration: 'shops', step: 'api-call', input: { method: 'GET', path: '/orders' } }),
  }
}

test('whoever connects names the address; the browser, the code and every call go there', async () => {
  const { opened, submit, finish, call, pack } = await open({})
  expect(opened).toMatchObject({
    kind: 'leave',
    leave: { to: shop.origin, address: { name: 'address', title: 'Address', value: '' }, problem: null },
  })
  const left = await submit({ address: `${shop.origin}/` })
  if (left.kind !== 'redirect') throw new Error(JSON.stringify(left))
  expect(left.url.startsWith(`${shop.origin}/oauth/authorize?`)).toBe(true)
  expect(new URL(left.url).searchParams.get('scope')).toBe('read,write')
  expect(await finish()).toMatchObject({
    kind: 'done',
    done: { connection: { account: { id: '42', name: 'Orchard' }, name: 'Orchard' } },
  })
  expect((await call()).ok).toBe(true)
  expect(shop.seen.map(({ url }) => url)).toEqual(['/oauth/token', '/orders'])
  expect(shop.seen[1]!.headers.authorization).toBe('Bearer token-0123456789')
  expect(JSON.stringify(await pack.connections.list(caller))).not.toContain('token-0123456789')
})

test.each([
  ['another host', () => other.origin],
  ['a host behind a user name', () => `${shop.origin}@evil.test`],
  ['a text', () => 'north'],
  ['nothing', () => ''],
])('%s is refused on the page, nothing is sent, and a right one still works', async (_, address) => {
  const { submit, finish } = await open({})
  expect(await submit({ address: address() })).toMatchObject({
    kind: 'leave',
    leave: { address: { value: address() }, problem: { code: 'invalid_input' } },
  })
  expect([shop.seen, other.seen]).toEqual([[], []])
  expect(await submit({ address: shop.origin })).toMatchObject({ kind: 'redirect' })
  expect(await finish()).toMatchObject({ kind: 'done' })
})

test('a form without the address, or with another field, is not of this page', async () => {
  const { submit } = await open({})
  expect(await submit({})).toMatchObject({ refusal: 'mixed-up' })
  expect(await submit({ token: shop.origin })).toMatchObject({ refusal: 'mixed-up' })
})

test('without a pattern the page says that the operator has to set it', async () => {
  expect((await open({}, null)).opened).toMatchObject({ refusal: 'failed', failure: { code: 'wire_unset' } })
})

/** A provider with one login for all, whose answer names the address of the account. */
const central = (): Partial<OAuth2Profile> => ({
  authorizeUrl: `${shop.origin}/oauth/authorize`,
  tokenUrl: `${shop.origin}/oauth/token`,
  answer: { tokenType: 'unstated', account: { id: 'shop_id' }, secretsAt: { address: 'instance_url' } },
})

test('an address in the token answer is used for calls', async () => {
  const { opened, submit, finish, call } = await open(central(), other.origin)
  expect(opened).toMatchObject({ leave: { address: null } })
  expect(await submit({})).toMatchObject({ kind: 'redirect' })
  answer.instance_url = other.origin
  expect(await finish()).toMatchObject({ kind: 'done', done: { connection: { account: { id: '42' } } } })
  expect((await call()).ok).toBe(true)
  expect(other.seen.map(({ url }) => url)).toEqual(['/orders'])
})

test.each([
  ['elsewhere', () => 'https://evil.test', 'not_allowed'],
  ['missing', () => undefined, 'not_allowed'],
])('an address in the token answer that is %s connects nothing', async (_, address, code) => {
  const { pack, submit, finish } = await open(central(), other.origin)
  await submit({})
  answer.instance_url = address()
  expect(await finish()).toMatchObject({ kind: 'refused', failure: { code } })
  expect(await pack.connections.list(caller)).toEqual([])
  expect(other.seen).toEqual([])
})

test('an answer that does not say whose account it is connects nothing', async () => {
  const { submit, finish } = await open({})
  await submit({ address: shop.origin })
  delete answer.shop_id
  expect(await finish()).toMatchObject({ kind: 'refused', failure: { code: 'bad_reply' } })
})

test('a type may differ from the profile in scopes and in where its token stands', async () => {
  const { submit, finish, call } = await open({
    types: { shop: { scopes: ['as-person'], answer: { tokenType: 'unstated', tokenAt: 'person.token' } } },
  })
  const left = await submit({ address: shop.origin })
  expect(left.kind === 'redirect' && new URL(left.url).searchParams.get('scope')).toBe('as-person')
  answer.person = { token: 'token-of-person-01' }
  expect(await finish()).toMatchObject({ kind: 'done' })
  await call()
  expect(shop.seen.at(-1)!.headers.authorization).toBe('Bearer token-of-person-01')
})

test('nothing in a profile continues the name of the host of an account', () => {
  const check = (tokenUrl: string | null) => () => checkProfile('shops', { oauth: { client: { tokenUrl } } }, ['oauth'])
  for (const fits of [null, 'https://id.shops.example/token', '{baseUrl}/token']) expect(check(fits)).not.toThrow()
  for (const unfit of ['{baseUrl}.other.example/token', '{baseUrl}oauth/token', '{baseUrl}', 'https://x.{baseUrl}/'])
    expect(check(unfit), unfit).toThrow(/oauth\.client\.tokenUrl.*is followed by "\/"/)
})
