/** 7,500 histories of up to 60 commands. */
import { expect, test } from 'vitest'
import { history } from './commands.ts'
import { playAll, seedOf } from './histories.ts'

test('7,500 histories: nothing is lost, doubled or invented', async () => {
  const totals = await playAll(history, 7500, seedOf('short'))
  console.log(JSON.stringify(totals))
  expect(totals.histories).toBe(7500)
  expect(totals.started / totals.offered).toBeGreaterThan(0.95)
})
