/** 1,500 histories of up to 60 commands over the triggers that the document does not have. */
import { expect, test } from 'vitest'
import { history } from './commands.ts'
import { playAll, seedOf } from './histories.ts'
import { beyond } from './scenes.ts'

test('1,500 histories of the other triggers: nothing is lost, doubled or invented', async () => {
  const totals = await playAll(history, 1500, seedOf('beyond'), beyond)
  console.log(JSON.stringify(totals))
  expect(totals.histories).toBe(1500)
  expect(totals.started / totals.offered).toBeGreaterThan(0.95)
})
