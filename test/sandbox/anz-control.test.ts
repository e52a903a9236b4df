import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startAnzSandbox } from '../../shared/sandbox/anz/index.ts'
import type { AnzSandbox } from '../../shared/sandbox/anz/index.ts'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'

let now = 0
let sandbox: AnzSandbox
beforeEach(async () => {
  now = 1_000_000
  sandbox = await startAnzSandbox({ now: () => now, limits: { requests: 3, windowMs: 2500 } })
})
afterEach(() => sandbox.close())

const ask = (email = 'mirrin.alcott@wattlebird-freight.example') =>
  fetch(`${sandbox.origin}/enrich/person`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': sandbox.credentials.apiKey },
    body: JSON.stringify({ email }),
  })
const statuses = async (count: number) => {
  const seen: number[] = []
  for (let i = 0; i < count; i += 1) seen.push((await ask()).status)
  return seen
}

describe('rate limit', () => {
  test('is a sliding window and says how long to wait', async () => {
    expect(await statuses(1)).toEqual([200])
    now += 1000
    expect(await statuses(2)).toEqual([200, 200])
    const refused = await ask()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2'])
    now += 1500
    expect(await statuses(2)).toEqual([200, 429])
    expect(sandbox.control.counters().refused.tooMany).toBe(2)
  })

  test('counts only requests with a good key, and no control', async () => {
    for (let i = 0; i < 5; i += 1) {
      await fetch(`${sandbox.origin}/account/usage`)
      await fetch(`${sandbox.origin}/_control/state`)
    }
    expect(await statuses(4)).toEqual([200, 200, 200, 429])
  })

  test('of the other sandbox does not say how long', async () => {
    const other = await startContactSandbox({ now: () => now, limits: { requests: 0 } })
    try {
      const headers = { authorization: `Bearer ${other.credentials.apiKey}` }
      const reply = await fetch(`${other.origin}/account/usage`, { headers })
      expect([reply.status, reply.headers.get('retry-after')]).toEqual([429, null])
      expect(await reply.json()).toEqual({ error: { code: 'TOO_MANY', message: expect.not.stringMatching(/\d/) } })
    } finally {
      await other.close()
    }
  })
})

describe('faults', () => {
  beforeEach(() => sandbox.control.setLimits({ requests: 100 }))
  const charged = () => sandbox.control.counters().creditsCharged

  test('answer instead, for the matching requests only, before anything is charged', async () => {
    const answer = { status: 503, headers: { 'retry-after': '7' }, body: { error: 'down' } }
    sandbox.control.inject({ match: { method: 'POST', path: '/enrich/person' }, skip: 1, times: 2, answer })
    sandbox.control.inject({ match: { path: '/search' }, answer })
    expect(await statuses(4)).toEqual([200, 503, 503, 200])
    expect(charged()).toBe(4)
    expect(sandbox.control.state().faults.map(({ left }) => left)).toEqual([1])
    sandbox.control.clearFaults()
    expect(sandbox.control.state().faults).toEqual([])
  })

  test('can come after the charge', async () => {
    sandbox.control.inject({
      when: 'after',
      answer: { status: 502, headers: { 'content-type': 'text/html' }, body: '<p>bad</p>' },
    })
    const reply = await ask()
    expect([reply.status, await reply.text(), charged()]).toEqual([502, '<p>bad</p>', 2])
  })

  test.each([
    ['before', 'reset', 0],
    ['after', 'reset', 2],
    ['after', 'partial', 2],
  ] as const)('%s: a connection cut by %s', async (when, cut, credits) => {
    sandbox.control.inject({ when, cut })
    await expect(ask().then((reply) => reply.text())).rejects.toThrow()
    expect(charged()).toBe(credits)
    expect(sandbox.control.requests().map(({ status }) => status)).toEqual([undefined])
    expect((await ask()).status).toBe(200)
  })

  test('a hanging answer waits for the caller, and does not keep the sandbox from closing', async () => {
    sandbox.control.inject({ cut: 'hang' })
    const pending = ask().then(
      () => 'answered',
      () => 'cut',
    )
    while (sandbox.control.requests().length === 0) await new Promise((resolve) => setImmediate(resolve))
    await sandbox.close()
    expect(await pending).toBe('cut')
  })

  test('a delay alone changes nothing else', async () => {
    sandbox.control.inject({ delayMs: 1 })
    expect((await ask()).status).toBe(200)
    expect(charged()).toBe(2)
  })
})

describe('control over HTTP', () => {
  const control = async (method: string, path: string, body?: unknown, type = 'application/json') => {
    const content = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': type } }
    const reply = await fetch(`${sandbox.origin}/_control/${path}`, { method, ...content })
    return { status: reply.status, body: (await reply.json()) as any }
  }

  test('does what the verbs do, and a reset takes all of it back', async () => {
    const before = (await control('GET', 'state')).body
    await control('POST', 'credits', { remaining: 5 })
    await control('POST', 'no-match', { form: 'null' })
    await control('POST', 'limits', { requests: 50 })
    await control('POST', 'faults', { answer: { status: 418, body: {} } })
    expect((await ask('nobody@nobody.example')).status).toBe(418)
    expect(await (await ask('nobody@nobody.example')).json()).toBeNull()
    expect((await control('GET', 'state')).body).toMatchObject({
      credits: { remaining: 5 },
      noMatch: 'null',
      limits: { requests: 50, windowMs: 2500 },
    })
    expect((await control('GET', 'counters')).body).toMatchObject({
      requests: 2,
      misses: 1,
      byPath: { 'POST /enrich/person': 2 },
    })
    const [first] = (await control('GET', 'requests')).body
    expect(first).toMatchObject({
      at: now,
      method: 'POST',
      path: '/enrich/person',
      body: { email: 'nobody@nobody.example' },
      status: 418,
      credits: 0,
    })
    expect(first.headers['x-api-key']).toBe(sandbox.credentials.apiKey)
    expect((await control('POST', 'reset')).body).toEqual(before)
    expect((await control('GET', 'requests')).body).toEqual([])
  })

  test.each([
    ['credits', { remaining: -1 }],
    ['credits', {}],
    ['no-match', { form: '418' }],
    ['limits', { requests: 'many' }],
    ['faults', { answer: {} }],
    ['faults', { times: -1 }],
    ['faults', { cut: 'slowly' }],
    ['faults', { when: 'later' }],
    ['credits', [1]],
  ])('%s with %j is 400', async (verb, body) => {
    const reply = await control('POST', verb, body)
    expect([reply.status, typeof reply.body.error]).toEqual([400, 'string'])
  })

  test('takes no plain text, which any web page could send', async () => {
    expect((await control('POST', 'credits', { remaining: 0 }, 'text/plain')).status).toBe(400)
    expect(sandbox.control.state().credits.remaining).toBe(10_000)
    expect((await control('POST', 'constructor', {})).status).toBe(404)
  })
})

test('two sandboxes do not see each other', async () => {
  const other = await startAnzSandbox()
  try {
    sandbox.control.setCredits(1)
    expect(other.control.state().credits.remaining).toBe(10_000)
    await ask()
    expect(other.control.requests()).toEqual([])
  } finally {
    await other.close()
  }
})
