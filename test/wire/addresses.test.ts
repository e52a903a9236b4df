import { beforeEach, describe, expect, test } from 'vitest'
import type { Call } from '../../shared/wire/index.ts'
import { callToAddress } from '../../shared/wire/exchange/call-to-address.ts'
import { callTo, failureOf, listen, profileFor, reply, secrets, wireTo } from './setup.ts'

const sink = await listen()
const files = await listen()
const elsewhere = await listen()
const wire = wireTo([sink.origin, files.origin, elsewhere.origin])
const profile = profileFor(sink.origin, {
  headers: { 'x-api-version': '7' },
  writeMark: { header: 'x-mark' },
  uploadOrigins: [files.origin, 'https://*.files.desk.example'],
  errors: [{ status: 403, failure: 'not_connected' }],
})
const address = () => `${files.origin}/put/a%2Fb;v=1?sig=x%2By&sig=Z+1`
const upload = (over: Partial<Call> = {}, to = address()) =>
  callToAddress(
    callTo(profile, {
      method: 'PUT',
      path: '/upload',
      effect: 'create',
      body: { filename: 'a.png', contentType: 'image/png', base64: Buffer.from([0, 255, 10]).toString('base64') },
      bodyAs: 'raw',
      correlationId: 'mark-of-ours',
      redirects: 'same-origin',
      ...over,
    }),
    to,
  )

beforeEach(() => {
  files.answer = (_, response) => reply(response, 200, 'OK - 3', { 'content-type': 'text/plain' })
  for (const { seen } of [sink, files, elsewhere]) seen.length = 0
})

describe('a request to an address that the provider gave', () => {
  test('is sent there as it is, with neither credential nor headers of the profile', async () => {
    const answer = await wire.exchange(upload())
    const [seen] = files.seen
    expect(seen).toMatchObject({ method: 'PUT', url: '/put/a%2Fb;v=1?sig=x%2By&sig=Z+1' })
    expect(seen!.headers).toMatchObject({ 'content-type': 'image/png', 'content-length': '3' })
    for (const secret of [...Object.values(secrets), 'mark-of-ours'])
      expect(JSON.stringify([seen!.url, seen!.headers])).not.toContain(secret)
    expect(Object.keys(seen!.headers)).not.toContain('x-api-version')
    expect(Object.keys(seen!.headers)).not.toContain('x-mark')
    expect(answer).toMatchObject({ status: 200, body: 'OK - 3' })
    expect(wire.classify(upload().profile, answer, 'create')).toBeUndefined()
  })

  test('goes to the origins that the profile lists, and to no other', async () => {
    const refused = [
      `${elsewhere.origin}/put`,
      `https://files.desk.example/put`,
      `https://a.b.files.desk.example/put`,
      `https://x.files.desk.example.evil.example/put`,
      files.origin.replace('http:', 'https:'),
    ]
    for (const to of refused)
      expect(() => upload({}, to), to).toThrow('"wire.test-provider.uploadOrigins" does not list')
    for (const to of ['', '/put', 'ftp://x.files.desk.example/', files.origin.replace('//', '//me:pw@')])
      expect(() => upload({}, to), to).toThrow('gave no address that could be called')
    expect(() => callToAddress(callTo(profileFor(sink.origin)), address())).toThrow('uploadOrigins')
    expect(upload({}, 'https://x.files.desk.example/put').address).toBe('https://x.files.desk.example/put')
    expect([files.seen, elsewhere.seen]).toEqual([[], []])
  })

  test('never goes to a private address that the operator has not listed', async () => {
    const guarded = wireTo([sink.origin])
    const failure = await failureOf(guarded.exchange(upload()))
    expect(failure.code).toBe('not_allowed')
    expect(failure.message).toContain('"wire.test-provider.uploadOrigins"')
    expect(files.seen).toEqual([])
  })

  test('follows no redirect, and a refusal there is none of the connection', async () => {
    files.answer = (_, response) => reply(response, 307, '', { location: `${files.origin}/other` })
    const moved = await wire.exchange(upload())
    expect(wire.classify(upload().profile, moved, 'create')?.code).toBe('rejected')
    files.answer = (_, response) =>
      reply(response, 403, '<Error>expired</Error>', { 'content-type': 'application/xml' })
    const refused = await wire.exchange(upload())
    expect(wire.classify(upload().profile, refused, 'create')).toMatchObject({
      code: 'rejected',
      message: expect.stringContaining('may have expired'),
    })
    expect(files.seen.length).toBe(2)
  })

  test('is shown by its name, since the address may hold a secret', () => {
    const shown = JSON.stringify(wire.preview(upload()))
    expect(shown).toContain(`"url":"${files.origin}/upload"`)
    expect(shown).not.toContain('sig=')
    for (const secret of Object.values(secrets)) expect(shown).not.toContain(secret)
  })
})
