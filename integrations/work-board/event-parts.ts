import { asText, momentPart, namePart, quotePart, say, valuePart } from '#kit'
import type { Json, Names, Ref, Role, Sentence, SentencePart } from '#kit'
import type { BoardEvent } from './event.ts'

/** The parts that sentences about the board are made of. */

export type Fields = { [field: string]: Json }

/** What a thing is called while nobody has named it. */
const nameless: { [kind: string]: string } = {
  member: 'somebody',
  attachment: 'an attachment',
  checkItem: 'an item',
  customField: 'a custom field',
  option: 'an option',
  organization: 'a workspace',
  plugin: 'an add-on',
}
const nouns: { [kind: string]: string } = {
  checkItem: 'item',
  customField: 'custom field',
  organization: 'workspace',
  plugin: 'add-on',
}

export const fieldsIn = (value: unknown, name: string): Fields | undefined => {
  const part = typeof value === 'object' && value !== null ? (value as Fields)[name] : undefined
  return typeof part === 'object' && part !== null && !Array.isArray(part) ? part : undefined
}
export const textIn = (value: unknown, name: string): string | undefined => {
  const text = typeof value === 'object' && value !== null ? (value as Fields)[name] : undefined
  return typeof text === 'string' ? text : undefined
}

/** A thing as the kit refers to it; undefined without an id. People are named by their user name if need be. */
export const refIn = (kind: string, thing: unknown): Ref | undefined => {
  const { id, name, fullName, username } = (typeof thing === 'object' && thing !== null ? thing : {}) as Fields
  if (typeof id !== 'string' || id === '') return undefined
  const text = kind === 'member' ? name || fullName || username : name
  return typeof text === 'string' && text !== '' ? { kind, id, name: text } : { kind, id }
}

export const thingPart = (
  role: Role,
  kind: string,
  thing: unknown,
  names: Names,
  otherwise = nameless[kind] ?? `a ${kind}`,
): SentencePart => namePart(role, refIn(kind, thing), otherwise, names)

/** `the card Order tiles`, or only "a card" while it has no name. */
export const withNoun = (kind: string, part: SentencePart): Sentence =>
  part.unnamed || part.ref === undefined ? [part] : say`the ${nouns[kind] ?? kind} ${part}`

/** Who did it, at the beginning of a sentence. */
export const actorPart = (actor: unknown, names: Names): SentencePart =>
  thingPart('who', 'member', actor, names, 'Somebody')

/** A former or new value, such as the name that a thing had before. */
export const changedText = (role: 'from' | 'to', text: string): SentencePart => ({ ...valuePart(text), role })
export const changedMoment = (role: 'from' | 'to', text: string): SentencePart => ({ ...momentPart(text), role })

/** `: “the text”`, or nothing. */
export const quoted = (text: string | undefined): Sentence => (text ? say`: ${quotePart(text)}` : [])

/** A label by its name, otherwise by its colour, since many labels have no name. */
export const labelPart = (role: Role, label: unknown, names: Names): Sentence => {
  const colour = textIn(label, 'color')
  return withNoun('label', thingPart(role, 'label', label, names, colour ? `a ${colour} label` : 'a label'))
}

/** The board serves uploaded files under the attachment's own id; anything else is a link. */
export const attachmentKind = ({ id, url }: { [field: string]: unknown }): 'file' | 'link' =>
  typeof url === 'string' && typeof id === 'string' && url.includes(`/attachments/${id}/`) ? 'file' : 'link'

/** The value of a custom field: `{ text }`, `{ number }`, `{ checked }` or `{ date }`, or the id of an option. */
export const fieldValue = (item: unknown, names: Names): SentencePart | undefined => {
  const option = textIn(item, 'idValue')
  if (option) return namePart('to', { kind: 'option', id: option }, 'an option', names)
  const [kind, content] = Object.entries(fieldsIn(item, 'value') ?? {})[0] ?? []
  if (content === undefined || content === null) return undefined
  if (kind === 'date') return changedMoment('to', asText(content))
  if (kind === 'checked') return changedText('to', content === true || content === 'true' ? 'yes' : 'no')
  return changedText('to', asText(content))
}

/** An event, and the names that were learned before. */
export type Context = { event: BoardEvent; names: Names }

/** Who did it, at the beginning of a sentence. */
export const who = ({ event, names }: Context) => thingPart('who', 'member', event.actor, names, 'Somebody')

export const card = ({ event, names }: Context, role: Role = 'what') => thingPart(role, 'card', event.card, names)
export const list = ({ event, names }: Context, role: Role = 'where') => thingPart(role, 'list', event.list, names)
export const board = ({ event, names }: Context, role: Role = 'where') => thingPart(role, 'board', event.board, names)
/** What an event names besides board, list and card, under the board's word for it. */
export const about = ({ event, names }: Context, role: Role, kind: string, name = kind) =>
  thingPart(role, kind, event.about[name], names)
export const label = ({ event, names }: Context) => labelPart('what', event.about['label'], names)

export const theCard = (context: Context) => withNoun('card', card(context))
export const theList = (context: Context) => withNoun('list', list(context, 'what'))
export const theBoard = (context: Context) => withNoun('board', board(context, 'what'))
export const theWorkspace = ({ event, names }: Context) =>
  withNoun('organization', thingPart('where', 'organization', event.organization, names))
export const the = (context: Context, role: Role, kind: string) => withNoun(kind, about(context, role, kind))

/** ` on Kitchen refit`, where the event names the board. */
export const onBoard = (context: Context): Sentence => (context.event.board ? say` on ${board(context)}` : [])
/** ` in To order`, otherwise the board. */
export const inList = (context: Context): Sentence =>
  context.event.list ? say` in ${list(context)}` : onBoard(context)
/** ` on Order tiles`, of a part of a card; otherwise the board. */
export const onCard = (context: Context): Sentence =>
  context.event.card ? say` on ${card(context, 'where')}` : onBoard(context)
/** ` in the checklist Before ordering on Order tiles`; `word`: "in", "to" or "from". */
export const inChecklist = (context: Context, word = 'in'): Sentence =>
  context.event.about['checklist']
    ? say` ${word} ${the(context, 'where', 'checklist')}${onCard(context)}`
    : onCard(context)

/** Whether the person that the event is about did it themselves. */
export const isSelf = ({ event }: Context) => event.actor !== undefined && event.about['member']?.id === event.actor.id
