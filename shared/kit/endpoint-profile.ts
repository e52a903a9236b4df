import type { Json, Scalar } from './json.ts'
import type { ErrorRule, ReplyCondition } from './profile.ts'
import type { Method } from './request.ts'

/**
 * How one of our fields goes onto the wire. A dotted name nests in a JSON body, a number in it is a place in a list. A list of specs: the first that fits; one with `mailHosts` fits
 * e-mail addresses at those hosts (private mail), one without fits all. Where several fields have one wire name, the first of the profile that is
 * given is sent.
 */
export type FieldWireSpec = {
  /** null: the provider's documents do not show it, or it has no such parameter. The field is then in no form, and giving it fails before sending. */
  name: string | null
  /** Our words → the provider's; a word it lacks is invalid_input. The words are choices in forms and tool schemas. */
  map?: { [ours: string]: Scalar }
  /** Titles of the words of `map` or `flags` in forms; default: the words. A title is accepted like its word. */
  labels?: { [ours: string]: string }
  mailHosts?: string[]
  /** The case in which the provider wants its words; those of `map` are sent as they are. */
  case?: 'lower' | 'upper'
  /** `string` joins a list with commas; `list` puts a single value into a list. */
  as?: 'string' | 'number' | 'list'
  /**
   * What is sent in place of the value, in which "{value}" stands for it. Of a range ("11-50", "10001+") "{min}" and "{max}" stand for its ends as
   * numbers; a property of an end that is open is left out. "{lastPart}" is the last part of an address, "{countryName}" the
   * English name of a country given by its code, and a name of ours ("{firstName}") the value
   * given for that field; where no such value is given, a property is left out. For a list, each item is put into it: `[{ "country": "{value}" }]` is `{ "country": "{value}" }`.
   */
  template?: Json
  /** The value is added to a list at `name`, to which other fields may add too. */
  add?: true
  /** For a list of words: each word sets this wire name to true: `{ "emails": "revealEmails" }`. `name` says nothing then. */
  flags?: { [word: string]: string }
  /** The value where the field is not given, in our words. */
  default?: Json
  /** The value is turned into the provider's by another endpoint: asked with the value as its field `field`, the answer's record holds it at `take`. Its price is added. */
  resolve?: { endpoint: string; field: string; take: string }
  /**
   * The values the provider takes are a list of its own, read from a free endpoint and cached for `cacheMs` (default a day): the list is at `list` in the
   * answer, an item's value and label at `value` and `label` ('' is the item). Forms offer the labels; a label given is turned into its value, and
   * what is neither is invalid_input.
   */
  choices?: { endpoint: string; list: string; value: string; label: string; cacheMs?: number }
}

export type FieldWire = string | null | FieldWireSpec | FieldWireSpec[]

/**
 * Where a field of our record is found in the provider's: dotted paths of which the first present wins, or lists whose
 * items have alias paths of their own (`set` holds fixed values an item's own ones override).
 */
export type RecordAlias = string[] | { lists: { at: string; item: { [ours: string]: string[] }; set?: { [ours: string]: Scalar } }[] }

/** How to read the credits a reply says it charged. None: an estimate by `price`, marked so. Without `amount`, a flag stands for the price of the record. */
export type CreditSignal = { header: string } | { path: string } | { flag: string; amount?: number }

/**
 * One part of a price, as the provider states it; the parts add up. `call`: each request. `match`: each record found. `record`: each record asked for.
 * `results`: each `of` results begun (default 1). `wanted`: only where the record found has this field of ours, and where it was asked for.
 */
export type PricePart = { per: 'call' | 'match' | 'record' | 'results'; credits: number; of?: number; wanted?: string }

export type PageRule = {
  style: 'offset' | 'page' | 'cursor'
  place: 'json' | 'query'
  /** Wire names (dotted for nested) of the position and the size. */
  position: string
  size: string
  firstPage?: number
  asString?: boolean
  /** The least and the most the provider takes as a size. Less is asked for as `min`, and all of it is shown, since all of it is paid. */
  min?: number
  max: number
  default: number
  /** The last position the provider answers (a page or an offset, as it goes onto the wire); nothing is asked beyond. */
  last?: number
  /** Dotted paths in the reply. */
  total?: string
  nextCursor?: string
}

/** An answer that says that the work goes on. `poll` asks for its result, with {names} of dotted paths in that answer; without it the same request is sent again. */
export type PendingRule = {
  when: ReplyCondition[]
  poll?: { path: string; names: { [name: string]: string } }
  everyMs: number
  /** How long to wait in all. */
  limitMs: number
}

/** How single requests and the items of bulk requests are built. */
type RequestParts = {
  /** Fixed wire values sent with every request; a dotted name nests. */
  constants?: { [wire: string]: Json }
  price?: PricePart[]
  credits?: CreditSignal
}

export type EndpointProfile = RequestParts & {
  method: Method
  /** null: the documents do not show it. The manifest says `ready: false`, running fails `wire_unset`. */
  path: string | null
  /** Address of its own, where it is not the profile's. Callers never set it. */
  baseUrl?: string
  place: 'json' | 'query'
  /** Kind of record answered: `person` or `company`; also the key of `records`, where `aliases` names no other. */
  kind?: string
  /** Key of `records` by which its records are read, where this endpoint spells them in its own way. */
  aliases?: string
  /** Our field name → wire name. null: not shown. */
  fields: { [ours: string]: FieldWire }
  /**
   * Where our fields go in a body: under this dotted name, as an object or as the only item of a list, which `constants` are then part of. Absent:
   * at the top, as the fields of `beside` are.
   */
  envelope?: { at: string; as: 'object' | 'list'; constants?: { [wire: string]: Json }; beside?: string[] }
  /** One of these sets of our fields must be given; otherwise the request is not sent. */
  requires?: string[][]
  /** One identifier set per request, strongest first (`one`, the default), or all that are given together (`all`). */
  identifiers?: 'one' | 'all'
  /**
   * Dotted paths for the record (or the list of records); the first that is present decides, and null or empty there is no match. '' is the body
   * itself: that it is empty as a whole is a no match only where `noMatch` says so.
   */
  record?: string[]
  /** `object`: a list in the place of a record is not understood. Without it, a list of one is a record. */
  recordIs?: 'object'
  /** Parts of a record that stand elsewhere in the answer: at the dotted name `from`, under the key that the record holds at `by`; read as the record's `into`. */
  joins?: { into: string; from: string; by: string }[]
  /** Run before the status classes. */
  noMatch?: ReplyCondition[]
  /** Replies that are a no match only once this endpoint has given this connection a match under this profile: before, the address may be wrong. */
  noMatchOnceMatched?: ReplyCondition[]
  /** Rules for replies to its single requests, before those of the profile. */
  errors?: ErrorRule[]
  page?: PageRule
  /** Dotted path in the answer of a search to what a later request has to name it by; given out as `searchId`. */
  searchId?: string
  pending?: PendingRule
  /** `free`: a record that the account was charged for before costs nothing again. Counts where no answer says what was charged. */
  repeats?: 'free'
  redirects?: 'same-origin'
  /** A request that shows whether this endpoint is set up rightly, in our field names, and the credits it costs (0: harmless). It may match or not. */
  probe?: { values: { [ours: string]: Json }; credits: number }
  bulk?: RequestParts & {
    /** Default POST. */
    method?: Method
    path: string | null
    max: number | null
    /** '' = a bare array; a dotted name = `{ [name]: [...] }`. */
    envelope: string
    /** Default: `fields` of the endpoint. */
    fields?: { [ours: string]: FieldWire }
    /** Fixed values of each item. */
    itemConstants?: { [wire: string]: Json }
    /** `value`: an item is the bare value of its only field (a list of ids). Default `object`. */
    items?: 'object' | 'value'
    /** Our fields that go beside the list, once for a request, not into its items. */
    beside?: string[]
    /** Wire name (dotted for nested) of our item id, where the provider echoes one. */
    itemId?: string
    /** Dotted path of that id in an answer, where it is not `itemId`. */
    answerId?: string
    answer: 'array' | 'byId'
    /** Dotted path to the answers, or several tried in turn; '' is the body. */
    answers?: string | string[]
    charge: 'record' | 'match'
    /** Per-item conditions. A record without an answer has failed, unless one of them is `absent` at ''. */
    itemNoMatch?: ReplyCondition[]
    itemErrors?: ErrorRule[]
    itemRecord?: string[]
  }
}
