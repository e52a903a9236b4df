/** 1,000 histories of 20 to 200 commands, and the shortest ones that show what was broken on purpose. */
import { expect, test } from 'vitest'
import { bugs } from './bugs.ts'
import { history, longHistory } from './commands.ts'
import { countOf, find, playAll, seedOf } from './histories.ts'

const count = countOf(1000)

test.each(bugs.map((bug) => [bug.name, bug] as const))(
  'found, and shown by ten commands at most: %s',
  async (_, bug) => {
    const finding = await find(bug, history, 1000, seedOf('bugs'), true)
    console.log(`${bug.name}: found after ${finding?.runs} histories; ${JSON.stringify(finding?.history)}`)
    expect(finding).toBeDefined()
    expect(finding!.history.length).toBeLessThanOrEqual(10)
  },
)

test(`${count} long histories: nothing is lost, doubled or invented`, async () => {
  const totals = await playAll(longHistory, count, seedOf('long'))
  console.log(JSON.stringify(totals))
  expect(totals.histories).toBe(count)
  expect(totals.started / totals.offered).toBeGreaterThan(0.95)
})
