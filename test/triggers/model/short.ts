import { expect, test } from 'vitest'
import { history } from './commands.ts'
import { countOf, playAll, seedOf } from './histories.ts'

const count = countOf(2500)

/**
 * A third of the 7,500 histories of up to 60 commands, others in each part: three files, so that no core waits for the
 * other at the end.
 */
export const playShort = (part: 1 | 2 | 3) =>
  test(`${count} histories, part ${part} of 3: nothing is lost, doubled or invented`, async () => {
    const totals = await playAll(history, count, seedOf('short') + part - 1)
    console.log(JSON.stringify(totals))
    expect(totals.histories).toBe(count)
    expect(totals.started / totals.offered).toBeGreaterThan(0.95)
  })
