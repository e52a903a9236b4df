import { expect, it } from 'vitest'
import { openPeopleWorld } from './world.ts'
import { walk, wrong } from './walk.ts'

/** A tenth of the calls that test/long/people.test.ts makes. */
it('nobody acts as somebody else, whichever way they come', { timeout: 120_000 }, async () => {
  const world = await openPeopleWorld()
  try {
    const visits = await walk(world, 200, 1)
    expect(wrong(visits)).toEqual([])
    expect(new Set(visits.map(({ way }) => way)).size).toBeGreaterThan(12)
    expect(visits.filter(({ asked }) => Object.keys(asked).length === 1).length).toBeGreaterThan(80)
  } finally {
    await world.close()
  }
})
