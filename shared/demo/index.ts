import { isFailure } from '#kit'
import { cards } from './cards.ts'
import { lookups } from './lookups.ts'
import { createStage, DemoBroken } from './stage.ts'
import type { Chapter, DemoParts } from './stage.ts'
import { triggers } from './triggers.ts'

const chapters: Chapter[] = [cards, triggers, lookups]

/** Plays the chapters in turn. Gives 0 when everything was as told. */
export const playDemo = async (parts: DemoParts): Promise<number> => {
  const stage = createStage(parts)
  const { out, err } = parts
  out('toolyard demo: every answer below is real, from a sandbox in this process. No account and no network are needed.\n')
  for (const [index, chapter] of chapters.entries()) {
    out(`\n${index + 1}. ${chapter.title}\n`)
    try {
      await chapter.play(stage)
    } catch (thrown) {
      if (!(thrown instanceof DemoBroken) && !isFailure(thrown)) throw thrown
      out('\n')
      err(`toolyard: the demo did not go as told: ${thrown.message}\n`)
      return 1
    }
  }
  out(`\nThat was it, and everything was as told. The server with the same sandbox: ${parts.typed('serve --sandbox')}\n`)
  return 0
}
