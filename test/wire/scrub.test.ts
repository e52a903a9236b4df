import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { WireProfile } from '#kit'
import { createScrubber, hideSecrets } from '../../shared/wire/index.ts'
import { account, callTo, listen, profileFor, reply, secrets, wireTo } from './setup.ts'

const awkward = {
  key: 'a1b2c3d4e5f60718',
  token: 'ATTA+slash/and"quote\\back=é 42',
  signs: "key~(with)*marks*&'more'!<\"",
  long: 'x'.repeat(300) + 'END',
  short: 'abc',
}
const scrubber = createScrubber(Object.values(awkward))

const forms = (secret: string): Record<string, string> => {
  const bytes = Buffer.from(secret)
  const hex = bytes.toString('hex')
  return {
    plain: secret,
    percent: encodeURIComponent(secret),
    'percent, small letters': encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
    form: new URLSearchParams({ v: secret }).toString().slice(2),
    'percent, every byte': hex.replace(/../g, '%$&'),
    json: JSON.stringify(secret).slice(1, -1),
    'json with escaped slashes': JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
    'json in json': JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1),
    html: secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
    hex,
    'hex, capitals': hex.toUpperCase(),
    base64: bytes.toString('base64').replace(/=+$/, ''),
    base64url: bytes.toString('base64url'),
    'base64 behind one character': Buffer.from(`:${secret}`).toString('base64').replace(/=+$/, ''),
    'base64 behind two, before others': Buffer.from(`u:${secret}:more`).toString('base64'),
  }
}
/** Nothing of the secret that is longer than a few characters is left. */
const holds = (text: string, form: string) => {
  for (let at = 0; at + 8 <= form.length; at += 1) if (text.includes(form.slice(at, at + 8))) return true
  return false
}

describe('every form of every secret', () => {
  for (const [name, secret] of Object.entries(awkward)) {
    if (name === 'short') continue
    for (const [form, written] of Object.entries(forms(secret))) {
      test(`${name}, ${form}`, () => {
        const text = `before ${written} after`
        const scrubbed = scrubber.text(text)
        expect(scrubber.inBytes(Buffer.from(text))).toBe(true)
        expect(scrubbed).toContain('***')
        expect(scrubbed.startsWith('before ')).toBe(true)
        expect(scrubbed.endsWith(' after')).toBe(true)
        // The edges of a base64 form also depend on the neighbours, so a few characters may stay.
        const remainder = scrubbed.slice(7, -6).replace('***', '')
        expect(remainder.length).toBeLessThan(form.includes('behind') ? 16 : 5)
      })
    }
  }
  test('ordinary text is left alone, also what is too short to be told from chance', () => {
    const text = 'abc abcdef 1234567890 {"name":"a1b2c3d4"} ' + 'x'.repeat(200)
    expect(scrubber.text(text)).toBe(text)
  })
  test('across the borders of pieces, however they are cut', () => {
    const { token } = awkward
    const text = `start ${token} middle ${encodeURIComponent(token)} ${awkward.key} end`
    const scrubbedText = scrubber.text(text)
    for (let size = 1; size <= text.length; size += 1) {
      const stream = scrubber.stream()
      let out = ''
      for (let at = 0; at < text.length; at += size) out += stream.push(text.slice(at, at + size))
      out += stream.end()
      expect(out).toBe(scrubbedText)
    }
  })
  test('in a long text with many near misses', () => {
    const near = awkward.key.slice(0, -1)
    const text = Array.from({ length: 2000 }, (_, index) => `${near}${index % 7}`).join(' ')
    expect(scrubber.inBytes(Buffer.from(text))).toBe(false)
    expect(scrubber.inBytes(Buffer.from(`${text}${awkward.key}`))).toBe(true)
    expect(scrubber.inBytes(Buffer.from(`${awkward.key}${text}`))).toBe(true)
  })
})

test('the quick look finds a secret at every place of a body, also across the quarters', () => {
  const { key, token } = awkward
  for (const secret of [key, token]) {
    const size = Buffer.byteLength(secret)
    for (const length of [size, size + 1, 2 * size, 3 * size + 1, 500]) {
      for (let at = 0; at + size <= length; at += 1) {
        const body = Buffer.concat([
          Buffer.alloc(at, 'a1b2c3d4e5f6'),
          Buffer.from(secret),
          Buffer.alloc(length - at - size, 'ATTA+slash/'),
        ])
        if (!scrubber.inBytes(body)) expect.fail(`not found at ${at} of ${length}`)
      }
    }
  }
})

test('the quick look misses nothing that the thorough one finds', () => {
  let seed = 5
  const random = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return seed / 2 ** 32
  }
  const all = Object.values(awkward)
    .filter((secret) => secret.length > 5)
    .flatMap((secret) => Object.values(forms(secret)))
  for (let round = 0; round < 3000; round += 1) {
    const noise = Buffer.from(
      Array.from({ length: Math.floor(random() * 400) }, () => 32 + Math.floor(random() * 95)),
    ).toString()
    const cut = Math.floor(random() * noise.length)
    const text =
      random() < 0.5 ? noise : noise.slice(0, cut) + all[Math.floor(random() * all.length)] + noise.slice(cut)
    if (scrubber.text(text) !== text) expect(scrubber.inBytes(Buffer.from(text))).toBe(true)
  }
})

describe('a provider that repeats our credentials', async () => {
  const sink = await listen()
  const wire = wireTo([sink.origin])
  const profile = profileFor(sink.origin)
  const gone = (value: unknown) => {
    const text = inspect(value, { depth: 20 })
    for (const secret of Object.values(secrets))
      for (const form of Object.values(forms(secret))) expect(holds(text, form)).toBe(false)
  }
  const bodies: Record<string, string> = {
    'as JSON': JSON.stringify({
      message: `invalid key ${secrets.apiKey}`,
      [secrets.token]: [secrets.token, { deep: encodeURIComponent(secrets.token) }],
    }),
    'with letters escaped': `{"message":"${[...secrets.token].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"}`,
    'in a page': `<html><body>GET /1/cards?key=${secrets.apiKey}&token=${encodeURIComponent(secrets.token)} failed</body></html>`,
    'in base64': JSON.stringify({
      trace: Buffer.from(`key=${secrets.apiKey}&token=${secrets.token}`).toString('base64'),
    }),
  }
  for (const [name, body] of Object.entries(bodies)) {
    test(`${name}: out of the reply, its headers and the failure`, async () => {
      sink.answer = (_, response) =>
        reply(response, 401, body, {
          'x-echo': `token ${encodeURIComponent(secrets.token)}`,
          'set-cookie': 'session=1',
        })
      const got = await wire.exchange(callTo(profile))
      gone(got)
      expect(got.headers['set-cookie']).toBeUndefined()
      expect(got.headers['x-echo']).toBe('token ***')
      const failure = wire.classify(profile, got, 'read')
      expect(failure?.code).toBe('not_connected')
      gone(failure)
    })
  }
  test('also when it comes in pieces and compressed', async () => {
    const { gzipSync } = await import('node:zlib')
    sink.answer = (_, response) => {
      const bytes = gzipSync(Buffer.from(bodies['as JSON']!))
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      for (const byte of bytes) response.write(Buffer.from([byte]))
      response.end()
    }
    const got = await wire.exchange(callTo(profile))
    expect(JSON.stringify(got.body)).toContain('***')
    gone(got)
  })
  test('credentials of a header, too', async () => {
    const header: WireProfile = profileFor(sink.origin, {
      auth: { 'key-token': { place: 'header', fields: { Authorization: 'Bearer {token}' } } },
    })
    sink.answer = (request, response) => reply(response, 500, { sent: request.headers })
    gone(await wire.exchange(callTo(header, { method: 'POST', effect: 'create', account: account() })))
  })
})

test('hidden secrets can be used, but not printed', () => {
  const hidden = hideSecrets({ token: secrets.token })
  expect(hidden['token']).toBe(secrets.token)
  const printed = [
    inspect(hidden),
    inspect({ a: { hidden } }, { depth: 9 }),
    JSON.stringify({ hidden }),
    `${hidden as unknown as string}`,
    JSON.stringify({ ...hidden }),
    inspect(Object.entries(hidden)),
  ]
  for (const text of printed) expect(text).not.toContain('marker')
  expect(Object.getOwnPropertyNames(hidden)).toEqual(['token'])
})
