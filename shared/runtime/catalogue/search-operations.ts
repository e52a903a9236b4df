import { distance } from '#kit'
import type { ApiOperation, Method, Vocabulary } from '#kit'
import {
  asking,
  asWords,
  beforeVerbs,
  generalWords,
  idle,
  methodsByVerb,
  phrasesOf,
  stem,
  stemsOf,
} from './plain-words.ts'

/**
 * Finds operations by plain words. A score combines how much of the question the operation's title, path and parameters
 * contain, how much of the operation the question contains, whether both name things in the same order, and whether the
 * verbs fit the method. Rare words weigh more.
 */
export type OperationSearch = {
  find(question: string, from: (operation: ApiOperation) => boolean, limit: number): ApiOperation[]
}

type Term = { word: string; weight: number; alternatives: string[][]; methods: Method[] | undefined }
type Entry = {
  operation: ApiOperation
  /** How strongly each word stands for the operation, 0 to 1. */
  words: Map<string, number>
  /** Its subject: the words of title and path, in the title's order, without the verb and idle words. */
  core: string[]
  /** What it reads or changes: the words of the last fixed part of the path. */
  resource: Set<string>
}

const put = (words: Map<string, number>, text: string, weight: number) => {
  for (const word of stemsOf(text)) if (!idle.has(word) && (words.get(word) ?? 0) < weight) words.set(word, weight)
}

const entryOf = (operation: ApiOperation): Entry => {
  const { title, path, parameters } = operation
  const words = new Map<string, number>()
  const literals = path.split('/').filter((part) => part !== '' && !part.startsWith('{'))
  put(words, title, 1)
  for (const [at, part] of literals.entries()) put(words, part, at === literals.length - 1 ? 0.9 : 0.7)
  for (const { name, in: place, choices = [] } of parameters) {
    put(words, name, place === 'path' ? 0.25 : 0.4)
    // Long lists of choices contain too many words to tell operations apart.
    if (choices.length <= 12) for (const choice of choices) put(words, choice, 0.2)
  }
  const [first = '', ...otherWords] = stemsOf(title)
  const named = [...(methodsByVerb.has(first) ? [] : [first]), ...otherWords, ...literals.flatMap(stemsOf)]
  const core = [...new Set(named)].filter((word) => !idle.has(word))
  return { operation, words, core, resource: new Set(stemsOf(literals.at(-1) ?? '')) }
}

/** Further words of a question are ignored. */
const maxWords = 40
const synonymWeight = 0.85
const verbWeight = 0.5

export const createSearch = (operations: ApiOperation[], vocabulary: Vocabulary = {}): OperationSearch => {
  const entries = operations.map(entryOf)
  const counts = new Map<string, number>()
  for (const { words } of entries)
    for (const [word, weight] of words) counts.set(word, (counts.get(word) ?? 0) + (weight >= 0.7 ? 1 : 0.2))
  const rarity = (word: string) => (counts.has(word) ? Math.log(1 + entries.length / (0.5 + counts.get(word)!)) : 0)
  /** Replaces a word that no operation has by one that begins alike or differs in one letter. */
  const correctWord = (word: string): string => {
    if (word.length < 5 || counts.has(word)) return word
    const alike = [...counts.keys()].filter(
      (candidate) =>
        candidate.length >= 5 &&
        (candidate.startsWith(word) ||
          word.startsWith(candidate) ||
          (Math.abs(candidate.length - word.length) <= 1 && distance(candidate, word) === 1)),
    )
    return (
      alike.toSorted(
        (candidate, other) => Math.abs(candidate.length - word.length) - Math.abs(other.length - word.length),
      )[0] ?? word
    )
  }
  const phrases = [...phrasesOf(vocabulary), ...phrasesOf(generalWords)]

  const termsOf = (question: string): Term[] => {
    const words = asWords(question).slice(0, maxWords)
    const stems = words.map(stem)
    const terms: Term[] = []
    for (let at = 0; at < stems.length;) {
      const matchingPhrases = phrases.filter(([phrase]) => phrase.every((word, offset) => stems[at + offset] === word))
      const length = matchingPhrases[0]?.[0].length ?? 1
      const own = stems.slice(at, at + length)
      const meanings = matchingPhrases.filter(([phrase]) => phrase.length === length).flatMap(([, all]) => all)
      const alternatives = [meanings.length > 0 ? own : own.map(correctWord), ...meanings]
      const weight = Math.max(...alternatives.map((all) => Math.max(...all.map(rarity))))
      const isVerb = at === 0 || beforeVerbs.has(words[at - 1]!)
      const methods = isVerb ? methodsByVerb.get(own[0]!) : undefined
      if (matchingPhrases.length > 0 || !idle.has(own[0]!))
        terms.push({ word: own[0]!, weight: methods ? weight * verbWeight : weight, alternatives, methods })
      at += length
    }
    return terms
  }

  const strength = ({ words }: Entry, alternative: string[]): number =>
    Math.min(...alternative.map((word) => words.get(word) ?? 0))
  const bestOf = (entry: Entry, { alternatives }: Term) =>
    alternatives
      .map((alternative, at) => ({
        alternative,
        strength: strength(entry, alternative) * (at === 0 ? 1 : synonymWeight),
      }))
      .reduce((best, candidate) => (candidate.strength > best.strength ? candidate : best))

  const scoreOf = (entry: Entry, terms: Term[], wantedMethods: Method[] | undefined): number => {
    const scoredTerms = terms.map((term) => ({ term, ...bestOf(entry, term) }))
    const totalWeight = scoredTerms.reduce((sum, { term }) => sum + term.weight, 0)
    const met = scoredTerms.reduce((sum, { term, strength: how }) => sum + term.weight * how, 0)
    if (totalWeight === 0 || met === 0) return 0
    const matched = scoredTerms.filter(({ strength: how }) => how > 0)
    const named = new Set(matched.flatMap(({ term }) => term.alternatives.flat()))
    const whole = entry.core.reduce((sum, word) => sum + rarity(word), 0)
    const held = entry.core.reduce((sum, word) => sum + (named.has(word) ? rarity(word) : 0), 0)
    const order = matched
      .filter(({ term }) => !idle.has(term.word))
      .map(({ alternative }) => entry.core.indexOf(alternative[0]!))
      .filter((at) => at >= 0)
    const pairs = order.slice(1).map((at, index) => at >= order[index]!)
    const inOrder = pairs.length === 0 ? 1 : pairs.filter(Boolean).length / pairs.length
    // A question names its subject first: "the parts of a thing".
    const subject = scoredTerms.find(({ term }) => !term.methods && !idle.has(term.word))
    const isResource =
      subject !== undefined && subject.strength > 0 && subject.alternative.some((word) => entry.resource.has(word))
    const method = wantedMethods
      ? [1, 0.85, 0.75][wantedMethods.indexOf(entry.operation.method)]
      : entry.operation.method === 'GET'
        ? 1
        : 0.9
    return (
      (met / totalWeight) *
      (0.45 + 0.55 * (whole === 0 ? 1 : held / whole)) *
      (0.85 + 0.15 * inOrder) *
      (method ?? 0.5) *
      (isResource ? 1 : 0.85)
    )
  }

  return {
    find(question, from, limit) {
      const terms = termsOf(question)
      const verb = terms.find(({ methods }) => methods !== undefined)?.methods
      const wantedMethods = verb ?? (asking.has(asWords(question)[0] ?? '') ? (['GET'] satisfies Method[]) : undefined)
      return entries
        .filter(({ operation }) => from(operation))
        .map((entry) => ({ operation: entry.operation, score: scoreOf(entry, terms, wantedMethods) }))
        .filter(({ score }) => score > 0)
        .toSorted((hit, other) => other.score - hit.score)
        .slice(0, limit)
        .map(({ operation }) => operation)
    },
  }
}
