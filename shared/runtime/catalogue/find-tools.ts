import { once } from '#kit'
import type { Effect, Integration, Method, Trigger, Vocabulary } from '#kit'
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
import { createSpelling } from './spelling.ts'
import type { LoadedStep } from './registry.ts'

/** The texts that a tool is found by, the most telling first. */
export type Findable = {
  title: string
  keywords: string[]
  purpose: string
  /** Its group, its field names, and the names of its integration. */
  otherTexts: string[]
  /** Undefined when the effect depends on the call. */
  effect: Effect | undefined
  /** What people call the objects of this provider. */
  vocabulary: Vocabulary
  /** Number of required fields. */
  required: number
}

export const findableStep = ({ step, loaded: { integration } }: LoadedStep): Findable => ({
  title: step.title,
  keywords: step.keywords ?? [],
  purpose: step.purpose,
  otherTexts: [
    step.group ?? '',
    integration.title,
    integration.summary,
    ...(integration.keywords ?? []),
    ...Object.keys(step.input.shape),
  ],
  effect: typeof step.effect === 'function' ? undefined : step.effect,
  vocabulary: integration.vocabulary ?? {},
  required: Object.values(step.input.shape).filter((field) => !field.safeParse(undefined).success).length,
})

export const findableTrigger = (
  { title, keywords = [], purpose, config }: Trigger,
  integration: Integration,
): Findable => ({
  title,
  keywords,
  purpose,
  otherTexts: [
    integration.title,
    integration.summary,
    ...(integration.keywords ?? []),
    ...Object.keys(config.shape as object),
  ],
  effect: undefined,
  vocabulary: integration.vocabulary ?? {},
  required: 0,
})

type Phrases = ReturnType<typeof phrasesOf>
type Entry<T> = {
  tool: T
  words: Map<string, number>
  /** Title and keywords, each as a list of word stems. */
  names: string[][]
  method: Method | undefined
  phrases: Phrases
  required: number
}
type Term = { own: string; alternatives: string[][]; isIdle: boolean; isVerb: boolean; isLast: boolean }
type Question = {
  words: string[]
  stems: string[]
  /** For each stem, the known one that was probably meant by a misspelt word. */
  meant: (string | undefined)[]
  wantedMethods: Method[] | undefined
}

/** Weights of the texts that contain a word, and of words that mean the same or begin alike. */
const weights = { title: 1, keyword: 0.9, purpose: 0.5, other: 0.3, meaning: 0.8, beginning: 0.4 }
/** Idle words say less about what is wanted than others, and the verb says less than its object. */
const idleWeight = 0.15
const verbWeight = 0.7
/** The share of the score that depends on how much of the title, or of one keyword, the question contains. */
const wholeNameShare = 0.45
const otherEffect = 0.7
const maxWords = 40
/** Shorter words are the beginning of too many others; the last word may still be being typed. */
const minBeginning = 4
const minTyped = 2
/** What scores less than this share of the best is not what was looked for. */
const leastShare = 0.5

const methodOf: Record<Effect, Method> = { read: 'GET', create: 'POST', update: 'PUT', delete: 'DELETE' }
const general = once(() => phrasesOf(generalWords))

const entryOf = <T>(
  tool: T,
  { title, keywords, purpose, otherTexts, effect, vocabulary, required }: Findable,
): Entry<T> => {
  const words = new Map<string, number>()
  const put = (text: string, weight: number, withIdle: boolean) => {
    for (const word of stemsOf(text))
      if ((withIdle || !idle.has(word)) && (words.get(word) ?? 0) < weight) words.set(word, weight)
  }
  put(title, weights.title, true)
  for (const keyword of keywords) put(keyword, weights.keyword, true)
  put(purpose, weights.purpose, false)
  for (const other of otherTexts) put(other, weights.other, false)
  const names = [title, ...keywords].map((name) => [...new Set(stemsOf(name))])
  return {
    tool,
    words,
    names,
    method: effect && methodOf[effect],
    phrases: [...phrasesOf(vocabulary), ...general()],
    required,
  }
}

const readQuestion = (question: string, spell: (word: string) => string | undefined): Question => {
  const words = asWords(question).slice(0, maxWords)
  const stems = words.map(stem)
  const meant = stems.map(spell)
  const verbAt = words.findIndex((word, at) => isVerbAt(words, at) && methodsByVerb.has(stem(word)))
  const wantedMethods =
    verbAt >= 0
      ? methodsByVerb.get(stems[verbAt]!)
      : asking.has(words[0] ?? '')
        ? (['GET'] satisfies Method[])
        : undefined
  return { words, stems, meant, wantedMethods }
}
const isVerbAt = (words: string[], at: number) => at === 0 || beforeVerbs.has(words[at - 1]!)

/**
 * The words of a question, each with its synonyms for this provider. A word within a longer phrase also gets the
 * synonyms of that phrase.
 */
const termsOf = ({ words, stems, meant }: Question, phrases: Phrases): Term[] => {
  const spelt = stems.map((own, at) => meant[at] ?? own)
  return stems.map((own, at) => ({
    own,
    alternatives: [
      ...(meant[at] === undefined ? [] : [[meant[at]]]),
      ...(idle.has(own) ? [] : phrases)
        .filter(([phrase]) =>
          phrase.some(
            (_, offset) => at >= offset && phrase.every((word, index) => spelt[at - offset + index] === word),
          ),
        )
        .flatMap(([, meanings]) => meanings),
    ],
    isIdle: idle.has(own),
    isVerb: isVerbAt(words, at) && methodsByVerb.has(own),
    isLast: at === stems.length - 1,
  }))
}

const startsAlike = (word: string, other: string) =>
  word.length >= minBeginning && other.length >= minBeginning && (word.startsWith(other) || other.startsWith(word))

const strengthOf = (words: Map<string, number>, { own, alternatives, isIdle, isLast }: Term): number => {
  const meant = alternatives.map((all) => weights.meaning * Math.min(...all.map((word) => words.get(word) ?? 0)))
  const best = Math.max(words.get(own) ?? 0, ...meant)
  if (best > 0 || isIdle) return best
  const beginnings = [...words]
    .filter(([word]) => startsAlike(word, own) || (isLast && own.length >= minTyped && word.startsWith(own)))
    .map(([, weight]) => weights.beginning * weight)
  return Math.max(0, ...beginnings)
}

/** The words of a tool's synonyms, which a question may be spelt with too. */
const phraseWords = ({ phrases }: Entry<unknown>) => phrases.flatMap(([phrase]) => phrase)

export type ToolSearch<T> = {
  /** Tools accepted by `from` that match a question in plain words, best first. */
  find(question: string, from: (tool: T) => boolean): T[]
  /** The same without those that match much worse than the best. */
  findBest(question: string, from: (tool: T) => boolean): T[]
}

/**
 * Finds tools by plain words. A score combines how much of the question a tool's texts contain (rare words count more),
 * whether the question contains its whole title or a keyword, and whether the verb fits its effect.
 */
export const createToolSearch = <T>(tools: T[], aboutOf: (tool: T) => Findable): ToolSearch<T> => {
  const entries = tools.map((tool) => entryOf(tool, aboutOf(tool)))
  const counts = new Map<string, number>()
  for (const { words } of entries) for (const word of words.keys()) counts.set(word, (counts.get(word) ?? 0) + 1)
  /** Inverse document frequency. A word that no tool has weighs as much as one that a single tool has. */
  const rarity = (word: string) => Math.log(1 + entries.length / (counts.get(word) ?? 1))
  const weigh = (word: string) => rarity(word) * (idle.has(word) ? idleWeight : 1)
  const spell = once(() => createSpelling(counts, [...idle, ...methodsByVerb.keys(), ...entries.flatMap(phraseWords)]))

  const scoreOf = ({ words, names, method, phrases }: Entry<T>, question: Question): number => {
    const terms = termsOf(question, phrases).map((term) => ({ ...term, strength: strengthOf(words, term) }))
    const weightOf = ({ own, isVerb }: Term) => weigh(own) * (isVerb ? verbWeight : 1)
    const met = terms.reduce((sum, term) => sum + term.strength * weightOf(term), 0)
    if (met === 0) return 0
    const totalWeight = terms.reduce((sum, term) => sum + weightOf(term), 0)
    const said = new Set(terms.flatMap(({ own, alternatives }) => [own, ...alternatives.flat()]))
    const sum = (all: string[]) => all.reduce((total, word) => total + weigh(word), 0)
    const whole = Math.max(...names.map((name) => sum(name.filter((word) => said.has(word))) / sum(name)))
    const fits = question.wantedMethods === undefined || method === undefined || question.wantedMethods.includes(method)
    return (met / totalWeight) * (1 - wholeNameShare + wholeNameShare * whole) * (fits ? 1 : otherEffect)
  }

  const rank = (text: string, from: (tool: T) => boolean) => {
    const question = readQuestion(text, spell())
    return (
      entries
        .filter(({ tool }) => from(tool))
        .map((entry) => ({ ...entry, score: scoreOf(entry, question) }))
        .filter(({ score }) => score > 0)
        // When a question names only a kind of product, scores are equal; a tool without required fields is then the
        // best place to start.
        .toSorted((left, right) => right.score - left.score || left.required - right.required)
    )
  }
  return {
    find: (text, from) => rank(text, from).map(({ tool }) => tool),
    findBest(text, from) {
      const ranked = rank(text, from)
      return ranked.filter(({ score }) => score >= leastShare * ranked[0]!.score).map(({ tool }) => tool)
    },
  }
}
