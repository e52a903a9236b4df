import type { Event, Json } from '#kit'

/** A thing as an action names it. */
export type Named = { id: string; name?: string; shortLink?: string }
/** Where something is: a list, a board, or a list of a board. */
export type Place = { board?: Named; list?: Named }

/** An event as our triggers read it. */
export type BoardEvent = Event & {
  organization?: Named
  board?: Named
  card?: Named
  /** For a move, the list moved to. */
  list?: Named
  /**
   * Of a move. What the board does not say is absent: `from.list` of an arrival on another board, `to.list` of a
   * departure.
   */
  from?: Place
  to?: Place
  /** What somebody wrote: the text of a comment. */
  text?: string
  /** Other things it names, by kind (label, member, checklist, attachment, …), as the board gives them. */
  about: { [kind: string]: { [field: string]: Json } }
}

/** What a ticked item did to its checklist. */
export type Completed = { isComplete: boolean; items: number }

/**
 * What a match may need beyond the event: the card as it is now, the list it is in, the account's own member id,
 * whether a checklist was completed.
 */
export type Need = 'card' | 'list' | 'me' | 'completed'
export type BoardFacts = { card?: { [field: string]: unknown }; list?: Named; me?: string; completed?: Completed }
