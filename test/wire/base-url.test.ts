import { describe, expect, test } from 'vitest'
import { isBaseUrlPattern } from '../../shared/kit/profile/base-url.ts'
import { fitsBaseUrl } from '../../shared/wire/guard/base-url.ts'
import { account, callTo, failureOf, listen, profileFor, reply, secrets, wireTo } from './setup.ts'

const [north, south] = [await listen(), await listen()]

describe('the pattern of addresses', () => {
  test.each([
    ['https://*.desk.example', 'https://north.desk.example'],
    ['https://*.desk.example/api', 'https://North.Desk.example/api/'],
    ['https://desk.corp.example:8443/v3', 'https://desk.corp.example:8443/v3'],
  ])('%s allows %s', (allowed, address) => expect(fitsBaseUrl(allowed, address)).toBe(true))

  test.each([
    'https://desk.example',
    'https://a.b.desk.example',
    'https://.desk.example',
    'https://north.desk.example.evil.test',
    'https://evil.test/.desk.example',
    'https://evil.test#.desk.example',
    'https://evil.test?.desk.example',
    'https://user@north.desk.example',
    'https://northXdesk.example',
    'http://north.desk.example',
    'https://north.desk.example:8443',
    'https://north.desk.example/other',
    'https://north.desk.example\n',
    ' https://north.desk.example',
    'https://-.desk.example',
  ])('https://*.desk.example does not allow %j', (address) =>
    expect(fitsBaseUrl('https://*.desk.example', address)).toBe(false),
  )

  test.each([
    'https://*',
    'https://*.example',
    'https://desk.*',
    'https://d*sk.example.test',
    '*',
    'ftp://*.desk.example',
    'https://*.desk.example?x',
    '',
  ])('%j is no pattern: it would leave the host open', (text) =>
    expect([isBaseUrlPattern(text), fitsBaseUrl(text, text.replace('*', 'a'))]).toEqual([false, false]),
  )
})

describe('a connection with an address of its own', () => {
  const of = (origin: string, over: Partial<ReturnType<typeof account>> = {}) =>
    account({ key: `t/${origin}`, baseUrl: origin, ...over })
  const profile = (allowed: string | null | undefined, over = {}) => ({
    ...profileFor('https://nobody.example', over),
    baseUrlPattern: allowed ?? null,
  })

  test('is called there, by the path and with the credential of the account', async () => {
    const wire = wireTo([north.origin])
    const got = await wire.exchange(callTo(profile(north.origin), { account: of(`${north.origin}`) }))
    expect(got.status).toBe(200)
    expect(north.seen.at(-1)?.url).toMatch(/^\/1\/cards\/x\?key=/)
    expect(wire.preview(callTo(profile(north.origin), { account: of(north.origin) })).url).toContain(north.origin)
  })

  test('a path of the address goes before every path', async () => {
    await wireTo([north.origin]).exchange(
      callTo(profile(`${north.origin}/api/v3`), { account: of(`${north.origin}/api/v3`) }),
    )
    expect(north.seen.at(-1)?.url).toMatch(/^\/api\/v3\/1\/cards\/x/)
  })

  test('no address is used that does not fit, without a pattern none', async () => {
    const wire = wireTo([north.origin, south.origin])
    const before = [north.seen.length, south.seen.length]
    expect((await failureOf(wire.exchange(callTo(profile(north.origin), { account: of(south.origin) })))).code).toBe(
      'not_allowed',
    )
    expect((await failureOf(wire.exchange(callTo(profile(null), { account: of(south.origin) })))).code).toBe(
      'wire_unset',
    )
    const { baseUrlPattern: _, ...without } = profile(null)
    expect((await failureOf(wire.exchange(callTo(without, { account: of(south.origin) })))).code).toBe('wire_unset')
    expect([north.seen.length, south.seen.length]).toEqual(before)
  })

  test('an address that fits is still held to the egress rules', async () => {
    const before = north.seen.length
    expect(
      (await failureOf(wireTo([]).exchange(callTo(profile(north.origin), { account: of(north.origin) })))).code,
    ).toBe('not_allowed')
    expect(north.seen.length).toBe(before)
  })

  test('pacing and breaker are its own: what one server refuses stops nobody at another', async () => {
    const wire = wireTo([north.origin, south.origin])
    const pace = { limits: [{ per: 'connection' as const, max: 1, windowMs: 60_000 }], concurrency: 5 }
    const at = (sink: typeof north) =>
      callTo(profile(sink.origin, { pace }), {
        account: account({ key: 't/same', baseUrl: sink.origin }),
        noWait: true,
      })
    await wire.exchange(at(north))
    expect((await failureOf(wire.exchange(at(north)))).code).toBe('rate_limited')
    expect((await wire.exchange(at(south))).status).toBe(200)
  })

  test('the address is no secret: it stays in replies, the credential does not', async () => {
    north.answer = (_, response) => reply(response, 200, { url: `${north.origin}/issues/7`, echo: secrets.token })
    const got = await wireTo([north.origin]).exchange(
      callTo(profile(north.origin), {
        account: of(north.origin, { secrets: { ...secrets, address: `${north.origin}/` } }),
      }),
    )
    expect(got.body).toEqual({ url: `${north.origin}/issues/7`, echo: '***' })
    north.answer = (_, response) => reply(response, 200, { ok: true })
  })
})
