import type { Json } from './json.ts'

export type Actor = { id: string; name?: string; username?: string }

/** A thing as an event names it. */
export type Named = { id: string; name?: string; shortLink?: string }

/** Where something is: a list, a board, or a list of a board. */
export type Place = { board?: Named; list?: Named }

/** Something that can be watched. The runtime names it `kind:id`. */
export type Model = { kind: string; id: string }

/** A provider fact, decoded. The same fact gives the same event, however it reached us; only `via` and `model` differ. */
export type Event = {
  /** The provider's id of the fact; unique in a connection. */
  id: string
  /** The provider's word for it; an unknown one is kept. */
  type: string
  /** RFC 3339, the provider's time. */
  at: string
  actor: Actor | undefined
  /** Id of the app whose key made the change; null where the provider says that none did (a person, in its own pages), absent where it does not say. */
  app?: string | null
  /** The watched thing it was told through. */
  model: Model
  /** Everything it concerns that can be watched: `model`, then what the fact itself names. Subscriptions watching any of them are asked. */
  models: Model[]
  organization?: Named
  board?: Named
  card?: Named
  /** For a move, the list moved to. */
  list?: Named
  /** Of a move. What the provider does not tell is absent: `from.list` of an arrival on another board, `to.list` of a departure. */
  from?: Place
  to?: Place
  /** What somebody wrote: the text of a comment. */
  text?: string
  /** Other things it names, by kind (label, member, checklist, attachment, …), as the provider gives them. */
  about: { [kind: string]: { [field: string]: Json } }
  /**
   * Ids of what it is about, its own id first and wider things last; our own writes are recognised by them. Ids that are short or numbers, so that
   * things of two kinds may share one, as `kind:id`.
   */
  objects: string[]
  via: 'webhook' | 'poll' | 'recovery'
  /** `unknown` when decoded; the runtime decides, by the mark of the delivery, `app` and its own runs. */
  causedByUs: true | false | 'unknown'
  /** The changed properties, as they were and as they are. */
  before?: { [property: string]: Json }
  after?: { [property: string]: Json }
  /** The fact as the provider gave it, without private records of members and without names that could change a prototype. */
  raw: Json
}

/** What a match may need beyond the event: the card as it is now, the list it is in, the account's own member id. */
export type Need = 'card' | 'list' | 'me'

/** What was fetched for a match. What was asked for and is absent cannot be known any more (the card is gone). */
export type Facts = { card?: Record<string, unknown>; list?: Named; me?: string }
