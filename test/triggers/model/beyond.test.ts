/** Histories of up to 60 commands over the triggers that the document does not have. */
import { expect, test } from 'vitest'
import { history } from './commands.ts'
import { countOf, playAll, seedOf } from './histories.ts'
import { beyond, polled } from './scenes.ts'

test.each([
  { by: 'webhook', count: countOf(1000), scene: beyond },
  { by: 'polling', count: countOf(1000), scene: polled(beyond) },
])(
  '$count histories of the other triggers, by $by: nothing is lost, doubled or invented',
  async ({ by, count, scene }) => {
    const totals = await playAll(history, count, seedOf(`beyond, by ${by}`), scene)
    console.log(JSON.stringify(totals))
    expect(totals.histories).toBe(count)
    expect(totals.started / totals.offered).toBeGreaterThan(0.95)
  },
)
