import { expect, test } from 'vitest'
import type { Pace } from '#kit'
import { atEvenPace } from '../../shared/runtime/session/even-pace.ts'
import { fakeClock } from '../wire/clock.ts'

/** When each request of a long run is sent, in ms after the first. */
const sentAt = async (pace: Pick<Pace, 'limits' | 'points'>, requests: object[]) => {
  const clock = fakeClock()
  const times: number[] = []
  const context = { send: async () => void times.push(clock.monotonic()) }
  const loaded = { step: { effect: 'create' }, loaded: { wire: { pace: { concurrency: 1, ...pace } } } }
  const { send } = atEvenPace(context as never, { loaded, clock } as never)
  const sending = (async () => {
    for (const request of requests) await send({ method: 'POST', path: '/1/items', ...request } as never)
  })()
  await clock.pass(600_000)
  await sending
  return times.map((at) => at - times[0]!)
}

test('a long run uses half of the tightest limit that all its requests share', async () => {
  const limits: Pace['limits'] = [
    { per: 'connection', max: 10, windowMs: 1000 },
    { per: 'app', max: 4, windowMs: 1000 },
    { per: 'route', route: '/1/search', max: 1, windowMs: 60_000 },
    { per: 'field', field: 'channel', max: 1, windowMs: 60_000 },
  ]
  expect(await sentAt({ limits }, [{}, {}, {}])).toEqual([0, 500, 1000])
})

test('a long run leaves half of the points of a limit, whatever each request costs', async () => {
  const limits: Pace['limits'] = [{ per: 'connection', counts: 'points', max: 100, windowMs: 1000 }]
  const points = { default: 1, write: 5 }
  expect(await sentAt({ limits, points }, [{}, { points: 50 }, { method: 'GET' }, {}])).toEqual([0, 100, 1100, 1120])
})
