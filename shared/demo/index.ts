import { isFailure } from '#kit'
import { cards } from './cards.ts'
import { lookups } from './lookups.ts'
import { createStage, DemoBroken } from './stage.ts'
import type { Chapter, DemoParts } from './stage.ts'
import { triggers } from './triggers.ts'

const chapters: Chapter[] = [cards, triggers, lookups]

/** Plays the chapters in turn. Returns 0 when everything went as expected. */
export const playDemo = async (parts: DemoParts): Promise<number> => {
  const stage = createStage(parts)
  const { out, err } = parts
  out(
    'toolyard demo: every response below is real, from a sandbox in this process. No account and no network are needed.\n',
  )
  for (const [index, chapter] of chapters.entries()) {
    out(`\n${index + 1}. ${chapter.title}\n`)
    try {
      await chapter.play(stage)
    } catch (thrown) {
      if (!(thrown instanceof DemoBroken) && !isFailure(thrown)) throw thrown
      out('\n')
      err(`toolyard: the demo did not go as expected: ${thrown.message}\n`)
      return 1
    }
  }
  out(
    `\nThe demo is complete; everything went as expected. Start a server with the same sandbox: ${parts.typed('serve --sandbox')}\n`,
  )
  return 0
}
