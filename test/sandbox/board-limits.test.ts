import { afterEach, expect, test } from 'vitest'
import type { BoardSandbox } from '../../shared/sandbox/board/index.ts'
import { startFrozen } from './board-client.ts'

let running: BoardSandbox | undefined
const start = async (...startArguments: Parameters<typeof startFrozen>) => {
  const all = await startFrozen(...startArguments)
  running = all.sandbox
  return all
}
afterEach(() => running?.close())

test('100 requests per token in any ten seconds, and not one more', async () => {
  const { ask, clock } = await start()
  const path = '/1/members/me/boards?fields=id'
  for (let i = 0; i < 50; i += 1) expect((await ask('GET', path)).status).toBe(200)
  clock.at += 6000
  for (let i = 0; i < 50; i += 1) expect((await ask('GET', path)).status).toBe(200)
  const refused = await ask('GET', path)
  expect(refused).toMatchObject({
    status: 429,
    json: { error: 'API_TOKEN_LIMIT_EXCEEDED', message: 'Rate limit exceeded' },
  })
  expect(refused.headers.get('x-rate-limit-api-token-remaining')).toBe('0')
  expect(refused.headers.get('x-rate-limit-api-token-interval-ms')).toBe('10000')
  expect(refused.headers.get('retry-after')).toBeNull()
  clock.at += 4000
  const later = await ask('GET', path)
  expect([later.status, later.headers.get('x-rate-limit-api-token-remaining')]).toEqual([200, '49'])
})

test('the key counts for all its tokens together', async () => {
  const { sandbox, ask } = await start({ limits: { key: 3 } })
  const path = '/1/members/me/boards?fields=id'
  expect((await ask('GET', path)).status).toBe(200)
  expect((await ask('GET', path, { token: sandbox.credentials.secondToken })).status).toBe(200)
  expect((await ask('GET', path, { token: sandbox.credentials.accountToken })).status).toBe(200)
  expect((await ask('GET', path, { token: sandbox.credentials.secondToken })).json.error).toBe('API_KEY_LIMIT_EXCEEDED')
  expect(
    (await ask('GET', path, { key: sandbox.credentials.otherKey, token: sandbox.credentials.otherToken })).status,
  ).toBe(200)
})

test('/1/members/{id} has a window of its own; nested routes do not count', async () => {
  const { ask, clock } = await start({ limits: { memberRoute: 2 } })
  expect((await ask('GET', '/1/members/me?fields=id')).status).toBe(200)
  for (let i = 0; i < 5; i += 1) expect((await ask('GET', '/1/members/me/boards?fields=id')).status).toBe(200)
  expect((await ask('GET', '/1/members/me?fields=id')).status).toBe(200)
  expect((await ask('GET', '/1/members/me?fields=id')).json.error).toBe('MEMBER_LIMIT_EXCEEDED')
  clock.at += 900_000
  expect((await ask('GET', '/1/members/me?fields=id')).status).toBe(200)
})

test('more than the allowed refusals block the key until the window ends', async () => {
  const { sandbox, ask, clock } = await start({ limits: { token: 1, blockAfter: 3 } })
  const path = '/1/members/me/boards?fields=id'
  const second = { token: sandbox.credentials.secondToken }
  await ask('GET', path)
  for (let i = 0; i < 3; i += 1) expect((await ask('GET', path)).status).toBe(429)
  expect((await ask('GET', path, second)).status).toBe(200)
  expect((await ask('GET', path)).status).toBe(429)
  clock.at += 9999
  expect((await ask('GET', path, { token: sandbox.credentials.accountToken })).json.error).toBe(
    'API_KEY_LIMIT_EXCEEDED',
  )
  clock.at += 1
  expect((await ask('GET', path, { token: sandbox.credentials.accountToken })).status).toBe(200)
})

test('each route of a batch counts', async () => {
  const { ask } = await start({ limits: { token: 3 } })
  expect(
    (await ask('GET', '/1/batch?urls=/members/me/boards,/members/me/boards,/members/me/boards')).json.map(
      (answer: object) => Object.keys(answer)[0],
    ),
  ).toEqual(['200', '200', '429'])
})

test('time can be scaled, and retry-after switched on', async () => {
  const { ask, clock } = await start({ timeScale: 0.01, limits: { token: 1, retryAfter: true } })
  const path = '/1/members/me/boards?fields=id'
  await ask('GET', path)
  expect((await ask('GET', path)).headers.get('retry-after')).toBe('1')
  clock.at += 100
  expect((await ask('GET', path)).status).toBe(200)
})

test('every answer of the error table can be had on demand, as often as told', async () => {
  const { sandbox, ask, ids } = await start()
  const path = `/1/cards/${ids.card('Press kit')}`
  sandbox.control.fault({ match: { method: 'GET', path: '/1/cards' }, answer: 'too many cards', times: 2, skip: 1 })
  const statuses = [await ask('GET', path), await ask('GET', path), await ask('GET', path), await ask('GET', path)].map(
    (reply) => reply.status,
  )
  expect(statuses).toEqual([200, 403, 403, 200])
  sandbox.control.fault({ answer: { status: 409, body: 'conflict', headers: { 'x-extra': 'yes' } } })
  const own = await ask('GET', path)
  expect([own.status, own.text, own.headers.get('x-extra')]).toEqual([409, 'conflict', 'yes'])
  expect(() => sandbox.control.fault({ answer: 'no such' })).toThrow(/no answer is named/)
  expect(sandbox.control.counters()).toMatchObject({ faulted: 3, byStatus: { 200: 2, 403: 2, 409: 1 } })
})

test('a fault after the write leaves it done; a cut leaves the caller without an answer', async () => {
  const { sandbox, ask, ids } = await start()
  const make = (name: string) => ask('POST', '/1/cards', { body: { idList: ids.list('Ideas'), name } })
  const made = (name: string): number => [...sandbox.state.cards.values()].filter((card) => card.name === name).length
  sandbox.control.fault({ answer: 'server error', when: 'after' })
  expect((await make('done but 500')).status).toBe(500)
  sandbox.control.fault({ cut: 'reset', when: 'after' })
  await expect(make('done but cut')).rejects.toThrow()
  sandbox.control.fault({ cut: 'reset' })
  await expect(make('cut before')).rejects.toThrow()
  sandbox.control.fault({ cut: 'partial', when: 'after' })
  await expect(make('half an answer')).rejects.toThrow()
  expect([made('done but 500'), made('done but cut'), made('cut before'), made('half an answer')]).toEqual([1, 1, 0, 1])
})

test('an answer can hang until the caller gives up', async () => {
  const { sandbox, ids } = await start()
  sandbox.control.fault({ cut: 'hang' })
  await expect(
    fetch(`${sandbox.origin}/1/cards/${ids.card('Press kit')}`, { signal: AbortSignal.timeout(50) }),
  ).rejects.toThrow(/timeout/)
})

test('the control functions answer over HTTP, to this machine only', async () => {
  const { sandbox, ids } = await start()
  const post = (name: string, body: unknown, headers = {}) =>
    fetch(`${sandbox.origin}/_control/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const made = await post('createCard', { idList: ids.list('Ideas'), name: 'By hand', by: 'odettequill' })
  expect([made.status, ((await made.json()) as { name: string }).name]).toEqual([200, 'By hand'])
  expect((await post('moveCard', { idCard: 'a'.repeat(24), idList: ids.list('Done') })).status).toBe(404)
  expect((await post('constructor', {})).status).toBe(404)
  expect((await post('reset', {}, { origin: 'https://elsewhere.example' })).status).toBe(403)
  expect((await fetch(`${sandbox.origin}/_control/reset`)).status).toBe(405)
  expect([...sandbox.state.cards.values()].some((card) => card.name === 'By hand')).toBe(true)
  expect(
    ((await (await fetch(`${sandbox.origin}/_control/counters`)).json()) as { actions: number }).actions,
  ).toBeGreaterThan(10)
})
