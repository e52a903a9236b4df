/** Histories of a provider of signals in which everything goes wrong. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bugs } from './bugs.ts'
import { countOf, seedOf } from './histories.ts'
import { playSignals } from './signal-check.ts'
import { signalHistory } from './signal-commands.ts'
import type { Bug } from './world.ts'

const count = countOf(500)

const holds = async (commands: Parameters<typeof playSignals>[0], bug?: Bug) => {
  const report = await playSignals(commands, bug)
  if (report.problems.length > 0) throw new Error(report.problems.slice(0, 5).join('\n'))
  return report
}

test(`${count} histories of signals: each starts once, is charged once, and what did not come is in a gap`, async () => {
  const totals = { histories: 0, charged: 0, started: 0, gaps: 0 }
  const property = fc.asyncProperty(signalHistory, async (commands) => {
    const { charged, started, gaps } = await holds(commands)
    totals.histories += 1
    totals.charged += charged
    totals.started += started
    totals.gaps += gaps
  })
  await fc.assert(property, { numRuns: count, seed: seedOf('signals') })
  console.log(JSON.stringify(totals))
  expect(totals.histories).toBe(count)
  expect(totals.started / totals.charged).toBeGreaterThan(0.4)
  expect(totals.gaps).toBeGreaterThan(0)
})

test.each(bugs.filter(({ name }) => /committed|five minutes/.test(name)).map((bug) => [bug.name, bug] as const))(
  'found among them: %s',
  async (_, bug) => {
    const property = fc.asyncProperty(signalHistory, async (commands) => void (await holds(commands, bug)))
    expect((await fc.check(property, { numRuns: 300, seed: seedOf('bugs'), endOnFailure: true })).failed).toBe(true)
  },
)
