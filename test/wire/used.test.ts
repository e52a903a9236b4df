import { expect, test } from 'vitest'
import type { Used } from '../../shared/wire/index.ts'
import { callTo, failureOf, listen, profileFor, reply, wireTo } from './setup.ts'
import type { Sink } from './setup.ts'

const nothing = (): Used => ({ attempts: 0, waitedMs: 0, refused: 0, tried: [] })
const times = (used: Used) => used.tried.map(({ status, code }) => [status, code])

const answering = async (...answers: ((sink: Parameters<Sink['answer']>[1]) => void)[]) => {
  const sink = await listen()
  let n = 0
  sink.answer = (_, response) => answers[Math.min(n++, answers.length - 1)]!(response)
  return { sink, wire: wireTo([sink.origin]), profile: profileFor(sink.origin) }
}

test('an exchange that goes well is one attempt without a wait', async () => {
  const { wire, profile } = await answering((response) => reply(response, 200, {}))
  const used = nothing()
  await wire.exchange(callTo(profile, { used }))
  expect(used).toMatchObject({ attempts: 1, waitedMs: 0, refused: 0 })
  expect(used.tried).toEqual([
    {
      at: expect.any(Number),
      method: 'GET',
      path: '/1/cards/x',
      waitedMs: 0,
      durationMs: expect.any(Number),
      status: 200,
      code: null,
    },
  ])
})

test('a refusal by the rate limit is counted, and the wait belongs to the attempt after it', async () => {
  const { wire, profile } = await answering(
    (response) => reply(response, 429, {}, { 'retry-after': '1' }),
    (response) => reply(response, 200, {}),
  )
  const used = nothing()
  await wire.exchange(callTo(profile, { used }))
  expect(used).toMatchObject({ attempts: 2, refused: 1 })
  expect(times(used)).toEqual([
    [429, 'rate_limited'],
    [200, null],
  ])
  const [first, second] = used.tried
  expect(first!.waitedMs).toBe(0)
  // The provider asked for a second.
  expect(second!.waitedMs).toBeGreaterThanOrEqual(900)
  // Each of two timers may fire a millisecond early.
  expect(second!.at).toBeGreaterThanOrEqual(first!.at + first!.durationMs + second!.waitedMs - 2)
  expect(used.waitedMs).toBe(second!.waitedMs)
})

test('an attempt without an answer has a code and no status; one whose answer cannot be read has both', async () => {
  const { wire, profile } = await answering(
    (response) => void response.socket?.destroy(),
    (response) => reply(response, 500, {}),
    (response) => reply(response, 200, 'not compressed', { 'content-encoding': 'gzip' }),
  )
  const used = nothing()
  expect((await failureOf(wire.exchange(callTo(profile, { used })))).code).toBe('bad_reply')
  expect(times(used)).toEqual([
    [null, 'unreachable'],
    [500, null],
    [200, 'bad_reply'],
  ])
  expect(used.refused).toBe(0)
  expect(used.waitedMs).toBeGreaterThan(0)
})

test('of very many attempts the first ones and the last are described', async () => {
  const { wire, profile } = await answering((response) => reply(response, 200, {}))
  const used = nothing()
  for (let n = 0; n < 130; n += 1) await wire.exchange(callTo(profile, { used, path: `/1/cards/x${n}` }))
  expect(used.attempts).toBe(130)
  expect(used.tried).toHaveLength(100)
  expect([used.tried[98]!.path, used.tried[99]!.path]).toEqual(['/1/cards/x98', '/1/cards/x129'])
})
