/**
 * Histories of a model board with everything that goes wrong with it, played against the trigger runtime. Many more:
 * `npm run test:model`.
 */
import { describe, expect, test } from 'vitest'
import { bugs } from './model/bugs.ts'
import { history } from './model/commands.ts'
import { find, playAll } from './model/histories.ts'

const seed = 20260302
const count = 50

describe('histories of a board that fails in every way (I1-I12)', () => {
  test(`nothing is lost, doubled or invented in ${count} of them`, { timeout: 120_000 }, async () => {
    const totals = await playAll(history, count, seed)
    expect(totals.histories).toBe(count)
    // I10: the runs are about something.
    expect(totals.offered).toBeGreaterThan(10 * count)
    expect(totals.started / totals.offered).toBeGreaterThan(0.95)
    expect(totals.fleeting.started / totals.fleeting.offered).toBeGreaterThan(0.25)
    expect(totals.gaps).toBeGreaterThan(0)
    expect(totals.withoutGap).toBeGreaterThan(count / 10)
  })

  test.each(bugs.map((bug) => [bug.name, bug] as const))(
    'the check finds what was broken on purpose: %s',
    { timeout: 120_000 },
    async (_, bug) => {
      expect(await find(bug, history, 300, seed)).toBeDefined()
    },
  )
})
