import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import { play } from './check.ts'
import type { Command } from './commands.ts'
import type { Scene } from './scenes.ts'
import type { Bug } from './world.ts'

/** Of so many histories the part that is played: all, or with MODEL_PART=5 a fifth of them, at least one. */
export const countOf = (whole: number) => Math.max(1, Math.round(whole / Number(process.env['MODEL_PART'] ?? 1)))

export type Totals = {
  histories: number
  offered: number
  started: number
  fleeting: { offered: number; started: number }
  gaps: number
  withoutGap: number
}

const holds = async (commands: Command[], bug?: Bug, scene?: Scene) => {
  const report = await play(commands, bug, scene)
  if (report.problems.length > 0) throw new Error(report.problems.slice(0, 5).join('\n'))
  return report
}

/** Plays so many histories; throws with seed, path and the shortest history found when something does not hold. */
export const playAll = async (
  histories: fc.Arbitrary<Command[]>,
  numRuns: number,
  seed: number,
  scene?: Scene,
): Promise<Totals> => {
  const totals: Totals = {
    histories: 0,
    offered: 0,
    started: 0,
    fleeting: { offered: 0, started: 0 },
    gaps: 0,
    withoutGap: 0,
  }
  await fc.assert(
    fc.asyncProperty(histories, async (commands) => {
      const { offered, started, fleeting, gaps } = await holds(commands, undefined, scene)
      totals.histories += 1
      totals.offered += offered
      totals.started += started
      totals.fleeting.offered += fleeting.offered
      totals.fleeting.started += fleeting.started
      totals.gaps += gaps
      totals.withoutGap += gaps === 0 ? 1 : 0
    }),
    { numRuns, seed },
  )
  return totals
}

/** The history that shows a planted bug, as short as it gets; undefined when none of so many does. */
export const find = async (
  bug: Bug,
  histories: fc.Arbitrary<Command[]>,
  numRuns: number,
  seed: number,
  shrink = false,
) => {
  const {
    failed,
    numRuns: runs,
    counterexample,
  } = await fc.check(
    fc.asyncProperty(histories, async (commands) => void (await holds(commands, bug))),
    { numRuns, seed, endOnFailure: !shrink },
  )
  return failed ? { runs, history: counterexample![0] } : undefined
}

/** Another one each time, said so that the same can be played again. */
export const seedOf = (what: string): number => {
  const seed = Number(process.env['MODEL_SEED'] ?? randomInt(2 ** 31))
  console.log(`${what}: MODEL_SEED=${seed}`)
  return seed
}
