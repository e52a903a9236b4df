import { createHmac } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import type { AuthPlacement } from '#kit'
import { account, callTo, failureOf, listen, profileFor, reply, wireTo } from './setup.ts'
import type { Sink } from './setup.ts'

let sink: Sink
beforeAll(async () => {
  sink = await listen()
})
const callWith = (placement: AuthPlacement, over: object = {}, of: object = {}) =>
  callTo(profileFor(sink.origin, { auth: { mine: placement } }), { account: account({ type: 'mine', ...of }), ...over })

describe('Basic authentication', () => {
  const placement: AuthPlacement = { place: 'basic', user: '{user}', password: '{password}' }
  const with_ = (user: string, password: string) => ({ secrets: { user, password } })

  it.each([
    ['the example of RFC 7617', 'Aladdin', 'open sesame', 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=='],
    ['the UTF-8 example of RFC 7617', 'test', '123£', 'Basic dGVzdDoxMjPCow=='],
    ['a password with a colon', 'user', 'a:b', `Basic ${Buffer.from('user:a:b').toString('base64')}`],
  ])('%s', async (_, user, password, expectedHeader) => {
    await wireTo([sink.origin]).exchange(callWith(placement, {}, with_(user, password)))
    expect(sink.seen.at(-1)!.headers.authorization).toBe(expectedHeader)
  })

  it('allows a password that the profile fixes, also an empty one', async () => {
    await wireTo([sink.origin]).exchange(
      callWith({ place: 'basic', user: '{user}', password: '' }, {}, with_('key-0123456789', 'x')),
    )
    expect(sink.seen.at(-1)!.headers.authorization).toBe(`Basic ${Buffer.from('key-0123456789:').toString('base64')}`)
  })

  it.each([
    ['a colon in the user name', 'us:er', 'password'],
    ['a line end', 'user', 'pass\nword'],
    ['no password', 'user', ''],
  ])('refuses %s before anything is sent, and does not repeat it', async (_, user, password) => {
    const before = sink.seen.length
    const failure = await failureOf(wireTo([sink.origin]).exchange(callWith(placement, {}, with_(user, password))))
    expect(failure.code).toBe('not_connected')
    expect(failure.message).not.toContain(user === 'us:er' ? 'us:er' : 'pass\n')
    expect(sink.seen.length).toBe(before)
  })

  it('shows neither part in a dry run and takes every form out of a reply', async () => {
    const of = with_('marker-user-5521', 'marker-pass-8842')
    const preview = wireTo([sink.origin]).preview(callWith(placement, {}, of))
    expect(preview.headers.authorization).toBe('***')
    sink.answer = (request, response) =>
      reply(response, 200, { echo: request.headers.authorization, plain: 'marker-pass-8842' })
    const { body } = await wireTo([sink.origin]).exchange(callWith(placement, {}, of))
    const encoded = Buffer.from('marker-user-5521:marker-pass-8842').toString('base64')
    expect(JSON.stringify(body)).not.toContain('marker-pass')
    expect(JSON.stringify(body)).not.toContain(encoded.slice(-20))
  })

  it('refuses a caller who sets the header name as a parameter', async () => {
    const call = callWith(placement, { query: { Authorization: 'x' } }, with_('user', 'password'))
    expect((await failureOf(wireTo([sink.origin]).exchange(call))).code).toBe('not_allowed')
  })
})

describe('OAuth 1.0a, every request signed', () => {
  const secrets = { token: 'tk-6f1c2ab94d', tokenSecret: 'ts-marker-77e0c3d9' }
  const app = { key: 'ck-0a1b2c3d', secret: 'cs-marker-5b18aa02' }
  const byApp: AuthPlacement = { place: 'oauth1', token: { key: '{token}', secret: '{tokenSecret}' } }
  const percent = (text: string) =>
    encodeURIComponent(text).replace(/[!*'()]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  const used = new Set<string>()

  /**
   * A strict server: computes the signature of RFC 5849 section 3.4 by itself, takes each nonce once and no old
   * timestamp.
   */
  const strict =
    (consumerSecret: string, tokenSecret: string, now: () => number): Sink['answer'] =>
    (request, response) => {
      const header = request.headers.authorization ?? ''
      const authorizationFields = Object.fromEntries(
        [...header.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name!, decodeURIComponent(value!)]),
      )
      const {
        oauth_signature: signature = '',
        oauth_nonce: nonce = '',
        oauth_timestamp: at = '0',
      } = authorizationFields
      const url = new URL(request.url ?? '', sink.origin)
      const form =
        request.headers['content-type'] === 'application/x-www-form-urlencoded'
          ? new URLSearchParams(sink.seen.at(-1)!.body)
          : []
      const pairs = [
        ...url.searchParams,
        ...form,
        ...Object.entries(authorizationFields).filter(([name]) => name !== 'oauth_signature'),
      ]
        .map(([name, value]) => [percent(name), percent(value)] as const)
        .toSorted(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1))
      const base = [
        request.method!,
        percent(url.origin + url.pathname),
        percent(pairs.map((pair) => pair.join('=')).join('&')),
      ].join('&')
      const expectedSignature = createHmac('sha1', `${percent(consumerSecret)}&${percent(tokenSecret)}`)
        .update(base)
        .digest('base64')
      const isFresh = !used.has(nonce) && Math.abs(Number(at) * 1000 - now()) < 5 * 60_000
      used.add(nonce)
      const isFine =
        header.startsWith('OAuth ') &&
        authorizationFields.oauth_signature_method === 'HMAC-SHA1' &&
        signature === expectedSignature &&
        isFresh
      reply(response, isFine ? 200 : 401, { fine: isFine, nonce })
    }
  const fresh = () => strict(app.secret, secrets.tokenSecret, Date.now)
  const ask = async (over: object = {}, placement = byApp, of: object = { secrets, app }) =>
    wireTo([sink.origin]).exchange(callWith(placement, over, of))

  it.each([
    ['a plain GET', {}],
    ['parameters in any order', { query: { b: '2', a: '1', ab: '3' } }],
    ['signs that are encoded', { query: { q: "a b&c=d/é!*'()", 'n[]': 'x+y' } }],
    ['a name given several times', { query: { id: ['9', '10', '2'] } }],
    ['an empty value', { query: { empty: '' } }],
    ['a JSON body, which is not signed', { method: 'POST', effect: 'create', body: { name: 'x', oauth: 1 } }],
    [
      'a form, which is signed',
      {
        method: 'POST',
        effect: 'create',
        bodyAs: 'form',
        query: { a: '2' },
        body: { name: 'x y&z', a: ['3', '1'], empty: null },
      },
    ],
    ['a path with encoded signs', { path: '/1/cards/a%20b' }],
  ])('%s', async (_, over) => {
    sink.answer = fresh()
    expect((await ask(over)).body).toMatchObject({ fine: true })
  })

  it('signs every attempt anew', async () => {
    sink.answer = (request, response) => {
      const nonce = /oauth_nonce="([^"]+)"/.exec(request.headers.authorization ?? '')![1]!
      if (!used.has('first')) {
        used.add('first').add(nonce)
        return reply(response, 503, {}, { 'retry-after': '0' })
      }
      return fresh()(request, response)
    }
    expect(await ask()).toMatchObject({ status: 200, attempts: 2, body: { fine: true } })
  })

  it('by the clock it is given', async () => {
    const later = Date.now() + 40 * 86_400_000
    sink.answer = strict(app.secret, secrets.tokenSecret, () => later)
    const wire = wireTo([sink.origin], { now: () => later })
    expect((await wire.exchange(callWith(byApp, {}, { secrets, app }))).body).toMatchObject({ fine: true })
  })

  it('with a consumer of the connection, and without a token', async () => {
    const own = { ck: 'own-key', cs: 'own-secret-0123' }
    sink.answer = strict(own.cs, '', Date.now)
    const placement: AuthPlacement = { place: 'oauth1', consumer: { key: '{ck}', secret: '{cs}' } }
    expect((await ask({}, placement, { secrets: own })).body).toMatchObject({ fine: true })
  })

  it('another secret is refused by the server, and no app by us', async () => {
    sink.answer = fresh()
    expect((await ask({}, byApp, { secrets, app: { ...app, secret: 'another-secret' } })).status).toBe(401)
    const before = sink.seen.length
    expect(await failureOf(ask({}, byApp, { secrets }))).toMatchObject({ code: 'not_connected' })
    expect(sink.seen.length).toBe(before)
  })

  it('shows no signature in a dry run, and no secret is ever sent', async () => {
    const preview = wireTo([sink.origin]).preview(callWith(byApp, {}, { secrets, app }))
    expect(preview.headers).toMatchObject({ authorization: '***' })
    expect(JSON.stringify(sink.seen)).not.toMatch(/cs-marker|ts-marker/)
  })

  it('a caller cannot add a parameter of the signature', async () => {
    expect((await failureOf(ask({ query: { oauth_nonce: 'x' } }))).code).toBe('not_allowed')
  })
})
