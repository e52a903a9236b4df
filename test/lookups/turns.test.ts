/**
 * Servers that share a store take turns at sending lookups of one kind, so that each finds what those before it stored.
 */
import { expect, test } from 'vitest'
import { createTurns } from '../../shared/runtime/lookups/turns.ts'
import type { Cluster } from '../../shared/runtime/ports/index.ts'
import { fakeClock } from '../support/clock.ts'

const begin = () => {
  const clock = fakeClock()
  const held = new Set<string>()
  let taken = 0
  const lease = (async (name) => {
    if (held.has(name)) return undefined
    held.add(name)
    taken += 1
    return {
      lease: name,
      epoch: taken,
      isHeld: () => held.has(name),
      renew: async () => true,
      release: async () => void held.delete(name),
    }
  }) satisfies Cluster['lease']
  return { clock, held, taken: () => taken, server: () => createTurns({ lease }, clock) }
}
test('a server waits until another one has ended its turn, and lookups of one server share a turn', async () => {
  const place = begin()
  const [firstServer, other] = [place.server(), place.server()]
  const leaving = await Promise.all([firstServer.enter('a'), firstServer.enter('a'), firstServer.enter('a')])
  expect(place.taken()).toBe(1)
  const from = place.clock.monotonic()
  const waiting = other.enter('a')
  for (const leave of leaving) await leave()
  const leave = await waiting
  expect([place.taken(), place.clock.monotonic() - from < 2000]).toEqual([2, true])
  await leave()
  expect(place.held.size).toBe(0)
})

test('another kind has turns of its own', async () => {
  const place = begin()
  await place.server().enter('a')
  const from = place.clock.monotonic()
  await place.server().enter('b')
  expect([place.taken(), place.clock.monotonic()]).toEqual([2, from])
})

test('nobody waits for longer than two seconds, and whoever gave up ends nobody else\u2019s turn', async () => {
  const place = begin()
  await place.server().enter('a')
  const from = place.clock.monotonic()
  const leave = await place.server().enter('a')
  expect(place.clock.monotonic() - from).toBe(2000)
  await leave()
  expect([place.taken(), place.held.size]).toEqual([1, 1])
})

test('a turn is not prolonged for ever: a lookup that comes late waits for the next one', async () => {
  const place = begin()
  const server = place.server()
  const leave = await server.enter('a')
  place.clock.advance(99)
  await (
    await server.enter('a')
  )()
  place.clock.advance(1)
  const late = server.enter('a')
  const next = server.enter('a')
  await leave()
  await Promise.all([(await late)(), (await next)()])
  expect([place.taken(), place.held.size]).toEqual([2, 0])
})
