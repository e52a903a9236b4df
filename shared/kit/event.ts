import type { Json } from './json.ts'

/**
 * A thing at the provider. `kind` is the integration's word for it ("issue"). `id` is text, whatever it is on the wire,
 * and unique among things of its kind.
 */
export type Ref = { kind: string; id: string; name?: string; url?: string }

export type Actor = { id: string; name?: string; username?: string }

/** Something that can be watched. The runtime names it `kind:id`. */
export type Model = Pick<Ref, 'kind' | 'id'>

/**
 * A provider fact, decoded. The same fact gives the same event, however it reached us; only `via` and `model` differ.
 * An integration may add fields of its own for its triggers: the runtime hands them on and reads none of them.
 */
export type Event = {
  /** The provider's id of the fact; unique in a connection. */
  id: string
  /** The provider's word for it; unknown ones pass unchanged. */
  type: string
  /** RFC 3339, the provider's time. */
  at: string
  actor: Actor | undefined
  /**
   * Id of the account it was delivered for, where one hook serves a whole app: connections of that account receive it.
   */
  account?: string
  /**
   * Id of the app whose key made the change; null where the provider says that none did (a person, in its own pages),
   * absent where it does not say.
   */
  app?: string | null
  /** The watched thing it was reported for. */
  model: Model
  /**
   * Everything it concerns that can be watched: `model`, then what the fact itself names. Subscriptions watching any of
   * them are asked.
   */
  models: Model[]
  /**
   * What it is about: serial order, quiet periods (`settleMs`) and chains of our own starts go by it. Its id is unique
   * in the connection.
   */
  subject?: Ref
  /** The changed properties, as they were and as they are, where the provider says both. */
  before?: { [property: string]: Json }
  after?: { [property: string]: Json }
  /** Where the subject lies: what lists of events are filtered by. */
  container?: Ref
  /**
   * The objects that a write which caused this fact would name, most specific first, and none wider than necessary: an
   * object that everybody writes to identifies no write. Own events are recognised by it.
   */
  objects: Ref[]
  via: 'webhook' | 'poll' | 'recovery'
  /**
   * `unknown` when decoded; the runtime decides, by the correlation id of the delivery, `app`, `actor` and its own
   * runs.
   */
  causedByUs: true | false | 'unknown'
  /**
   * The fact as the provider gave it, without private records of people and without names that could change a
   * prototype; `decodeStored` reads it again.
   */
  raw: Json
}

/** The account's own id at the provider, as a need of a match; the runtime knows it without asking. */
export const ownAccountNeed = 'me'

/**
 * What was fetched for a match, by need. What was asked for and is absent cannot be known any more (the thing is gone).
 */
export type Facts = { [need: string]: unknown; me?: string }
