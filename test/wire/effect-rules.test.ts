import { describe, expect, test } from 'vitest'
import type { Effect, ErrorRule } from '#kit'
import { callTo, listen, profileFor, reply, wireTo } from './setup.ts'

const sink = await listen()
const wire = wireTo([sink.origin], { sleep: () => Promise.resolve() })
const errors: ErrorRule[] = [
  { status: [200, 299], path: 'error', equals: 'timeout', effect: 'read', failure: 'provider_failed' },
  { status: [200, 299], path: 'error', equals: 'timeout', effect: 'write', failure: 'outcome_unknown' },
  { status: 404, effect: 'write', failure: 'outcome_unknown' },
  { status: 404, effect: 'read', failure: 'provider_failed' },
]
const profile = profileFor(sink.origin, { errors })

/** How often a request is sent that is answered so at first, and what its last answer means. */
const send = async (effect: Effect, status: number, body: object, paid = false) => {
  sink.seen.length = 0
  sink.answer = (_, response) =>
    sink.seen.length === 1 ? reply(response, status, body) : reply(response, 200, { ok: true })
  const answer = await wire.exchange(callTo(profile, { method: 'POST', body: {}, effect, paid }))
  return { times: sink.seen.length, means: wire.classify(profile, answer, effect)?.code }
}

describe('a rule for reads and another for writes', () => {
  test.each([
    ['a good status with an error in its body', 200, { error: 'timeout' }],
    ['a 404', 404, {}],
  ])('%s: a read is sent again, a write has an unknown outcome', async (_, status, body) => {
    expect(await send('read', status, body)).toEqual({ times: 2, means: undefined })
    for (const effect of ['create', 'update', 'delete'] as const)
      expect(await send(effect, status, body)).toEqual({ times: 1, means: 'outcome_unknown' })
    expect(await send('create', status, body, true)).toEqual({ times: 1, means: 'outcome_unknown' })
  })

  test('a rule without an effect holds for both, and repeats nothing', async () => {
    const both = profileFor(sink.origin, { errors: [{ status: 409, failure: 'provider_failed' }] })
    for (const effect of ['read', 'create'] as const) {
      sink.seen.length = 0
      sink.answer = (_, response) => reply(response, 409, {})
      const answer = await wire.exchange(callTo(both, { method: 'POST', body: {}, effect }))
      expect(wire.classify(both, answer, effect)?.code).toBe('provider_failed')
      expect(sink.seen.length).toBe(1)
    }
  })
})
