import { expect, it } from 'vitest'
import { openPeopleWorld } from '../people/world.ts'
import { walk, wrong } from '../people/walk.ts'

it('2,000 calls by 5 people of 2 tenants: each at the right account, none at another', async () => {
  const world = await openPeopleWorld()
  try {
    const visits = await walk(world, 2_000, 7)
    expect(wrong(visits)).toEqual([])
    const ways = Object.fromEntries(
      [...Map.groupBy(visits, ({ way }) => way)].map(([way, { length }]) => [way, length]),
    )
    console.log('people', JSON.stringify(ways))
  } finally {
    await world.close()
  }
})
