import { withoutPersons } from '#kit'
import type { NamedRef, Sentence, SentencePart, Words } from '#kit'
import type { Log } from '../ports/index.ts'
import { guarded, noNames, storedSentence } from './describe.ts'

/** What a run was given and what came of it, with the words of its integration. */
export type EndedRun = {
  runId: string
  integration: string
  step: string
  words: Words | undefined
  input: Record<string, unknown>
  output: unknown
}

const maxText = 400
/** An id that is itself an address or a number of a person. */
const namesPerson = /@|linkedin\.com|^\+\d/i
/** A count, which says nothing about anybody. */
const count = /^\d{1,6}$/

/** The part without the words of others: more people can read the history than what a run was about. */
const withoutNames = ({ text, role, ref, unnamed, otherwise }: SentencePart): SentencePart => {
  if (ref) {
    const neutral = unnamed ? text : (otherwise ?? `the ${ref.kind.replaceAll(/[_-]/g, ' ')}`)
    const { kind, id } = ref
    if (namesPerson.test(id)) return { text: neutral }
    return role
      ? { text: neutral, role, ref: { kind, id }, unnamed: true }
      : { text: neutral, ref: { kind, id }, unnamed: true }
  }
  if (role === undefined) return { text: withoutPersons(text, maxText) }
  return count.test(text) ? { text, role } : { text: '…' }
}

const namesOf = (sentence: Sentence): NamedRef[] =>
  sentence.flatMap(({ text, ref, unnamed }) => (ref && !unnamed ? [{ ...ref, name: text }] : []))

/**
 * What a run has done, as JSON, and a function that reads the names of what it touched. The sentence itself names
 * nothing: names are learned, sealed, and put in when it is shown; what people wrote is left out.
 */
export const describeRun = (
  { runId, integration, step, words, input, output }: EndedRun,
  log: Log,
): { summary: string | null; readNames?: () => NamedRef[] } => {
  if (!words?.describeRun && !words?.namesInRun) return { summary: null }
  const what = { integration, step, runId }
  const sentence = guarded(log, what, () => words.describeRun?.(step, input, output, noNames))
  return {
    summary: sentence === undefined ? null : storedSentence(sentence.map(withoutNames)),
    readNames: () => [
      ...(guarded(log, what, () => words.namesInRun?.(step, input, output)) ?? []),
      ...namesOf(sentence ?? []),
    ],
  }
}
