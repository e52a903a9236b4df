import { expect, test } from 'vitest'
import type { PaceLimit } from '#kit'
import { fakeClock } from './clock.ts'
import { account, callTo, failureOf, listen, profileFor, reply, wireTo } from './setup.ts'
import type { SharedSlots } from '../../shared/wire/index.ts'

type Asked = { requestedCount: number; tenant: string; isBulk: boolean; keys: string[] }

/** A store whose answers a test gives when it wants to. */
const openSlots = () => {
  const slotRequests: (Asked & {
    answer(grant: { granted: number; waitMs?: number; goodMs?: number; at?: number }): void
    fail(): void
  })[] = []
  const paused: { keys: string[]; ms: number }[] = []
  const moved: number[][] = []
  const movedWeights: (number | undefined)[][] = []
  const returned: { at: number; count: number; tenant: string }[] = []
  const slots: SharedSlots = {
    take: (windows, requestedCount, tenant, isBulk) =>
      new Promise((resolve, reject) => {
        slotRequests.push({
          requestedCount,
          tenant,
          isBulk,
          keys: windows.map(({ key }) => key),
          answer: ({ granted, waitMs = 1000, goodMs = 100, at = 0 }) => resolve({ granted, waitMs, goodMs, at }),
          fail: () => reject(new Error('away')),
        })
      }),
    move: (windows, at) => {
      moved.push([...at])
      movedWeights.push(windows.map(({ weight }) => weight))
    },
    giveBack: (_, at, count, tenant) => void returned.push({ at, count, tenant }),
    pause: (windows, ms) => void paused.push({ keys: windows.map(({ key }) => key), ms }),
  }
  return { slots, asked: slotRequests, paused, moved, movedWeights, returned }
}

const stage = async () => {
  const sink = await listen()
  const { slots, asked: slotRequests, paused, moved, movedWeights, returned } = openSlots()
  const clock = fakeClock()
  const wire = wireTo([sink.origin], { slots, monotonic: clock.monotonic, sleep: clock.sleep })
  const profile = profileFor(sink.origin, {
    pace: { limits: [{ per: 'connection', max: 100, windowMs: 1000 }], concurrency: 50 },
  })
  const arrived = async (count: number) => {
    while (sink.seen.length < count) await new Promise((resolve) => setImmediate(resolve))
    await clock.settle()
    return sink.seen.length
  }
  return { sink, asked: slotRequests, paused, moved, movedWeights, returned, clock, wire, profile, arrived }
}

test('what waits is asked for together, and no more is sent than was granted', async () => {
  const { asked: slotRequests, clock, wire, profile, arrived } = await stage()
  const sharedAccount = account()
  const calls = Array.from({ length: 7 }, () => wire.exchange(callTo(profile, { account: sharedAccount })))
  await clock.settle()
  expect(slotRequests.map(({ requestedCount, tenant }) => [requestedCount, tenant])).toEqual([[1, 't']])
  slotRequests[0]!.answer({ granted: 1 })
  expect(await arrived(1)).toBe(1)
  expect(slotRequests[1]).toMatchObject({ requestedCount: 6 })
  slotRequests[1]!.answer({ granted: 4, waitMs: 200 })
  expect(await arrived(5)).toBe(5)
  // Of fewer than were asked for, the store knows when there are more.
  await clock.pass(199)
  expect(slotRequests).toHaveLength(2)
  await clock.pass(1)
  slotRequests[2]!.answer({ granted: 0, waitMs: 300 })
  await clock.pass(299)
  expect(slotRequests).toHaveLength(3)
  await clock.pass(1)
  expect(slotRequests[3]).toMatchObject({ requestedCount: 2 })
  slotRequests[3]!.answer({ granted: 2 })
  await arrived(7)
  expect(await Promise.all(calls)).toHaveLength(7)
})

test('a grant that came too late is not used, as when the process stood still, but given back', async () => {
  const { asked: slotRequests, returned, clock, wire, profile, arrived, sink } = await stage()
  const call = wire.exchange(callTo(profile))
  await clock.settle()
  clock.jump(101)
  slotRequests[0]!.answer({ granted: 1, goodMs: 100, at: 5 })
  await clock.pass(50)
  expect(sink.seen).toHaveLength(0)
  expect(returned).toEqual([{ at: 5, count: 1, tenant: 't' }])
  expect(slotRequests).toHaveLength(2)
  slotRequests[1]!.answer({ granted: 1, goodMs: 100 })
  await arrived(1)
  await call
})

test('without an answer of the store nothing is sent; it is asked again, and the wait ends with the deadline of the call', async () => {
  const { asked: slotRequests, clock, wire, profile, sink } = await stage()
  const failed = failureOf(wire.exchange(callTo(profile)))
  await clock.settle()
  for (let index = 0; index < 20; index += 1) {
    slotRequests.at(-1)!.fail()
    await clock.pass(250)
  }
  expect(slotRequests.length).toBeGreaterThan(10)
  expect(sink.seen).toHaveLength(0)
  expect(await failed).toMatchObject({ code: 'rate_limited' })
})

test('a refusal pauses the limit everywhere', async () => {
  const { sink, asked: slotRequests, paused, clock, wire, profile, arrived } = await stage()
  sink.answer = (_, response) => reply(response, 429, {}, { 'retry-after': '2' })
  const failed = failureOf(wire.exchange(callTo({ ...profile, timeouts: { ...profile.timeouts, deadlineMs: 500 } })))
  await clock.settle()
  slotRequests[0]!.answer({ granted: 1 })
  await arrived(1)
  expect(await failed).toMatchObject({ code: 'rate_limited' })
  expect(paused).toHaveLength(1)
  expect(paused[0]!.keys).toEqual(slotRequests[0]!.keys)
  expect(paused[0]!.ms).toBeGreaterThanOrEqual(2000)
})

test('bulk is asked for as bulk, and what an account shares with others by the key of the app', async () => {
  const { asked: slotRequests, clock, wire, profile } = await stage()
  const shared = { ...profile, pace: { limits: [{ per: 'app' as const, max: 300, windowMs: 1000 }], concurrency: 50 } }
  const failed = [
    failureOf(wire.exchange(callTo(shared, { priority: 'bulk' }))),
    failureOf(wire.exchange(callTo(shared, { account: account({ key: 'u/conn', tenant: 'u' }) }))),
  ]
  await clock.settle()
  expect(slotRequests.map(({ tenant, isBulk }) => [tenant, isBulk])).toEqual([
    ['t', true],
    ['u', false],
  ])
  expect(slotRequests[0]!.keys).toEqual(slotRequests[1]!.keys)
  await wire.close()
  expect(await Promise.all(failed)).toMatchObject([{ code: 'unavailable' }, { code: 'unavailable' }])
})

test('a call that is answered late counts from its answer on; one that is answered soon stays where it is', async () => {
  const { sink, asked: slotRequests, moved, clock, wire, profile, arrived } = await stage()
  const waiting: (() => void)[] = []
  sink.answer = (_, response) => void waiting.push(() => reply(response, 200, { ok: true }))
  const sharedAccount = account()
  const calls = [1, 2, 3].map(() => wire.exchange(callTo(profile, { account: sharedAccount })))
  await clock.settle()
  slotRequests[0]!.answer({ granted: 1, at: 11 })
  await arrived(1)
  slotRequests[1]!.answer({ granted: 2, at: 22 })
  await arrived(3)
  waiting[0]!()
  await calls[0]
  await clock.pass(100)
  expect(moved).toEqual([])
  clock.jump(100)
  waiting[1]!()
  waiting[2]!()
  await Promise.all(calls)
  await clock.pass(20)
  expect(moved).toEqual([[22, 22]])
})

test('of a late call only the points are moved that it used; those of other calls stay where they are', async () => {
  const { sink, asked: slotRequests, moved, movedWeights, returned, clock, wire, profile, arrived } = await stage()
  const waiting: ((headers: Record<string, string>) => void)[] = []
  sink.answer = (_, response) => void waiting.push((headers) => reply(response, 200, { ok: true }, headers))
  const limits: PaceLimit[] = [
    { per: 'connection', counts: 'points', max: 100, windowMs: 1000 },
    { per: 'connection', max: 100, windowMs: 1000 },
  ]
  const points = { default: 10, actual: { header: 'x-cost' } }
  const inPoints = { ...profile, pace: { limits, points, concurrency: 50 } }
  const sharedAccount = account()
  const calls = [1, 2, 3].map(() => wire.exchange(callTo(inPoints, { account: sharedAccount })))
  await clock.settle()
  slotRequests[0]!.answer({ granted: 1, at: 11 })
  await arrived(1)
  slotRequests[1]!.answer({ granted: 2, at: 22 })
  await arrived(3)
  clock.jump(200)
  waiting[1]!({ 'x-cost': '4' })
  await calls[1]
  await clock.pass(20)
  waiting[2]!({})
  await calls[2]
  await clock.pass(20)
  expect([returned, moved]).toEqual([[{ at: 22, count: 1, tenant: 't' }], [[22], [22]]])
  expect(movedWeights).toEqual([
    [4, undefined],
    [10, undefined],
  ])
  waiting[0]!({})
  await calls[0]
})
