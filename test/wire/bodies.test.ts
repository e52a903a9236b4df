import { createServer } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { Json } from '#kit'
import { callTo, failureOf, listen, profileFor, reply, secrets, wireTo } from './setup.ts'

const sink = await listen()
const profile = profileFor(sink.origin, {
  auth: { 'key-token': { place: 'header', fields: { authorization: 'Bearer {token}' } } },
})
const form = { ...profile, body: 'form' as const }
const multipart = { ...profile, body: 'multipart' as const }
const post = { method: 'POST', effect: 'create' as const }
const wire = wireTo([sink.origin])
const sendBody = async (body: Json, over: Partial<typeof profile> = form) => {
  await wire.exchange(callTo({ ...profile, ...over }, { ...post, body }))
  return sink.seen.at(-1)!
}
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 13, 10])

describe('form', () => {
  test('holds scalars, lists and empty values, encoded', async () => {
    const { headers, body } = await sendBody({
      title: 'Fence & gate = 2 ½',
      labels: ['a b', 'c'],
      open: true,
      count: 3,
      due: null,
    })
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded')
    expect([...new URLSearchParams(body)]).toEqual([
      ['title', 'Fence & gate = 2 ½'],
      ['labels', 'a b'],
      ['labels', 'c'],
      ['open', 'true'],
      ['count', '3'],
      ['due', ''],
    ])
  })

  test('refuses nested values, bodies that are no object, reserved names and broken text', async () => {
    for (const body of [{ a: { b: 1 } }, { a: [[1]] }, [1], 'text', { a: '\ud800' }] as Json[]) {
      expect((await failureOf(wire.exchange(callTo(form, { ...post, body })))).code).toBe('invalid_input')
    }
    expect((await failureOf(wire.exchange(callTo(form, { ...post, body: { api_key: 'x' } })))).code).toBe('not_allowed')
  })

  test('a request may choose another form than the profile', async () => {
    await wire.exchange(callTo(form, { ...post, body: { a: 1 }, bodyAs: 'json' }))
    expect(sink.seen.at(-1)).toMatchObject({ body: '{"a":1}' })
    await wire.exchange(callTo(profile, { ...post, body: { a: 1 }, bodyAs: 'form' }))
    expect(sink.seen.at(-1)).toMatchObject({ body: 'a=1' })
  })

  test('a credential that goes into the body goes into the form, and a dry run masks it', async () => {
    const inBody = { ...form, auth: { 'key-token': { place: 'body' as const, fields: { access_key: '{token}' } } } }
    await wire.exchange(callTo(inBody, { ...post, body: { a: 'b' } }))
    expect(new URLSearchParams(sink.seen.at(-1)!.body).get('access_key')).toBe(secrets.token)
    expect(wire.preview(callTo(inBody, { ...post, body: { a: 'b' } }))).toMatchObject({
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: { a: 'b', access_key: '***' },
    })
  })
})

/** The parts as a parser of another make reads them. */
const partsOf = async ({ headers, body }: { headers: Record<string, unknown>; body: string }) => {
  const parsed = await new Response(Buffer.from(body, 'latin1'), {
    headers: { 'content-type': String(headers['content-type']) },
  }).formData()
  return parsed
}

describe('multipart', () => {
  test('holds texts and files, byte for byte', async () => {
    const chunks: Buffer[] = []
    const raw = createServer((request, response) => {
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        seen = request.headers
        reply(response, 200, {})
      })
    })
    let seen: Record<string, unknown> = {}
    await new Promise<void>((done) => raw.listen(0, '127.0.0.1', done))
    const origin = `http://127.0.0.1:${(raw.address() as { port: number }).port}`
    const body = {
      name: 'Plan ½',
      tags: ['a', 'b'],
      file: { filename: 'site "plan"\r\nx.png', contentType: 'image/png', base64: png.toString('base64') },
    }
    await wireTo([origin]).exchange(callTo({ ...multipart, baseUrl: origin }, { ...post, body }))
    const bytes = Buffer.concat(chunks)
    expect(bytes.includes(png)).toBe(true)
    const parts = await partsOf({ headers: seen, body: bytes.toString('latin1') })
    expect([parts.get('name'), parts.getAll('tags')]).toEqual(['Plan ½', ['a', 'b']])
    const file = parts.get('file') as File
    expect([file.type, Buffer.from(await file.arrayBuffer())]).toEqual(['image/png', png])
    expect(bytes.includes('filename="site %22plan%22%0D%0Ax.png"')).toBe(true)
    raw.closeAllConnections()
    raw.close()
  })

  test('refuses what is no file, no base64 and no media type', async () => {
    const file = { filename: 'a.png', contentType: 'image/png', base64: png.toString('base64') }
    for (const body of [
      { file: { ...file, base64: '%%% not base64 %%%' } },
      { file: { ...file, contentType: 'image/png\r\nx-a: b' } },
      { file: { filename: 'a.png' } },
      { 'x\\': { ...file, filename: '; name=token; x=' } },
      ['a'],
    ] as Json[]) {
      expect((await failureOf(wire.exchange(callTo(multipart, { ...post, body })))).code).toBe('invalid_input')
    }
  })

  test('has a limit of its own', async () => {
    const file = (mib: number) => ({
      file: { filename: 'a', contentType: 'text/plain', base64: Buffer.alloc(mib * 1024 * 1024).toString('base64') },
    })
    // Megabytes take their time on a busy machine.
    const patient = {
      ...multipart,
      timeouts: { connectMs: 20_000, headersMs: 20_000, bodyMs: 20_000, totalMs: 40_000, deadlineMs: 50_000 },
    }
    await sendBody(file(4), patient)
    expect((await failureOf(wire.exchange(callTo(multipart, { ...post, body: file(17) })))).code).toBe('too_large')
  })

  test('is repeated with the same bytes', async () => {
    let requestCount = 0
    const before = sink.seen.length
    sink.answer = (request, response) =>
      (requestCount += 1) === 1 ? request.socket.destroy() : reply(response, 200, {})
    await wire.exchange(callTo(multipart, { method: 'PUT', effect: 'update', body: { a: 'b' } }))
    expect(requestCount).toBe(2)
    const [first, second] = sink.seen.slice(before)
    expect(second!.body).toBe(first!.body)
    sink.answer = (_, response) => reply(response, 200, {})
  })
})

describe('a text and raw bytes', () => {
  test('are sent as they are, with their media type', async () => {
    const text = await sendBody('Fünf <b>Beete</b>\n', { body: 'text' })
    expect(text).toMatchObject({
      body: 'Fünf <b>Beete</b>\n',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    })
    const raw = await sendBody(
      { filename: 'a.bin', contentType: 'application/x-soil', base64: Buffer.from('ab\0c').toString('base64') },
      { body: 'raw' },
    )
    expect(raw).toMatchObject({
      body: 'ab\0c',
      headers: { 'content-type': 'application/x-soil', 'content-length': '4' },
    })
  })

  test('a request names another media type, for JSON too', async () => {
    await wire.exchange(callTo(profile, { ...post, body: '<a/>', bodyAs: 'text', contentType: 'application/xml' }))
    expect(sink.seen.at(-1)).toMatchObject({ body: '<a/>', headers: { 'content-type': 'application/xml' } })
    await wire.exchange(callTo(profile, { ...post, body: { a: 1 }, contentType: 'application/vnd.api+json' }))
    expect(sink.seen.at(-1)).toMatchObject({ body: '{"a":1}', headers: { 'content-type': 'application/vnd.api+json' } })
  })

  test('a stored file is sent chunk by chunk, with its length', async () => {
    const file = {
      name: 'b.txt',
      mediaType: 'text/plain',
      size: 6,
      async *read() {
        yield Buffer.from('abc')
        yield Buffer.from('def')
      },
    }
    const files = new Map([['fil_1', file]])
    await wire.exchange(callTo(profile, { ...post, body: { file: 'fil_1' }, bodyAs: 'raw', files }))
    expect(sink.seen.at(-1)).toMatchObject({
      body: 'abcdef',
      headers: { 'content-type': 'text/plain', 'content-length': '6' },
    })
  })

  test('refuse what they cannot hold', async () => {
    const wrong = [
      { body: { a: 1 }, bodyAs: 'text' },
      { body: '\ud800', bodyAs: 'text' },
      { body: 'bytes', bodyAs: 'raw' },
      { body: { file: 'fil_unknown' }, bodyAs: 'raw' },
      { body: { a: 1 }, bodyAs: 'form', contentType: 'text/plain' },
      { body: 'x', bodyAs: 'text', contentType: 'text/plain\r\nx: y' },
    ] as const
    for (const over of wrong)
      expect(['invalid_input', 'internal']).toContain(
        (await failureOf(wire.exchange(callTo(profile, { ...post, ...over })))).code,
      )
  })
})

describe('an answer in plain text', () => {
  const ask = async (type: string, body: string, replyAs?: 'text') => {
    sink.answer = (_, response) => reply(response, 200, body, { 'content-type': type })
    const answer = await wire.exchange(callTo(profile, { ...post, body: {}, replyAs }))
    return { body: answer.body, failure: wire.classify(profile, answer, 'create')?.code }
  }

  test('is one only where the request takes a text', async () => {
    expect(await ask('text/plain', 'ok')).toEqual({ body: 'ok', failure: 'bad_reply' })
    expect(await ask('text/plain', 'ok', 'text')).toEqual({ body: 'ok', failure: undefined })
    expect(await ask('text/plain', '[1]', 'text'), 'a text that looks like JSON').toEqual({
      body: '[1]',
      failure: undefined,
    })
  })

  test('a web page is none', async () => {
    expect(await ask('text/html', '<p>Maintenance</p>', 'text')).toMatchObject({ failure: 'bad_reply' })
  })
})
