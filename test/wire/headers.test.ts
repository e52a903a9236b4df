import { describe, expect, test } from 'vitest'
import { checkProfile } from '../../shared/runtime/catalogue/profile.ts'
import { account, callTo, failureOf, listen, profileFor, reply, secrets, wireTo } from './setup.ts'

const sink = await listen()
const auth = { 'key-token': { place: 'header' as const, fields: { Authorization: 'Bearer {token}' } } }
const profile = profileFor(sink.origin, {
  auth,
  headers: { 'X-Desk-Api-Version': '2022-11-28', 'User-Agent': 'desk-tests' },
  accept: 'application/vnd.desk+json',
})

describe('fixed headers and Accept', () => {
  test('are sent with every request, beside the credential', async () => {
    const wire = wireTo([sink.origin])
    for (const over of [{}, { method: 'POST', effect: 'create' as const, body: { a: 1 } }]) {
      await wire.exchange(callTo(profile, over))
      expect(sink.seen.at(-1)?.headers).toMatchObject({
        'x-desk-api-version': '2022-11-28',
        'user-agent': 'desk-tests',
        accept: 'application/vnd.desk+json',
        authorization: `Bearer ${secrets.token}`,
      })
    }
  })

  test('are shown in a dry run, the credential is not', () => {
    const { headers } = wireTo([sink.origin]).preview(callTo(profile))
    expect(headers).toMatchObject({
      'x-desk-api-version': '2022-11-28',
      accept: 'application/vnd.desk+json',
      authorization: '***',
    })
  })

  test.each([
    'Authorization',
    'AUTHORIZATION',
    'host',
    'Content-Length',
    'content-type',
    'Cookie',
    'accept',
    'Transfer-Encoding',
    'X-Mark',
    'a b',
    'x\r\ny',
  ])('%j is refused as a fixed header, in a profile and before anything is sent', async (name) => {
    const bad = { ...profile, writeMark: { header: 'x-mark' }, headers: { [name]: 'v' } }
    const before = sink.seen.length
    expect((await failureOf(wireTo([sink.origin]).exchange(callTo(bad)))).code).toBe('invalid_input')
    expect(() => checkProfile('desk', bad, ['headers'])).toThrow(`wire.desk.headers.`)
    expect(sink.seen.length).toBe(before)
  })

  test('a value that would end the line is refused', async () => {
    expect(
      (await failureOf(wireTo([sink.origin]).exchange(callTo({ ...profile, headers: { 'x-a': 'v\r\nx-b: w' } })))).code,
    ).toBe('invalid_input')
  })
})

describe('a conditional request', () => {
  test('that finds nothing new is a fine reply without a body', async () => {
    sink.answer = (request, response) => {
      if (request.headers['if-none-match'] === '"v1"') return void response.writeHead(304, { etag: '"v1"' }).end()
      reply(response, 200, { ok: true }, { etag: '"v1"' })
    }
    const wire = wireTo([sink.origin])
    expect((await wire.exchange(callTo(profile))).headers['etag']).toBe('"v1"')
    const unchanged = await wire.exchange(
      callTo(profile, { ifNoneMatch: '"v1"', ifModifiedSince: 'Mon, 02 Mar 2026 10:00:00 GMT' }),
    )
    expect(unchanged).toMatchObject({ status: 304, body: null, notModified: true })
    expect(wire.classify(profile, unchanged, 'read')).toBeUndefined()
    expect(sink.seen.at(-1)?.headers['if-modified-since']).toBe('Mon, 02 Mar 2026 10:00:00 GMT')
  })

  test('a 304 that nobody asked for is not fine', async () => {
    sink.answer = (_, response) => void response.writeHead(304).end()
    const wire = wireTo([sink.origin])
    expect(wire.classify(profile, await wire.exchange(callTo(profile)), 'read')?.code).toBe('rejected')
  })

  test('a validator that would end the line is refused, and only GET can be conditional', async () => {
    const wire = wireTo([sink.origin])
    const before = sink.seen.length
    expect((await failureOf(wire.exchange(callTo(profile, { ifNoneMatch: '"a"\r\nx: y' })))).code).toBe('invalid_input')
    expect(
      (await failureOf(wire.exchange(callTo(profile, { method: 'POST', effect: 'create', ifNoneMatch: '"a"' })))).code,
    ).toBe('internal')
    expect(sink.seen.length).toBe(before)
  })
})

test('the account of each call keeps its own credential beside the fixed headers', async () => {
  sink.answer = (_, response) => reply(response, 200, {})
  await wireTo([sink.origin]).exchange(
    callTo(profile, { account: account({ secrets: { ...secrets, token: 'another-token-of-another-owner' } }) }),
  )
  expect(sink.seen.at(-1)?.headers.authorization).toBe('Bearer another-token-of-another-owner')
})
