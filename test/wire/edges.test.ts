import { describe, expect, test } from 'vitest'
import type { WireProfile } from '#kit'
import { createWire } from '../../shared/wire/index.ts'
import { growth } from '../support/growth.ts'
import { account, callTo, failureOf, listen, profileFor, realOptions, reply, secrets, wireTo } from './setup.ts'

const sink = await listen()
const fine: typeof sink.answer = (_, response) => reply(response, 200, { ok: true })

describe('no input makes a check slow', () => {
  const nasty = ['a', '%41', '/a', '[', ' .-', 'ａ', '\\"', '\ud800'].map(
    (piece) => (size: number) => `${piece.repeat(size / piece.length)}!`,
  )
  const wire = wireTo([sink.origin])
  const profile = profileFor(sink.origin)
  test('in paths, names, values and methods', async () => {
    for (const textOf of nasty) {
      for (const over of [
        (text: string) => ({ path: `/1/${text}` }),
        (text: string) => ({ path: text }),
        (text: string) => ({ method: text }),
        (text: string) => ({ query: { [text]: 1 } }),
        (text: string) => ({ query: { a: text } }),
        (text: string) => ({ method: 'POST', body: { [text]: 1 } }),
      ]) {
        const look = (size: number) => {
          try {
            wire.preview(callTo(profile, over(textOf(size)) as object))
          } catch {
            // Refused or not: it must be quick.
          }
        }
        expect(await growth(50_000, look), `${over} ${textOf(6)}`).toBeLessThan(9)
      }
    }
  })
  test('in replies', async () => {
    for (const bodyOf of [
      (size: number) => `{"a":"${'\\"'.repeat(size)}`,
      (size: number) => `${'['.repeat(2000)}"${'\\"'.repeat(size)}`,
      (size: number) => `{"a":"${'[{'.repeat(size / 2)}"}`,
      (size: number) => '\\u00'.repeat(size / 2),
    ]) {
      const look = async (size: number) => {
        sink.answer = (_, response) => reply(response, 400, bodyOf(size))
        const got = await wire.exchange(callTo(profile)).catch((thrown: { code: string }) => thrown)
        if ('status' in got) wire.classify(profile, got, 'read')
      }
      expect(await growth(200_000, look)).toBeLessThan(9)
    }
    sink.answer = (_, response) => reply(response, 200, `{"a":"${'[{'.repeat(100_000)}"}`)
    expect((await wire.exchange(callTo(profile))).json, 'brackets inside a text are no depth').toBe(true)
    sink.answer = fine
  })
})

describe('limits of the profile', () => {
  test('a rule may call other statuses a rate limit; a server error on a create is not repeated for that', async () => {
    const errors: WireProfile['errors'] = [
      { status: [403, 503], contains: 'slow down', failure: 'rate_limited', pauses: 'connection' },
    ]
    const profile = profileFor(sink.origin, {
      errors,
      pace: { limits: [{ per: 'connection', max: 100, windowMs: 50 }], concurrency: 5 },
    })
    const wire = wireTo([sink.origin])
    for (const [status, times] of [
      [403, 2],
      [503, 1],
    ] as const) {
      let requestCount = 0
      sink.answer = (_, response) =>
        (requestCount += 1) === 1
          ? reply(response, status, { message: 'Slow down' })
          : reply(response, 200, { ok: true })
      const got = await wire.exchange(callTo(profile, { method: 'POST', effect: 'create', body: {} }))
      expect([got.status, requestCount]).toEqual([times === 2 ? 200 : 503, times])
    }
    sink.answer = fine
  })

  test('what is left according to the headers holds us back, whatever they look like', async () => {
    const profile = profileFor(sink.origin, {
      pace: {
        limits: [{ per: 'connection', max: 10, windowMs: 60_000 }],
        concurrency: 5,
        remaining: [{ header: 'x-left', per: 'connection' }],
      },
    })
    const wire = wireTo([sink.origin])
    const left = async (text: string, key: string) => {
      sink.answer = (_, response) => reply(response, 200, {}, { 'x-left': text })
      await wire.exchange(callTo(profile, { account: account({ key }) }))
      return failureOf(wire.exchange(callTo(profile, { account: account({ key }), noWait: true }))).then(
        (failure) => failure.code,
        () => 'free',
      )
    }
    expect([
      await left('0', 'a'),
      await left(' 0;w=10', 'b'),
      await left('5', 'c'),
      await left('soon', 'd'),
      await left('-3', 'e'),
      await left('', 'f'),
    ]).toEqual(['rate_limited', 'rate_limited', 'free', 'free', 'free', 'free'])
    sink.answer = fine
  })

  test('a path family has its own limit, exactly as the template says', async () => {
    const profile = profileFor(sink.origin, {
      pace: { limits: [{ per: 'route', route: '/1/members/{id}', max: 1, windowMs: 60_000 }], concurrency: 5 },
    })
    const wire = wireTo([sink.origin])
    await wire.exchange(callTo(profile, { path: '/1/members/me' }))
    for (const path of ['/1/members/me', '/1/members/other', '/1/Members/x', '/1/members/me/'])
      expect((await failureOf(wire.exchange(callTo(profile, { path, noWait: true })))).code).toBe('rate_limited')
    for (const path of ['/1/members/me/boards', '/1/members', '/1/boards/x'])
      expect((await wire.exchange(callTo(profile, { path, noWait: true }))).status).toBe(200)
  })

  test('everything below a path can share a limit', async () => {
    const profile = profileFor(sink.origin, {
      pace: { limits: [{ per: 'route', route: '/1/api/**', max: 2, windowMs: 60_000 }], concurrency: 5 },
    })
    const wire = wireTo([sink.origin])
    for (const path of ['/1/api/subscriptions', '/1/api/account/secret']) await wire.exchange(callTo(profile, { path }))
    for (const path of ['/1/api/subscriptions/1', '/1/API/x'])
      expect((await failureOf(wire.exchange(callTo(profile, { path, noWait: true })))).code).toBe('rate_limited')
    for (const path of ['/1/api', '/1/apis/x', '/1/v3/api/x'])
      expect((await wire.exchange(callTo(profile, { path, noWait: true }))).status).toBe(200)
  })
})

describe('ends', () => {
  test('a call whose time is used up is not sent', async () => {
    const wire = wireTo([sink.origin])
    const before = sink.seen.length
    expect(
      (await failureOf(wire.exchange(callTo(profileFor(sink.origin), { deadlineAt: performance.now() - 1 })))).code,
    ).toBe('unreachable')
    expect(sink.seen.length).toBe(before)
  })

  test('closing sends those who wait away, and later calls, too', async () => {
    const wire = createWire(realOptions([sink.origin]))
    const profile = profileFor(sink.origin, {
      pace: { limits: [{ per: 'connection', max: 1, windowMs: 60_000 }], concurrency: 5 },
    })
    await wire.exchange(callTo(profile))
    const waiting = failureOf(wire.exchange(callTo(profile, { deadlineAt: performance.now() + 90_000 })))
    await new Promise((resolve) => setTimeout(resolve, 20))
    await wire.close()
    expect((await waiting).code).toBe('unavailable')
    expect(
      (await failureOf(wire.exchange(callTo(profile, { account: account({ key: 'other', appKey: 'other' }) })))).code,
    ).toBe('unavailable')
  })

  test('a place is given back whatever goes wrong around a call', async () => {
    const profile = profileFor(sink.origin, {
      pace: { limits: [{ per: 'connection', max: 1, windowMs: 20 }], concurrency: 1 },
    })
    const wire = wireTo([sink.origin])
    const oops = () => {
      throw new Error('oops')
    }
    for (const over of [{ recheck: oops }, { onSending: async () => oops() }, { correlationId: 'a\nb' }]) {
      const marked = { ...profile, writeMark: { header: 'x-mark' } }
      await failureOf(wire.exchange(callTo('correlationId' in over ? marked : profile, over)))
      expect((await wire.exchange(callTo(profile))).status).toBe(200)
    }
  })

  test('two wires know nothing of each other', async () => {
    const profile = profileFor(sink.origin, {
      pace: { limits: [{ per: 'connection', max: 1, windowMs: 60_000 }], concurrency: 5 },
    })
    const [firstWire, two] = [wireTo([sink.origin]), wireTo([sink.origin])]
    await firstWire.exchange(callTo(profile))
    expect((await failureOf(firstWire.exchange(callTo(profile, { noWait: true })))).code).toBe('rate_limited')
    expect((await two.exchange(callTo(profile, { noWait: true }))).status).toBe(200)
  })

  test('nothing of a wire keeps the process alive once it is closed or idle', async () => {
    const { spawnSync } = await import('node:child_process')
    const { fileURLToPath } = await import('node:url')
    const script = `
      import { createServer } from 'node:http'
      import { createWire } from ${JSON.stringify(fileURLToPath(new URL('../../shared/wire/index.ts', import.meta.url)))}
      const server = createServer((_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}')).listen(0, '127.0.0.1', async () => {
        const origin = 'http://127.0.0.1:' + server.address().port
        const wire = createWire({ now: Date.now, monotonic: () => performance.now(), sleep: (ms) => new Promise((done) => setTimeout(done, ms)), random: Math.random, egress: { privateOrigins: [origin], production: false } })
        const profile = { profile: 't', baseUrl: origin, auth: { t: { place: 'header', fields: { 'x-key': '{key}' } } }, reserved: [], pace: { limits: [], concurrency: 5 }, timeouts: { connectMs: 1000, headersMs: 60000, bodyMs: 60000, totalMs: 90000, deadlineMs: 120000 }, maxReplyBytes: 1000, errors: [], assumed: {} }
        await wire.exchange({ integration: 'p', profile, account: { key: 'a', appKey: 'b', type: 't', secrets: { key: 'k' } }, method: 'GET', path: '/x', effect: 'read', policy: { methods: ['GET'], under: '/', deny: [] } })
        server.close()
        server.closeAllConnections()
        const idle = performance.now()
        process.on('exit', () => console.log(performance.now() - idle))
      })`
    const child = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', script], {
      timeout: 50_000,
      cwd: fileURLToPath(new URL('../../', import.meta.url)),
      encoding: 'utf8',
    })
    expect([child.status, child.stderr]).toEqual([0, ''])
    expect(Number(child.stdout), 'ms until it ended').toBeLessThan(5000)
  })
})

test('a preview shows what would be sent for every place of a credential, and never the credential', () => {
  const wire = wireTo([sink.origin])
  for (const place of ['header', 'query', 'body'] as const) {
    const profile = profileFor(sink.origin, {
      auth: { 'key-token': { place, fields: { auth_value: 'Key {apiKey} {token}' } } },
    })
    const shown = wire.preview(callTo(profile, { method: 'POST', effect: 'create', body: { a: 1 } }))
    expect(JSON.stringify(shown)).toContain('***')
    for (const secret of Object.values(secrets)) expect(JSON.stringify(shown)).not.toContain(secret)
  }
})
