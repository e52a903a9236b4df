import { z } from '#kit'
import type { BoardEvent, BoardFacts, NamedObject } from './event.ts'
import { kindOf } from './action-types.ts'
import { kinds } from './event-kinds.ts'
import type { Kind } from './event-kinds.ts'

/**
 * Schemas of the data that triggers send to agents: the fields that all events share, and small shapes for the rest.
 */

const described = (description: string) => z.string().meta({ description })
const id = () => described('Id of 24 characters.')

export const boardPlace = () =>
  z.object({
    id: id(),
    name: described('Name of the board.').optional(),
    shortLink: described('Short link of the board, 8 characters.').optional(),
  })
export const listPlace = () => z.object({ id: id(), name: described('Name of the list.').optional() })
export const cardPlace = () =>
  z.object({
    id: id(),
    name: described('Name of the card, as people wrote it.').optional(),
    shortLink: described('Short link of the card, 8 characters; tools take it as the id.').optional(),
  })
export const person = () =>
  z.object({
    id: id(),
    name: described('Full name.').optional(),
    username: described('User name, as in @mentions.').optional(),
  })
export const place = () =>
  z.object({
    board: boardPlace().optional().meta({ description: 'The board; absent when the provider did not say.' }),
    list: listPlace().optional().meta({ description: 'The list; absent when the provider did not say.' }),
  })

/** A record as the board returns it; only its id is guaranteed. */
export const thing = (description: string, fields: { [name: string]: z.ZodType } = {}) =>
  z.looseObject({ id: id(), ...fields }).meta({ description })
export const name = () => described('The name, as people wrote it.').optional()

export const eventFields = () => ({
  actionId: described('Id of the action at the board.'),
  at: described('When it happened, in UTC.'),
  by: person().optional().meta({ description: 'Who did it; absent when the board does not say.' }),
  board: boardPlace().optional().meta({ description: 'The board it happened on.' }),
})
export const onCard = () => ({
  ...eventFields(),
  list: listPlace().optional().meta({ description: 'The list the card is in; absent when the board did not say.' }),
  card: cardPlace().optional().meta({ description: 'The card.' }),
})

type EventData = {
  actionId: string
  at: string
  by?: NonNullable<BoardEvent['actor']>
  board?: NamedObject
  list?: NamedObject
  card?: NamedObject
}
type ActivityData = EventData &
  Pick<BoardEvent, 'text' | 'from' | 'to' | 'before' | 'after' | 'about' | 'type'> & { kind: Kind }

/** Built field by field: it is made for each start, and spreads cost several times as much. */
export const eventData = ({ id, at, actor, board }: BoardEvent): EventData => {
  const data: EventData = { actionId: id, at }
  if (actor) data.by = actor
  if (board) data.board = board
  return data
}

/** The list of an event, from the event itself or fetched. */
export const listOf = (event: BoardEvent, facts: BoardFacts = {}): NamedObject | undefined => event.list ?? facts.list

export const cardEventData = (event: BoardEvent, facts?: BoardFacts) => {
  const data = eventData(event)
  const list = listOf(event, facts)
  if (list) data.list = list
  if (event.card) data.card = event.card
  return data
}

const texts = ['name', 'username', 'url']

/**
 * A thing that an event names besides board, list and card; undefined when it has no id. Text fields whose value is not
 * text are left out, so that one odd field does not lose the event.
 */
export const aboutOf = (event: BoardEvent, kind: string): { id: string; [field: string]: unknown } | undefined => {
  const part = event.about[kind]
  if (part === undefined || typeof part.id !== 'string') return undefined
  return {
    ...Object.fromEntries(
      Object.entries(part).filter(([field, value]) => !texts.includes(field) || typeof value === 'string'),
    ),
    id: part.id,
  }
}

/** Schemas of an update's changed properties, before and after. */
export const changedProperties = () => {
  const described = (when: string) =>
    z.record(z.string(), z.unknown()).meta({ description: `The changed properties as they were ${when}.` })
  return {
    changed: z.array(z.string()).meta({ description: 'Names of the changed properties.' }),
    before: described('before'),
    after: described('after'),
  }
}

const values = (when: string) =>
  z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: `Of an update: the changed properties as they were ${when}.` })

export const activity = () => ({
  ...onCard(),
  type: described("The board's own name of the activity, such as commentCard."),
  kind: z.enum(kinds).meta({ description: 'create, update, delete or other.' }),
  text: described('Text of a comment, as written.').optional(),
  from: place().optional().meta({ description: 'Of a move: where it was.' }),
  to: place().optional().meta({ description: 'Of a move: where it is now.' }),
  before: values('before'),
  after: values('after'),
  about: z.record(z.string(), z.record(z.string(), z.unknown())).meta({
    description: 'What else it is about, by kind: label, member, checklist, checkItem, attachment and others.',
  }),
})

/** Label actions have no kind of their own; when a subscription selects them by name, they count as card updates. */
const shownKind = (type: string): Kind => kindOf(type) ?? 'update'

export const activityData = (event: BoardEvent, facts?: BoardFacts) => {
  const data = cardEventData(event, facts) as ActivityData
  data.type = event.type
  data.kind = shownKind(event.type)
  if (event.text !== undefined) data.text = event.text
  if (event.from) data.from = event.from
  if (event.to) data.to = event.to
  if (event.before) data.before = event.before
  if (event.after) data.after = event.after
  data.about = event.about
  return data
}
