/**
 * How providers sign deliveries, as their profiles would say it, against the examples that they publish. Where a
 * provider publishes only the scheme, the signature is computed here with another implementation of HMAC.
 */
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { SignedDelivery } from '#kit'
import { checkProfile } from '../../shared/runtime/catalogue/profile.ts'
import { isGenuine, whyUntimely } from '../../shared/runtime/triggers/inbound/signature.ts'

type Delivered = { headers: Record<string, string>; body: string; callbackUrl?: string }
const genuine = (scheme: SignedDelivery, secrets: string[], { headers, body, callbackUrl = '' }: Delivered) => {
  expect(() => checkProfile('desk', { signature: scheme }, ['signature'])).not.toThrow()
  return isGenuine(scheme, secrets, { headers, body: Buffer.from(body), callbackUrl })
}
const hmac = (key: string, text: string, encoding: 'hex' | 'base64' = 'hex') =>
  createHmac('sha256', key).update(text).digest(encoding)

// https://api.slack.com/docs/verifying-requests-from-slack
test('v0: of time and body, in its documented example', () => {
  const scheme: SignedDelivery = {
    header: 'X-Slack-Signature',
    algorithm: 'hmac-sha256',
    encoding: 'hex',
    prefix: 'v0=',
    signs: 'v0:{timestamp}:{body}',
    timestamp: { header: 'X-Slack-Request-Timestamp', toleranceMs: 300_000 },
  }
  const headers = {
    'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    'x-slack-request-timestamp': '1531420618',
  }
  const body =
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c'
  const secret = '8f742231b10e8888abcd99yyyzzz85a5'
  expect(genuine(scheme, [secret], { headers, body })).toBe(true)
  expect(genuine(scheme, [secret], { headers, body: `${body}&` })).toBe(false)
  expect(genuine(scheme, [`${secret}x`], { headers, body })).toBe(false)
  expect(whyUntimely(scheme, headers, 1_531_420_618_000)).toBeUndefined()
  expect(whyUntimely(scheme, headers, 1_531_420_919_000)).toMatch(/more than 300 seconds/)
})

// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
test('Standard Webhooks, in their documented example', () => {
  const scheme: SignedDelivery = {
    header: 'webhook-signature',
    algorithm: 'hmac-sha256',
    encoding: 'base64',
    prefix: 'v1,',
    separator: ' ',
    signs: '{id}.{timestamp}.{body}',
    id: { header: 'webhook-id' },
    timestamp: { header: 'webhook-timestamp', toleranceMs: 300_000 },
    key: { prefix: 'whsec_', encoding: 'base64' },
  }
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': signature,
  }
  const body = '{"test": 2432232314}'
  expect(genuine(scheme, [secret], { headers, body })).toBe(true)
  const old = `v1,${'A'.repeat(43)}= v1a,abc ${signature}`
  expect(genuine(scheme, [secret], { headers: { ...headers, 'webhook-signature': old }, body })).toBe(true)
  expect(genuine(scheme, [secret.slice(6)], { headers, body })).toBe(true)
  // A secret without a key in it is none, and its text is not the key.
  const { id, timestamp } = { id: headers['webhook-id'], timestamp: headers['webhook-timestamp'] }
  for (const [bad, key] of [
    ['whsec_', ''],
    ['whsec_!!', '!!'],
    ['whsec_!!', 'whsec_!!'],
  ] as const) {
    const forged = `v1,${hmac(key, `${id}.${timestamp}.${body}`, 'base64')}`
    expect(genuine(scheme, [bad], { headers: { ...headers, 'webhook-signature': forged }, body })).toBe(false)
  }
})

// https://docs.stripe.com/webhooks#verify-manually: t, one v1 for each secret in force, other schemes to be ignored.
describe('t=…,v1=…', () => {
  const scheme: SignedDelivery = {
    header: 'Stripe-Signature',
    algorithm: 'hmac-sha256',
    encoding: 'hex',
    prefix: 'v1=',
    separator: ',',
    signs: '{timestamp}.{body}',
    timestamp: { header: 'Stripe-Signature', prefix: 't=', toleranceMs: 300_000 },
  }
  const body = '{"id":"evt_1"}'
  const v1 = (secret: string, time = '1492774577') => `v1=${hmac(secret, `${time}.${body}`)}`
  const of = (header: string, ...secrets: string[]) =>
    genuine(scheme, secrets, { headers: { 'stripe-signature': header }, body })

  test('is signed with any secret in force, beside schemes that are ignored', () => {
    const v0 = `v0=${'6'.repeat(64)}`
    expect(of(`t=1492774577,${v1('new')},${v1('old')},${v0}`, 'new')).toBe(true)
    expect(of(`t=1492774577,${v1('new')},${v1('old')},${v0}`, 'old')).toBe(true)
    expect(of(`t=1492774577, ${v0}, ${v1('old')}`, 'new', 'old')).toBe(true)
    expect(of(`t=1492774577,${v0},${v1('older')}`, 'new', 'old')).toBe(false)
    // A signature of a scheme that is not asked for does not count.
    expect(of(`t=1492774577,v0=${hmac('new', `1492774577.${body}`)}`, 'new')).toBe(false)
  })
  test('has one time, which is signed and has to be near', () => {
    const header = `t=1492774577,${v1('new')}`
    expect(of(`t=1492774578,${v1('new')}`, 'new')).toBe(false)
    expect(of(`t=1492774577,t=1492774999,${v1('new')}`, 'new')).toBe(false)
    expect(of(v1('new'), 'new')).toBe(false)
    expect(whyUntimely(scheme, { 'stripe-signature': header }, 1_492_774_577_000)).toBeUndefined()
    expect(whyUntimely(scheme, { 'stripe-signature': header }, 1_492_774_878_000)).toMatch(/more than 300 seconds/)
  })
})

// https://www.twilio.com/docs/usage/security#validating-requests
test('address and sorted fields of a form, in its documented example', () => {
  const scheme: SignedDelivery = {
    header: 'X-Twilio-Signature',
    algorithm: 'hmac-sha1',
    encoding: 'base64',
    signs: '{url}{form}',
  }
  const callbackUrl = 'https://mycompany.com/myapp.php?foo=1&bar=2'
  const body = 'To=%2B18005551212&From=%2B14158675309&Digits=1234&Caller=%2B14158675309&CallSid=CA1234567890ABCDE'
  const headers = { 'x-twilio-signature': 'RSOYDt4T1cUTdK1PDd93/VVr8B8=' }
  expect(genuine(scheme, ['12345'], { headers, body, callbackUrl })).toBe(true)
  expect(genuine(scheme, ['12345'], { headers, body: body.replace('1234&', '1235&'), callbackUrl })).toBe(false)
  expect(genuine(scheme, ['12345'], { headers, body, callbackUrl: callbackUrl.replace('foo', 'goo') })).toBe(false)
})

// https://developers.hubspot.com/docs/api/webhooks/validating-requests (v3): method, address, body and time.
test('method, address, body and time', () => {
  const scheme: SignedDelivery = {
    header: 'X-HubSpot-Signature-v3',
    algorithm: 'hmac-sha256',
    encoding: 'base64',
    signs: 'POST{url}{body}{timestamp}',
    timestamp: { header: 'X-HubSpot-Request-Timestamp', toleranceMs: 300_000 },
  }
  const callbackUrl = 'https://pack.example/hooks/crm/abc'
  const body = '[{"eventId":1}]'
  const headers = {
    'x-hubspot-signature-v3': hmac('client secret', `POST${callbackUrl}${body}1700000000123`, 'base64'),
    'x-hubspot-request-timestamp': '1700000000123',
  }
  expect(genuine(scheme, ['client secret'], { headers, body, callbackUrl })).toBe(true)
  expect(genuine(scheme, ['client secret'], { headers, body, callbackUrl: `${callbackUrl}/` })).toBe(false)
  expect(whyUntimely(scheme, headers, 1_700_000_000_000)).toBeUndefined()
})

// https://github.com/sendgrid/sendgrid-nodejs/blob/main/packages/eventwebhook/src/eventwebhook.spec.js
test('ECDSA with a published key, in its documented example', () => {
  const scheme: SignedDelivery = {
    header: 'X-Twilio-Email-Event-Webhook-Signature',
    algorithm: 'ecdsa-sha256',
    encoding: 'base64',
    signs: '{timestamp}{body}',
    timestamp: { header: 'X-Twilio-Email-Event-Webhook-Timestamp', toleranceMs: 300_000 },
  }
  const key =
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g=='
  const headers = {
    'x-twilio-email-event-webhook-signature':
      'MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM=',
    'x-twilio-email-event-webhook-timestamp': '1600112502',
  }
  const body = `${JSON.stringify([
    {
      email: 'hello@world.com',
      event: 'dropped',
      reason: 'Bounced Address',
      sg_event_id: 'ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA',
      sg_message_id: 'LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0',
      'smtp-id': '<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>',
      timestamp: 1600112492,
    },
  ])}\r\n`
  expect(genuine(scheme, [key], { headers, body })).toBe(true)
  expect(genuine(scheme, [`-----BEGIN PUBLIC KEY-----\n${key}\n-----END PUBLIC KEY-----`], { headers, body })).toBe(
    true,
  )
  expect(genuine(scheme, [key], { headers, body: body.trim() })).toBe(false)
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'spki', format: 'pem' })
  for (const secret of ['', 'no key', key.slice(4), String(rsa)])
    expect(genuine(scheme, [secret], { headers, body })).toBe(false)
})

test('RSA with a published key', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const scheme: SignedDelivery = { header: 'x-sig', algorithm: 'rsa-sha256', encoding: 'base64', signs: '{body}' }
  const body = '{"a":1}'
  const headers = { 'x-sig': sign('sha256', Buffer.from(body), privateKey).toString('base64') }
  const pem = String(publicKey.export({ type: 'spki', format: 'pem' }))
  expect(genuine(scheme, [pem], { headers, body })).toBe(true)
  expect(genuine(scheme, [pem], { headers, body: '{"a":2}' })).toBe(false)
  // The algorithm is that of the profile, not that of the key.
  expect(genuine({ ...scheme, algorithm: 'ecdsa-sha256' }, [pem], { headers, body })).toBe(false)
})

// https://www.rfc-editor.org/rfc/rfc8032#section-7.1, TEST 3, as https://discord.com/developers/docs/events/webhook-events
// signs: the time, then the body. The two bytes of the vector are both here.
test('Ed25519 with a published key, by the vector of its standard', () => {
  const scheme: SignedDelivery = {
    header: 'X-Signature-Ed25519',
    algorithm: 'ed25519',
    encoding: 'hex',
    signs: '{body}',
  }
  const key = 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025'
  const signature =
    '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a'
  const check = (bytes: number[]) =>
    isGenuine(scheme, [key], {
      headers: { 'x-signature-ed25519': signature },
      body: Uint8Array.from(bytes),
      callbackUrl: '',
    })
  expect(check([0xaf, 0x82])).toBe(true)
  expect(check([0xaf, 0x83])).toBe(false)
})

test('HMAC-SHA512, and a time as a date', () => {
  const scheme: SignedDelivery = {
    header: 'x-sig',
    algorithm: 'hmac-sha512',
    encoding: 'hex',
    signs: '{timestamp}{body}',
    timestamp: { header: 'x-time', toleranceMs: 1000 },
  }
  for (const key of ['key', 'k'.repeat(200)]) {
    const time = '2021-03-25T05:09:27Z'
    const headers = { 'x-sig': createHmac('sha512', key).update(`${time}{}`).digest('hex'), 'x-time': time }
    expect(genuine(scheme, [key], { headers, body: '{}' })).toBe(true)
    expect(genuine(scheme, ['other'], { headers, body: '{}' })).toBe(false)
    expect(whyUntimely(scheme, headers, Date.parse(time) + 1000)).toBeUndefined()
    expect(whyUntimely(scheme, headers, Date.parse(time) + 1001)).toMatch(/more than 1 seconds/)
  }
})

test('a profile whose fields do not go together is refused with what is missing', () => {
  const mac = { header: 'x', algorithm: 'hmac-sha1', encoding: 'hex', signs: '{body}' }
  const refusals: [Record<string, unknown>, RegExp][] = [
    [{ ...mac, header: undefined }, /"proof": "signature" needs "header"/],
    [{ ...mac, signs: '{url}' }, /it has to contain \{body\} or \{form\}/],
    [{ ...mac, signs: '{timestamp}{body}' }, /"signs" needs "timestamp"/],
    [{ ...mac, signs: '{id}{body}' }, /"signs" needs "id"/],
    [
      { ...mac, signs: '{timestamp}{body}', timestamp: { header: 'x', prefix: 't=', toleranceMs: 1 } },
      /"timestamp.prefix" needs "separator"/,
    ],
    [{ proof: 'token' }, /"proof": "token" needs "header"/],
    [{ proof: 'jwt', header: 'x' }, /"proof": "jwt" needs "jwt"/],
    [{ proof: 'jwt', jwt: { algorithm: 'HS256', toleranceMs: 1 } }, /needs "header", or "jwt.at"/],
    [{ proof: 'jwt', header: 'x', jwt: { algorithm: 'none', toleranceMs: 1 } }, /signature\.jwt\.algorithm/],
    [
      { proof: 'jwt', header: 'x', jwt: { algorithm: 'ES256', toleranceMs: 1, keys: 'https://desk.example/keys' } },
      /"jwt.keys" needs "jwt.audience"/,
    ],
    [{ proof: 'fetched' }, /"proof": "fetched" needs "fetched"/],
    [{ proof: 'fetched', fetched: { id: 'id', path: '/payments' } }, /signature\.fetched\.path/],
  ]
  for (const [signature, message] of refusals)
    expect(() => checkProfile('desk', { signature }, ['signature']), JSON.stringify(signature)).toThrow(message)
  expect(() => checkProfile('desk', { signature: { proof: 'token', header: 'x' }, optOuts: {} }, ['optOuts'])).toThrow(
    /verified by a signature alone/,
  )
})
