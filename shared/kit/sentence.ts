import type { Event, Ref } from './event.ts'
import type { Json } from './json.ts'
import { visible } from './visible-text.ts'

/** What a part of a sentence stands for; parts without a role are words of ours. */
export type Role = 'who' | 'what' | 'where' | 'from' | 'to' | 'quote' | 'value'

/**
 * A part of a sentence. With `ref`, it names a thing at the provider: `text` is its name, or what such a thing is
 * called ("an issue") while nobody has named it; then `unnamed` is set and a name that is learned later takes its place.
 * Text with a role was written by others and is never markup.
 */
export type SentencePart = {
  text: string
  role?: Role
  ref?: Pick<Ref, 'kind' | 'id' | 'url'>
  unnamed?: true
  /** What the thing is called where its name must not stand ("an issue"). */
  otherwise?: string
}

/** What happened, in words a person reads, without a full stop. */
export type Sentence = SentencePart[]

/** The name of a thing of the connection, where it was learned. */
export type Names = (ref: Pick<Ref, 'kind' | 'id'>) => string | undefined

/**
 * What an integration says in words. Each function is pure and quick, and returns undefined for what it does not know;
 * the runtime then says which trigger or step it was.
 */
export type Words = {
  /** What happened. Of an item that a poll found, `event.type` is the trigger and `event.raw` its data. */
  describe(event: Event, names: Names): Sentence | undefined
  /**
   * What started an agent, by trigger, from the data of the trigger, where the event says less than the trigger: which
   * checklist the last item completed. Absent or undefined: what `describe` says of the event.
   */
  describeStart?: { [trigger: string]: (data: Json, names: Names) => Sentence | undefined }
  /** What a subscription of the trigger waits for: "a comment on an issue of Kitchen refit". */
  waitsFor?(trigger: string, config: Record<string, unknown>, names: Names): Sentence | undefined
  /** What a run of the step has done, from its input and output. */
  describeRun?(step: string, input: Record<string, unknown>, output: unknown, names: Names): Sentence | undefined
  /** What a run of the step would do, as it follows "wants to": "delete the file Plans". */
  describePlan?(step: string, input: Record<string, unknown>, names: Names): Sentence | undefined
  /** The things that an event names, each with its name. */
  namesIn?(event: Event): NamedRef[]
  /** The things that the output of a step names, at most a few dozen. */
  namesInRun?(step: string, input: Record<string, unknown>, output: unknown): NamedRef[]
}

export type NamedRef = Pick<Ref, 'kind' | 'id' | 'url'> & { name: string }

/** The longest text of one part, in characters. */
export const maxPartLength = 200

/** Enough of a text to fill a part, even where much of it is white space. */
const maxRead = 4 * maxPartLength
const plain = /^[\x20-\x7e]*$/

/** One visible line: a text of others can neither break a line nor turn the words around it. */
const shorten = (text: string) => {
  const start = text.length > maxRead ? text.slice(0, maxRead) : text
  const isPlain = plain.test(start) && !start.includes('  ')
  const line = (isPlain ? start : visible(start.replace(/\s+/g, ' '))).trim()
  if (line.length <= maxPartLength && start.length === text.length) return line
  return `${visible(line.slice(0, maxPartLength - 1))}…`
}

type Value = SentencePart | Sentence | string | undefined

/** Joins words and parts: say`${who} commented on ${issue}`. A text that is put in is words of ours. */
export const say = (words: TemplateStringsArray, ...values: Value[]): Sentence => {
  const sentence: Sentence = []
  for (let at = 0; at < words.length; at += 1) {
    const value = values[at] ?? ''
    const parts: Sentence = Array.isArray(value) ? value : [typeof value === 'string' ? { text: value } : value]
    for (let index = -1; index < parts.length; index += 1) {
      const part = index < 0 ? { text: words[at]! } : parts[index]!
      if (part.text === '') continue
      const last = sentence.at(-1)
      // Words of ours that follow each other are one part, which is no part of another sentence.
      if (part.role || part.ref) sentence.push(part)
      else if (last && !last.role && !last.ref) last.text += part.text
      else sentence.push({ ...part })
    }
  }
  return sentence
}

/** A thing by its name, or `otherwise` ("an issue") where nobody has named it. */
export const namePart = (
  role: Role,
  ref: Pick<Ref, 'kind' | 'id' | 'name' | 'url'> | undefined,
  otherwise: string,
  names?: Names,
): SentencePart => {
  if (ref === undefined) return { text: otherwise }
  const name = ref.name || names?.(ref)
  const { kind, id, url } = ref
  const place = url === undefined ? { kind, id } : { kind, id, url }
  return name
    ? { text: shorten(name), role, ref: place, otherwise }
    : { text: otherwise, role, ref: place, unnamed: true }
}

/** A text that a person wrote, such as a comment. */
export const quotePart = (text: string): SentencePart => ({ text: shorten(text), role: 'quote' })

/** A value, such as a date or a state. */
export const valuePart = (text: string): SentencePart => ({ text: shorten(text), role: 'value' })

const months = 'January February March April May June July August September October November December'.split(' ')

/** A moment, such as 31 March 2027, 06:00 UTC; a text that is none stays as it is. */
export const momentPart = (text: string): SentencePart => {
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) return valuePart(text)
  const two = (count: number) => (count < 10 ? `0${count}` : String(count))
  const day = `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}`
  return valuePart(`${day}, ${two(at.getUTCHours())}:${two(at.getUTCMinutes())} UTC`)
}

/** The sentence as text; quotes are in quotation marks. */
export const sentenceText = (sentence: Sentence): string => {
  let line = ''
  for (const { text, role } of sentence) line += role === 'quote' ? `“${text}”` : text
  return line
}
