import { sentenceText } from '#kit'
import type { Names, Sentence } from '#kit'
import type { ShownSentence } from '../../api/resources/sentence.ts'

/** A stored sentence; null where there is none. */
export const readSentence = (summary: string | null): Sentence | null =>
  summary === null ? null : (JSON.parse(summary) as Sentence)

/** Puts the names that were learned where the sentence had none. */
export const withNames = (sentence: Sentence, names: Names): Sentence =>
  sentence.map((part) => {
    const name = part.unnamed && part.ref && names(part.ref)
    if (!name) return part
    const { unnamed: _, ...named } = part
    return { ...named, text: name }
  })

/** A sentence as faces show it. */
export const shownSentence = (parts: Sentence): ShownSentence => ({ text: sentenceText(parts), parts })
