import { describe, expect, test } from 'vitest'
import type { Pace } from '#kit'
import { pace as paceSchema } from '../../shared/kit/profile/pace.ts'
import { createLimitRegister } from '../../shared/wire/rate-limit/limit-register.ts'
import { fakeClock } from './clock.ts'
import { account, callTo, failureOf, listen, profileFor, reply, wireTo } from './setup.ts'
import type { Call } from '../../shared/wire/index.ts'

const sink = await listen()
const limit = { per: 'field', field: 'channel', max: 1, windowMs: 60_000 } as const
const pace = (over: Partial<Pace['limits'][number]> = {}): Pace => ({ limits: [{ ...limit, ...over }], concurrency: 9 })
const withPace = (over?: Partial<Pace['limits'][number]>) => profileFor(sink.origin, { pace: pace(over) })
const opened = () => wireTo([sink.origin])
const post = (over: Partial<Call>): Partial<Call> => ({ method: 'POST', effect: 'create', noWait: true, ...over })
/** Whether calls are let through, one after the other. */
const outcomes = async (profile: ReturnType<typeof withPace>, calls: Partial<Call>[]) => {
  const wire = opened()
  const seen: string[] = []
  for (const call of calls)
    seen.push(
      await wire.exchange(callTo(profile, post(call))).then(
        () => 'sent',
        (failure: { code: string }) => failure.code,
      ),
    )
  return seen
}
const to = (channel: unknown) => ({ body: { channel, text: 'Rain' } as never })

describe('a limit for each value of a field', () => {
  test('holds back calls with the same value, and no others', async () => {
    expect(await outcomes(withPace(), [to('C1'), to('C1'), to('C2'), to('C2'), to(7)])).toEqual([
      'sent',
      'rate_limited',
      'sent',
      'rate_limited',
      'sent',
    ])
  })

  test('counts no call without a value, and each account by itself', async () => {
    expect(await outcomes(withPace(), [{ body: {} }, { body: {} }, to(null), to(['C1']), to(['C1'])])).toEqual(
      Array.from({ length: 5 }, () => 'sent'),
    )
    const other = account({ key: 't/other' })
    expect(await outcomes(withPace(), [to('C1'), { ...to('C1'), account: other }])).toEqual(['sent', 'sent'])
  })

  test('reads the value from the query, from a dotted path of the body, or from its place in the route', async () => {
    expect(await outcomes(withPace(), [{ query: { channel: 'C1' } }, { query: { channel: 'C1' } }])).toEqual([
      'sent',
      'rate_limited',
    ])
    const deep = { body: { variables: { id: 'C1' } } }
    expect(await outcomes(withPace({ field: 'variables.id' }), [deep, deep])).toEqual(['sent', 'rate_limited'])
    const inRoute = withPace({ route: '/1/channels/{channel}/messages' })
    const paths = ['/1/channels/C1/messages', '/1/channels/C1/messages', '/1/channels/C2/messages', '/1/channels/C1']
    expect(
      await outcomes(
        inRoute,
        paths.map((path) => ({ path })),
      ),
    ).toEqual(['sent', 'rate_limited', 'sent', 'sent'])
  })

  test('lets the next call go when the window has passed', async () => {
    const clock = fakeClock()
    const wire = wireTo([sink.origin], { ...clock, sleep: clock.sleep })
    const profile = withPace({ windowMs: 1000 })
    const send = () => wire.exchange(callTo(profile, post(to('C1'))))
    await send()
    const { details } = await failureOf(send())
    expect(details.retryAfterMs).toBe(1000)
    await clock.pass(1001)
    await expect(send()).resolves.toMatchObject({ status: 200 })
  })

  test('a refusal pauses the value that it names, and the connection where the call has none', async () => {
    const refusing = (values: Partial<Call>[]) => {
      let isFirst = true
      sink.answer = (_, response) => {
        reply(response, isFirst ? 429 : 200, {}, { 'retry-after': '60' })
        isFirst = false
      }
      const rules = { errors: [{ status: 429, failure: 'rate_limited' as const, pauses: 'field' as const }] }
      return outcomes(profileFor(sink.origin, { pace: pace({ max: 5 }), ...rules }), values)
    }
    expect(await refusing([to('C1'), to('C1'), to('C2')])).toEqual(['rate_limited', 'rate_limited', 'sent'])
    expect(await refusing([{ body: {} }, to('C2')])).toEqual(['rate_limited', 'rate_limited'])
    sink.answer = (_, response) => reply(response, 200, {})
  })

  test('is shared by processes under a bounded number of keys', () => {
    const slots = {} as never
    const register = createLimitRegister({ monotonic: () => 0, slots })
    const keys = new Set<string>()
    for (let channel = 0; channel < 5000; channel += 1) {
      const values = [{ index: 0, value: `C${channel}` }]
      const { grants } = register.bucketsFor('chat', sink.origin, withPace(), account(), [], [], values)
      expect(grants!.windows).toMatchObject([{ max: 1, windowMs: 60_000, per: 'field' }])
      keys.add(grants!.windows[0]!.key)
    }
    expect(keys.size).toBeGreaterThan(500)
    expect(keys.size).toBeLessThanOrEqual(1024)
  })

  test('names its field, which no other limit does', () => {
    const parsed = (over: object) => paceSchema().safeParse({ ...pace(), limits: [{ ...limit, ...over }] })
    expect(parsed({}).success).toBe(true)
    for (const over of [{ field: undefined }, { per: 'connection' }])
      expect(parsed(over).error?.issues[0]?.path).toEqual(['limits', 0, 'field'])
  })
})
