/** A watch list as long as lists may be, at the provider, in the time that its limits take. */
import { afterEach, expect, test } from 'vitest'
import { caller, openSignals } from './signals-world.ts'
import type { SignalsWorld } from './signals-world.ts'
import { idleClock } from '../profiles/idle-clock.ts'

let world: SignalsWorld
afterEach(() => world.close())

test('10,000 people are watched within the limits of the provider, and removed without one left', async () => {
  const clock = idleClock(Date.now())
  world = await openSignals(undefined, { clock, perMinute: 100 })
  const { pack, sandbox, connect, get, subscribe } = world
  const { id: connection } = await connect('Account')
  const ids = Array.from({ length: 10_000 }, (_, n) => String(7_000_000 + n))
  await pack.peopleLists.create(caller, { name: 'Champions', rows: ids.map((id) => ({ id })) })
  const total = async () => {
    await clock.sleep(60_000)
    const { body } = await get('/api/subscriptions?limit=1')
    await clock.sleep(60_000)
    return body.pagination.total as number
  }
  const sentTo = (path: string) => sandbox.control.counters().byPath[path] ?? 0
  const begun = clock.now()
  const { id } = await subscribe('contact-signal', { peopleList: 'Champions', signals: ['promotion'] })
  await expect.poll(() => sentTo('POST /api/subscriptions'), { timeout: 60_000 }).toBe(ids.length / 25)
  expect(await total()).toBe(ids.length)
  expect(clock.now() - begun).toBeLessThan(8 * 60_000)
  await pack.subscriptions.remove(caller, id)
  await pack.hooks.reconcile(caller, connection)
  expect(await total()).toBe(0)
  expect(sentTo('POST /api/subscriptions/delete')).toBe(ids.length / 25)
  expect(sandbox.control.counters().refused.tooMany).toBe(0)
  clock.stop()
}, 120_000)
