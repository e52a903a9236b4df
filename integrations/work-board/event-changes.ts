import { momentPart, say, valuePart } from '#kit'
import type { Json, Sentence } from '#kit'
import {
  about,
  board,
  card,
  changedMoment,
  changedText,
  inChecklist,
  inList,
  labelPart,
  list,
  onBoard,
  onCard,
  theBoard,
  theCard,
  theList,
  thingPart,
  who,
} from './event-parts.ts'
import type { Context } from './event-parts.ts'

/** What an update says: the board reports every change of a card, list or board under one type. */

type Values = { before: Json | undefined; after: Json | undefined }
type Describe = (context: Context, values: Values) => Sentence

const text = (value: Json | undefined) => (typeof value === 'string' && value !== '' ? value : undefined)

const describeDate =
  (what: string): Describe =>
  (context, { before, after }) => {
    const [former, date] = [text(before), text(after)]
    if (date === undefined) return say`${who(context)} removed the ${what} of ${card(context)}`
    if (former === undefined) return say`${who(context)} set the ${what} of ${card(context)} to ${momentPart(date)}`
    const [from, to] = [changedMoment('from', former), changedMoment('to', date)]
    return say`${who(context)} moved the ${what} of ${card(context)} from ${from} to ${to}`
  }

const describeDesc: Describe = (context, { before, after }) => {
  if (text(after) === undefined) return say`${who(context)} removed the description of ${card(context)}`
  if (text(before) === undefined) return say`${who(context)} added a description to ${card(context)}`
  return say`${who(context)} changed the description of ${card(context)}`
}

const ids = (value: Json | undefined) =>
  Array.isArray(value) ? value.filter((id): id is string => typeof id === 'string') : []

/** The labels before and after; one change usually adds or removes one of them. */
const describeLabels: Describe = (context, { before, after }) => {
  const [former, now] = [ids(before), ids(after)]
  const added = now.filter((id) => !former.includes(id))
  const removed = former.filter((id) => !now.includes(id))
  const label = (id: string) => labelPart('what', { id }, context.names)
  const at = card(context, 'where')
  if (added.length === 1 && removed.length === 0) return say`${who(context)} added ${label(added[0]!)} to ${at}`
  if (removed.length === 1 && added.length === 0) return say`${who(context)} removed ${label(removed[0]!)} from ${at}`
  return say`${who(context)} changed the labels of ${card(context)}`
}

/** Positions grow downwards in a list, and to the right on a board. */
const isSmaller = ({ before, after }: Values) =>
  typeof before === 'number' && typeof after === 'number' && after < before

const describeCardMove: Describe = (context) => {
  const { event, names } = context
  const from = thingPart('from', 'list', event.from?.list, names)
  const to = thingPart('to', 'list', event.to?.list, names)
  return say`${who(context)} moved ${card(context)} from ${from} to ${to}`
}

const cardChanges: { [property: string]: Describe } = {
  closed: (context, { after }) =>
    after === true
      ? say`${who(context)} archived ${theCard(context)}${inList(context)}`
      : say`${who(context)} unarchived ${theCard(context)}${inList(context)}`,
  idList: describeCardMove,
  name: (context, { before }) =>
    say`${who(context)} renamed the card ${changedText('from', text(before) ?? '')} to ${card(context, 'to')}`,
  due: describeDate('due date'),
  dueComplete: (context, { after }) =>
    say`${who(context)} marked the due date of ${card(context)} as ${after === true ? 'complete' : 'not complete'}`,
  dueReminder: (context) => say`${who(context)} changed the due date reminder of ${card(context)}`,
  start: describeDate('start date'),
  desc: describeDesc,
  idLabels: describeLabels,
  pos: (context, values) => {
    const way = isSmaller(values) ? 'up' : 'down'
    return say`${who(context)} moved ${card(context)} ${way}${inList(context)}`
  },
  idAttachmentCover: (context, { after }) =>
    text(after)
      ? say`${who(context)} changed the cover image of ${card(context)}`
      : say`${who(context)} removed the cover image of ${card(context)}`,
  cover: (context) => say`${who(context)} changed the cover of ${card(context)}`,
}

const listChanges: { [property: string]: Describe } = {
  name: (context, { before }) => {
    const [from, to] = [changedText('from', text(before) ?? ''), list(context, 'to')]
    return say`${who(context)} renamed the list ${from} to ${to}${onBoard(context)}`
  },
  closed: (context, { after }) =>
    after === true
      ? say`${who(context)} archived ${theList(context)}${onBoard(context)}`
      : say`${who(context)} unarchived ${theList(context)}${onBoard(context)}`,
  pos: (context, values) =>
    say`${who(context)} moved ${theList(context)} to the ${isSmaller(values) ? 'left' : 'right'}${onBoard(context)}`,
}

const boardChanges: { [property: string]: Describe } = {
  name: (context, { before }) =>
    say`${who(context)} renamed the board ${changedText('from', text(before) ?? '')} to ${board(context, 'to')}`,
  closed: (context, { after }) => say`${who(context)} ${after === true ? 'closed' : 'reopened'} ${theBoard(context)}`,
}

/** Words for properties that change without a sentence of their own, or several at once. */
const properties: { [property: string]: string } = {
  name: 'name',
  desc: 'description',
  due: 'due date',
  dueComplete: 'completion',
  dueReminder: 'reminder',
  start: 'start date',
  closed: 'archiving',
  idList: 'list',
  idBoard: 'board',
  pos: 'position',
  idLabels: 'labels',
  idMembers: 'members',
  cover: 'cover',
  idAttachmentCover: 'cover image',
  address: 'address',
  locationName: 'location name',
  coordinates: 'coordinates',
  subscribed: 'subscription',
  softLimit: 'card limit',
  idOrganization: 'workspace',
  prefs: 'settings',
  attachments: 'attachments',
  checklists: 'checklists',
  checkItems: 'checklist items',
  customFieldItems: 'custom fields',
  customFields: 'custom fields',
  file: 'attachments',
  color: 'colour',
  permissionLevel: 'visibility',
}
const wordOf = (property: string) => {
  const [name = ''] = property.split('.')
  return Object.hasOwn(properties, name) ? properties[name] : undefined
}
/** What a property of a card or list is called, such as `due date`. */
export const propertyWord = (property: string): string => wordOf(property) ?? property

/** `the name and the due date`; "something" for a property without a word of its own. */
const listProperties = (names: string[]): string => {
  const words = [...new Set(names.map((name) => (wordOf(name) ? `the ${wordOf(name)}` : 'something')))]
  if (words.length === 0 || words.length > 4) return 'something'
  return words.length === 1 ? words[0]! : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

/** A move changes the position too, which is then no news. */
const changedProperties = ({ event }: Context): string[] => {
  const changed = Object.keys(event.before ?? {})
  return changed.length > 1 ? changed.filter((property) => property !== 'pos') : changed
}

const describeUpdate =
  (changes: { [property: string]: Describe }, what: (context: Context) => Sentence) =>
  (context: Context): Sentence => {
    const { before, after } = context.event
    const changed = changedProperties(context)
    const [property] = changed
    if (changed.length === 1 && property !== undefined && Object.hasOwn(changes, property))
      return changes[property]!(context, { before: before?.[property], after: after?.[property] })
    return say`${who(context)} changed ${listProperties(changed)} of ${what(context)}`
  }

export const describeCardUpdate = describeUpdate(cardChanges, theCard)
export const describeListUpdate = describeUpdate(listChanges, theList)
export const describeBoardUpdate = describeUpdate(boardChanges, theBoard)

/** A part of a card or board that was renamed, or changed in another way: `the checklist Before ordering`. */
const describePart =
  (kind: string, noun: string, where: (context: Context) => Sentence) =>
  (context: Context): Sentence => {
    const former = text(context.event.before?.['name'])
    const part = about(context, former === undefined ? 'what' : 'to', kind)
    if (former !== undefined)
      return say`${who(context)} renamed the ${noun} ${changedText('from', former)} to ${part}${where(context)}`
    return say`${who(context)} changed ${part.unnamed || part.ref === undefined ? '' : `the ${noun} `}${part}${where(context)}`
  }

export const describeChecklistUpdate = describePart('checklist', 'checklist', onCard)
export const describeFieldUpdate = describePart('customField', 'custom field', onBoard)

const describeOtherItemUpdate = describePart('checkItem', 'item', inChecklist)
export const describeItemUpdate = (context: Context): Sentence => {
  const { before, after } = context.event
  if (before?.['due'] === undefined || before['name'] !== undefined) return describeOtherItemUpdate(context)
  const [item, due] = [about(context, 'what', 'checkItem'), text(after?.['due'])]
  return due === undefined
    ? say`${who(context)} removed the due date of ${item}${inChecklist(context)}`
    : say`${who(context)} set the due date of ${item} to ${momentPart(due)}${inChecklist(context)}`
}

const describeOtherLabelUpdate = describePart('label', 'label', onBoard)
export const describeLabelUpdate = (context: Context): Sentence => {
  const { before, after } = context.event
  if (before?.['color'] === undefined || before['name'] !== undefined) return describeOtherLabelUpdate(context)
  const colour = valuePart(text(after?.['color']) ?? 'none')
  return say`${who(context)} changed the colour of ${labelPart('what', context.event.about['label'], context.names)} to ${colour}${onBoard(context)}`
}
