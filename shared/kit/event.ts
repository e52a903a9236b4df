import type { Json } from './json.ts'

/**
 * A thing at the provider. `kind` is the integration's word for it ("issue"). `id` is text, whatever it is on the wire,
 * and unique among things of its kind.
 */
export type Ref = { kind: string; id: string; name?: string; url?: string }

/** `kind`: the integration's word for it; default `person`. */
export type Actor = { id: string; name?: string; username?: string; kind?: string }

/** Something that can be watched. The runtime names it `kind:id`. */
export type Model = Pick<Ref, 'kind' | 'id'>

/**
 * One fact reported by the provider, decoded. The same fact gives the same event, however it reached us; only `via` and
 * `model` differ. An integration may add fields of its own for its triggers: the runtime passes them on and reads none.
 */
export type Event = {
  /** The provider's id of the fact; unique within a connection. Where it is so in a container only, use `idIn`. */
  id: string
  /** The provider's name for what happened; unknown names pass unchanged. */
  type: string
  /** The provider's time of the fact, RFC 3339. */
  at: string
  actor: Actor | undefined
  /**
   * Id of the account that the fact was delivered for, where one hook serves a whole app: the connections of that
   * account receive the event.
   */
  account?: string
  /** The provider's own position in the history of the container, where its requests need more than a time. */
  position?: string
  /**
   * Id of the app whose key made the change; null where the provider says that no app did (a person used the provider's
   * own pages), absent where the provider does not say.
   */
  app?: string | null
  /**
   * Whether we made the change, where the event itself says so; absent: it is found from the correlation id, `app`,
   * `actor` (the account, or one of its `ownIds`) and our own runs.
   */
  own?: boolean
  /** Credits that the provider charged for the delivery; recorded in the ledger, once for each event. */
  charge?: number
  /** The watched model that the fact was reported for. */
  model: Model
  /**
   * Every model that the fact concerns: `model`, then those that the fact itself names. The event is matched against
   * subscriptions that watch any of them.
   */
  models: Model[]
  /**
   * What the event is about. Serial order, quiet periods (`settleMs`) and chains of our own starts depend on it. Its id
   * is unique within the connection.
   */
  subject?: Ref
  /** The changed properties with their old and new values, where the provider reports both. */
  before?: { [property: string]: Json }
  after?: { [property: string]: Json }
  /** Where the subject lies; lists of events can be filtered by it. */
  container?: Ref
  /**
   * The objects that a write which caused this fact would name, most specific first and no wider than necessary: an
   * object that everybody writes to identifies no write. Used to recognise events that our own writes caused.
   */
  objects: Ref[]
  via: 'webhook' | 'poll' | 'recovery'
  /**
   * `unknown` when decoded; the runtime decides from the delivery's correlation id, `app`, `actor` and its own runs.
   */
  causedByUs: true | false | 'unknown'
  /**
   * The fact as the provider sent it, without private records of people and without property names that could change a
   * prototype. `decodeStored` decodes it again.
   */
  raw: Json
}

/**
 * An id that is unique in the connection, made of one that is unique in its container only:
 * `idIn({ kind: 'channel', id: 'C1' }, '1712345678.000200')` is `channel:C1/1712345678.000200`. Two different pairs never
 * give the same id.
 */
export const idIn = ({ kind, id }: Pick<Ref, 'kind' | 'id'>, local: string): string =>
  `${kind}:${id.replace(/[%/]/g, encodeURIComponent)}/${local}`

/** The need that stands for the account's own id at the provider; the runtime knows it without a request. */
export const ownAccountNeed = 'me'

/** The need that stands for the ids that we act under beside the account; known without a request, too. */
export const ownIdsNeed = 'ownIds'

/**
 * The facts fetched for a match, by need. A requested need that is absent can no longer be known, because the thing is
 * gone.
 */
export type Facts = { [need: string]: unknown; me?: string; ownIds?: readonly string[] }
