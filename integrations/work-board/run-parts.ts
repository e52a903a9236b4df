import { namePart, say } from '#kit'
import type { Names, Sentence, SentencePart } from '#kit'
import { propertyWord } from './event-changes.ts'
import { refIn, textIn } from './event-parts.ts'
import { readRef } from './refs.ts'
import type { RefKind } from './refs.ts'

/** The parts that sentences about runs are made of. */

export type Run = { input: Record<string, unknown>; output: unknown; names: Names }

const nouns: { [kind: string]: string } = { checkItem: 'item', customField: 'custom field' }

/** The thing that an input field names; cards and boards may be given by short link or page address. */
const thingOf = (kind: string, text: unknown) => {
  if (typeof text !== 'string' || text === '') return undefined
  const read = kind === 'card' || kind === 'board' ? readRef(kind satisfies RefKind, text) : undefined
  return { id: read?.ok ? read.value : text }
}

/** `the list Done`: something that a step made, changed or read. `thing`: a record, or the id that the input gives. */
export const the = (kind: string, thing: unknown, { names }: Run): Sentence =>
  say`the ${nouns[kind] ?? kind} ${namePart('what', refIn(kind, typeof thing === 'string' ? { id: thing } : thing), 'without a known name', names)}`

const part = (role: 'what' | 'where' | 'from' | 'to', kind: string, thing: unknown, names: Names): SentencePart =>
  namePart(role, refIn(kind, thing), kind === 'member' ? 'somebody' : `a ${kind}`, names)

/** The card that the input gives. */
export const card = ({ input, names }: Run, role: 'what' | 'where' | 'from' = 'what'): SentencePart =>
  part(role, 'card', thingOf('card', input['idCard']), names)
/** The card that the output is, or whose id it holds. */
export const outputCard = (run: Run, role: 'what' | 'where' = 'what'): SentencePart =>
  textIn(run.output, 'id') ? part(role, 'card', run.output, run.names) : card(run, role)

/** Where something went or was: by the id in the output, otherwise by that of the input. */
export const place = (kind: string, field: string, { input, output, names }: Run, role: 'where' | 'to' = 'where') =>
  part(role, kind, thingOf(kind, textIn(output, field) ?? input[field]), names)
export const list = (run: Run, role: 'where' | 'to' = 'where') => place('list', 'idList', run, role)
export const board = (run: Run) => place('board', 'idBoard', run)
/** ` on Kitchen refit`, where the input gives a board. */
export const onBoard = (run: Run): Sentence => (typeof run.input['idBoard'] === 'string' ? say` on ${board(run)}` : [])
export const member = ({ input, names }: Run) => part('what', 'member', thingOf('member', input['idMember']), names)
/** The board itself, where the output is a board. */
export const theBoard = (run: Run) =>
  the('board', textIn(run.output, 'id') ? run.output : thingOf('board', run.input['idBoard']), run)

/** `1 card`, `12 cards` */
export const count = (things: number, what: string, many = `${what}s`) =>
  `${things === 0 ? 'no' : things} ${things === 1 ? what : many}`
/** How many rows the output has under that name. */
export const rows = ({ output }: Run, field: string): unknown[] => {
  const value = typeof output === 'object' && output !== null ? (output as Record<string, unknown>)[field] : undefined
  return Array.isArray(value) ? value : []
}
export const numberIn = (output: unknown, field: string): number => {
  const value = typeof output === 'object' && output !== null ? (output as Record<string, unknown>)[field] : undefined
  return typeof value === 'number' ? value : 0
}

/** `the name and the due date`, of the input fields that say what to change. */
export const inputProperties = ({ input }: Run, without: string[]): string => {
  const cleared = Array.isArray(input['clear']) ? input['clear'].filter((name) => typeof name === 'string') : []
  const names = [...Object.keys(input).filter((name) => name !== 'clear' && input[name] !== undefined), ...cleared]
  const words = [...new Set(names.filter((name) => !without.includes(name)).map((name) => `the ${propertyWord(name)}`))]
  if (words.length === 0 || words.length > 3) return ''
  return words.length === 1 ? words[0]! : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}
