import { isFailure } from '#kit'
import type { House } from '../client.ts'
import { typed } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { board } from './board.ts'
import { lookups } from './lookups.ts'
import { createStage, DemoBroken } from './stage.ts'
import type { Chapter } from './stage.ts'
import { triggers } from './triggers.ts'

const chapters: Chapter[] = [board, triggers, lookups]

/** Plays the chapters in turn. Gives 0 when everything was as told. */
export const playDemo = async (house: House, terminal: Terminal): Promise<number> => {
  const stage = createStage(house, terminal)
  terminal.out('toolyard demo: every answer below is real, from a sandbox in this process. No account and no network are needed.\n')
  for (const [index, chapter] of chapters.entries()) {
    terminal.out(`\n${index + 1}. ${chapter.title}\n`)
    try {
      await chapter.play(stage)
    } catch (thrown) {
      if (!(thrown instanceof DemoBroken) && !isFailure(thrown)) throw thrown
      terminal.out('\n')
      terminal.err(`toolyard: the demo did not go as told: ${thrown.message}\n`)
      return 1
    }
  }
  terminal.out(`\nThat was it, and everything was as told. The server with the same sandbox: ${typed(terminal, 'serve --sandbox')}\n`)
  return 0
}
