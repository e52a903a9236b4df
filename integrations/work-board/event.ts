import type { Event, Json } from '#kit'

/** Something that an action names. */
export type NamedObject = { id: string; name?: string; shortLink?: string }
/** Where something is: a list, a board, or a list of a board. */
export type Place = { board?: NamedObject; list?: NamedObject }

/** An event with the fields that our triggers read. */
export type BoardEvent = Event & {
  organization?: NamedObject
  board?: NamedObject
  card?: NamedObject
  /** For a move, the list that the card moved to. */
  list?: NamedObject
  /**
   * Set for a move. What the board does not say is absent: `from.list` for an arrival on another board, `to.list` for a
   * departure.
   */
  from?: Place
  to?: Place
  /** The text that a person wrote, such as a comment. */
  text?: string
  /** Other things the action names, by kind (label, member, checklist, attachment, …), as the board returns them. */
  about: { [kind: string]: { [field: string]: Json } }
}

/** Whether a ticked item completed its checklist, and how many items that has. */
export type ChecklistProgress = { isComplete: boolean; items: number }

/**
 * Facts that matching may need beyond the event: the card as it is now, its list, its custom fields, the account's
 * own member id, and whether a checklist was completed.
 */
export type Need = 'card' | 'list' | 'me' | 'completed' | 'customFields'
export type BoardFacts = {
  card?: { [field: string]: unknown }
  list?: NamedObject
  me?: string
  completed?: ChecklistProgress
  customFields?: unknown[]
}
