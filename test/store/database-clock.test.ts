import { expect, test } from 'vitest'
import { fail } from '#kit'
import { openDatabaseClock } from '../../shared/store/postgres/clock.ts'
import type { Connections } from '../../shared/store/postgres/connection.ts'

const start = Date.UTC(2026, 2, 1, 12)
const day = 86_400_000

/**
 * A machine and a database, each with a clock of its own. `there` and `back`: what a statement takes on its way, and
 * its answer, in ms.
 */
const openClocks = async ({ aheadMs = 0, there = 1, back = 1 } = {}) => {
  const world = { passed: 0, databaseOff: 0, aheadMs, there, back, looks: 0, isAway: false }
  const truth = () => start + world.passed
  const machine = {
    now: () => truth() + world.aheadMs,
    monotonic: () => world.passed,
    sleep: async () => {},
  }
  const connections: Pick<Connections, 'use'> = {
    use: (work) =>
      work({
        send: async () => {
          world.looks += 1
          if (world.isAway) throw fail('unavailable', 'The database is away.')
          world.passed += world.there
          const at = truth() + world.databaseOff
          world.passed += world.back
          return [{ rows: [{ at }], changes: 1 }]
        },
        transact: async () => [],
        script: async () => [],
        ask: async () => [],
      }),
  }
  const time = await openDatabaseClock(connections, machine)
  return { world, time, off: () => time.clock.now() - truth() - world.databaseOff }
}

test('shows the time of the database, however far the clock of the machine is off, and says how far', async () => {
  for (const aheadMs of [-30 * day, -900_000, 0, 120_000, 30 * day]) {
    const { world, time, off } = await openClocks({ aheadMs })
    expect(off()).toBe(0)
    expect(time.aheadMs()).toBe(aheadMs)
    // The monotonic clock counts on, also while the database is away.
    world.isAway = true
    world.passed += 60_000
    expect(off()).toBe(0)
    expect([time.clock.monotonic(), time.aheadMs()]).toEqual([world.passed, aheadMs])
  }
})

test('half of the round trip is the most that it can be wrong, and a slow answer replaces no better one', async () => {
  const { world, time, off } = await openClocks({ there: 90, back: 10 })
  expect(off()).toBe(40)
  Object.assign(world, { there: 1, back: 1 })
  await time.look()
  // So that the time was not held back.
  world.passed += 100
  expect(off()).toBe(0)
  Object.assign(world, { there: 0, back: 800 })
  await time.look()
  expect(off()).toBe(0)
  // In the end it is: clocks drift.
  world.passed += 1_000_000
  Object.assign(world, { there: 20, back: 40 })
  await time.look()
  expect(off()).toBe(-10)
})

test('follows a database whose clock was set, also when the answers are slow', async () => {
  const { world, time, off } = await openClocks()
  Object.assign(world, { databaseOff: -60_000, there: 500, back: 500 })
  await time.look()
  expect(off()).toBe(0)
  expect(time.aheadMs()).toBe(60_000)
})

test('does not run backwards by the little that a better look shows', async () => {
  const { world, time } = await openClocks({ there: 10, back: 90 })
  const before = time.clock.now()
  Object.assign(world, { there: 1, back: 1 })
  await time.look()
  expect(time.clock.now()).toBeGreaterThanOrEqual(before)
  world.passed += 100
  expect(time.clock.now()).toBe(start + world.passed)
})

test('a machine that slept, whose monotonic clock stood still, asks the database before anything else', async () => {
  const { world, time, off } = await openClocks()
  // The time went on for everybody but for this machine.
  Object.assign(world, { databaseOff: 600_000, aheadMs: 600_000 })
  const { looks } = world
  time.clock.now()
  await time.look()
  expect(world.looks).toBe(looks + 1)
  expect(off()).toBe(0)
  // One look is enough.
  time.clock.now()
  expect(world.looks).toBe(looks + 1)
})

test('a database that is away is told to whoever looks, and to nobody else', async () => {
  const { world, time, off } = await openClocks()
  world.isAway = true
  await expect(time.look()).rejects.toThrow('away')
  world.aheadMs = 5_000
  expect(off()).toBe(0)
  await new Promise((resolve) => setImmediate(resolve))
  expect(time.aheadMs()).toBe(5_000)
})
