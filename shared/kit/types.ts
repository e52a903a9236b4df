import type * as z from 'zod'
import type { FailureCode, FailureJson } from './failure.ts'
import type { Path } from './path.ts'
import type { Trigger, WebhookSource } from './trigger-types.ts'

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json }
export type Scalar = string | number | boolean
export type Query = Record<string, Scalar | Scalar[]>
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** What a step does at the provider. Decides retry and the hints of the tool faces. */
export type Effect = 'read' | 'create' | 'update' | 'delete'

/** Price of a step in the provider's credits; `typical` is [least, most] per `per`. */
export type Cost = { unit: 'credit'; per: 'match' | 'record' | 'call'; typical: [number, number] }

/**
 * What a handler asks of the provider. A path written by us may hold `{secret:name}`: path`/1/tokens/{secret:token}/webhooks`. The wire puts the
 * connection's secret there, encoded, when the request is authorized; everything logged or shown has "***" in its place. An interpolated part
 * cannot hold such a mark (its braces are encoded), and paths of callers are refused with one.
 */
export type ProviderRequest = { method: Method; path: Path; query?: Query; body?: Json }

/** A found record in our one shape. `record` is normalised by the profile's alias paths; what they do not name stays in `raw`. */
export type Found = {
  matched: true
  /** The identifier that worked, in our field name. */
  matchedBy?: string
  record: Record<string, unknown>
  raw: Json
  provenance: { provider: string; endpoint: string; at: string; untrusted: true }
}
/** Without a match, `raw` is there only when the answer was not understood: it may have been paid, and ends the search. */
export type Lookup = { matched: false; reason?: string; raw?: Json } | Found
/** One result of a bulk lookup: one bad record never fails the rest. */
export type LookupResult = Lookup | { failed: FailureJson }

export type Option = { value: string; label: string; hint?: string }
export type OptionPage = { options: Option[]; next?: string }
export type OptionContext = Pick<StepContext, 'send' | 'signal' | 'now'>
/** Loads choices for a field. `values` holds the other fields of the form, unchecked. */
export type OptionSource = (ctx: OptionContext, asked: { values: Record<string, unknown>; query: string; cursor?: string }) => Promise<OptionPage>

/** Extras of an input field that JSON Schema has no word for. */
export type FieldSpec = {
  options?: OptionSource
  /** Names of fields whose values `options` needs first. */
  dependsOn?: string[]
  /** The field takes an id or a pasted address. */
  accepts?: 'id-or-url'
  /** Only narrows dropdowns: in forms, not in tool schemas. Given and disagreeing is invalid_input. */
  scope?: true
  /** A text of several lines, such as a description. */
  long?: true
}

export type StepContext = {
  /** One documented request (guarded, authorized, paced, retried, classified); gives the parsed reply body. */
  send(request: ProviderRequest): Promise<unknown>
  /** One endpoint of the wire profile, values in our field names; gives the parsed reply body. */
  ask(endpoint: string, values: Record<string, unknown>): Promise<unknown>
  /**
   * `ask` for one record: applies no-match rules, record paths and credits of the profile. `sets` are the identifier
   * sets given, strongest first; the next one is tried only after a definite no match (profile `identifiers: 'one'`).
   */
  lookup(endpoint: string, sets: Record<string, unknown>[]): Promise<Lookup>
  /** Many records, each with its identifier sets: bulk where the profile has it, else single calls; results in input order. */
  lookupMany(endpoint: string, records: Record<string, unknown>[][]): Promise<LookupResult[]>
  /** One page of a profile endpoint with `page` rules: records and how to get the rest. */
  search(endpoint: string, values: Record<string, unknown>, page: { limit?: number; cursor?: string }): Promise<SearchPage>
  signal: AbortSignal
  now(): number
  progress(done: number, total?: number): void
}
export type SearchPage = { records: Found[]; total?: number; next?: string }

export type StepDefinition<I extends z.ZodObject, O extends z.ZodType> = {
  id: string
  title: string
  group?: string
  /** One sentence, written for an agent. */
  purpose: string
  effect: Effect | ((input: z.output<I>) => Effect)
  cost?: Cost | ((input: z.output<I>) => Cost | undefined)
  legacy?: { use: string }
  /** Of its contract, `major.minor`; minor grows with every field it gains. Default "1.0". */
  version?: string
  /** Replaced by another step, which to use instead; runs as before until the next major version of the integration. */
  deprecated?: { since: string; use: string }
  /** A schema, or a function that makes it when the step is first used. */
  input: I | (() => I)
  output: O | (() => O)
  /** Names of profile endpoints the step needs; a null path there makes the step `ready: false`. */
  endpoints?: string[]
  fields?: { [field in string & keyof I['shape']]?: FieldSpec }
  run(ctx: StepContext, input: z.output<I>): Promise<unknown>
}
export type Step = Omit<StepDefinition<z.ZodObject, z.ZodType>, 'input' | 'output' | 'fields' | 'effect' | 'cost'> & {
  input: z.ZodObject
  output: z.ZodType
  effect: Effect | ((input: Record<string, unknown>) => Effect)
  cost?: Cost | ((input: Record<string, unknown>) => Cost | undefined)
  fields?: { [field: string]: FieldSpec }
}

/** Where a credential goes. Templates hold {names} of the connection's secrets, e.g. `Bearer {apiKey}`. */
export type AuthPlacement = { place: 'header' | 'query' | 'body'; fields: { [name: string]: string } }

/** A limit of the provider. `connection` = per token, `app` = shared by all tokens of one key, `route` = one path family. */
export type PaceLimit = { per: 'connection' | 'app' | 'route'; max: number; windowMs: number; route?: string }

/** A condition on a reply. All given parts must hold. `path` is dotted into the JSON body; '' is the whole body. */
export type ReplyCondition = {
  status?: number | [from: number, to: number]
  path?: string
  is?: 'null' | 'absent' | 'empty' | 'present'
  equals?: Scalar
  /** Case-insensitive part of the value at `path` (or of the whole text when there is no `path`), within its first 16,384 characters. */
  contains?: string
}
export type ErrorRule = ReplyCondition & {
  failure: FailureCode
  /** One or two sentences in place of the usual ones: the cause, and what whoever owns the account can do. */
  message?: string
  /** What a rate_limited reply pauses; default `connection`. */
  pauses?: 'connection' | 'app' | 'route'
}

/**
 * How one of our fields goes onto the wire. A dotted name nests in a JSON body. A list of specs: the first that
 * fits; one with `mailHosts` fits e-mail addresses at those hosts (private mail), one without fits all. `map` turns our words into the provider's; a word it lacks is invalid_input. `as: 'string'` joins a list with commas.
 */
export type FieldWireSpec = { name: string | null; map?: { [ours: string]: Scalar }; mailHosts?: string[]; as?: 'string' | 'number' | 'list' }
export type FieldWire = string | null | FieldWireSpec | FieldWireSpec[]

/**
 * Where a field of our record is found in the provider's: dotted paths of which the first present wins, or lists whose
 * items have alias paths of their own (`set` holds fixed values an item's own ones override).
 */
export type RecordAlias = string[] | { lists: { at: string; item: { [ours: string]: string[] }; set?: { [ours: string]: Scalar } }[] }

/** How to read the credits a reply says it charged. None: an estimate, marked so. */
export type CreditSignal = { header: string } | { path: string } | { flag: string; amount: number }

export type PageRule = {
  style: 'offset' | 'page' | 'cursor'
  place: 'json' | 'query'
  /** Wire names (dotted for nested) of the position and the size. */
  position: string
  size: string
  firstPage?: number
  asString?: boolean
  max: number
  default: number
  /** Dotted paths in the reply. */
  total?: string
  nextCursor?: string
}

export type EndpointProfile = {
  method: Method
  /** null: the documents do not show it. The manifest says `ready: false`, running fails `wire_unset`. */
  path: string | null
  place: 'json' | 'query'
  /** Kind of record answered: a key of `records`. */
  kind?: string
  /** Our field name → wire name. null: not shown. */
  fields: { [ours: string]: FieldWire }
  /** Fixed wire values sent with every request. */
  constants?: { [wire: string]: Scalar }
  /** One identifier set per request, strongest first (`one`, the default), or all that are given together (`all`). */
  identifiers?: 'one' | 'all'
  /** Dotted paths for the record (or the list of records); the first that is present decides, and null or empty there is no match. '' is the body itself. */
  record?: string[]
  /** Run before the status classes. */
  noMatch?: ReplyCondition[]
  credits?: CreditSignal
  page?: PageRule
  redirects?: 'same-origin'
  bulk?: {
    path: string | null
    max: number | null
    /** '' = a bare array; a name = `{ [name]: [...] }`. */
    envelope: string
    /** Wire name of our item id, where the provider echoes one. */
    itemId?: string
    answer: 'array' | 'byId'
    /** Dotted path to the answers, or several tried in turn; '' is the body. */
    answers?: string | string[]
    charge: 'record' | 'match'
    /** Per-item conditions. */
    itemNoMatch?: ReplyCondition[]
    itemErrors?: ErrorRule[]
    itemRecord?: string[]
  }
}

export type WebhookSignature = {
  header: string
  algorithm: 'hmac-sha1'
  encoding: 'base64'
  /** What is signed: raw body directly followed by the registered callback URL. */
  signs: 'body+url'
  /** Which secret of the app signs, by connection type id as in `auth`: its own, or that of its OAuth 2.0 client. Types not named: its own. */
  secrets?: { [connectionType: string]: SigningSecret }
}
export type SigningSecret = 'app' | 'client'

/**
 * How to look for what a create may have made when its answer was lost. {names} in `find.path` and the values of `same` are parts of the
 * path of `after`, or text and number fields of its body.
 */
export type CreateProbe = {
  /** Path of the POST: `/1/checklists/{id}/checkItems`. */
  after: string
  find: { path: string; query?: { [name: string]: Scalar } }
  /** Dotted path to the list in the answer; '' is the whole. Its items have an `id`. */
  list: string
  /** Dotted path in an item → name of what it has to be equal to. */
  same: { [at: string]: string }
  /** Ids begin with the time of creation in hexadecimal Unix seconds, so that older ones can be told apart. */
  idHoldsTime?: boolean
}

/** Facts about a provider's wire, as data. An operator may override any of it with JSON. */
export type WireProfile = {
  /** Name of the profile, shown in the manifest. */
  profile: string
  /** null: operator must set it. Never from callers. */
  baseUrl: string | null
  /** Where the browser is sent to authorize, if the provider has such pages. */
  authUrl?: string | null
  /** Parameters that make the token page send the browser back to {returnUrl} with the token in the fragment, where the app is registered for it. */
  authorizeReturn?: { [name: string]: string }
  /** By connection type id (`oauth2` for accounts connected with OAuth 2.0). null: not shown, must be set. */
  auth: { [connectionType: string]: AuthPlacement | null }
  /** Names callers may never set in query or body, beside those in `auth`. */
  reserved: string[]
  /** Header that marks our own writes, so that events they cause can be recognised. */
  writeMark?: { header: string }
  pace: { limits: PaceLimit[]; concurrency: number; remaining?: { header: string; per: 'connection' | 'app' | 'route' }[] }
  timeouts: { connectMs: number; headersMs: number; bodyMs: number; totalMs: number; deadlineMs: number }
  maxReplyBytes: number
  errors: ErrorRule[]
  /** Statuses at which the provider promises that nothing was executed, beside 429. */
  rejectsBeforeExecuting?: number[]
  /** Where to look after a create whose outcome is unknown. */
  probes?: CreateProbe[]
  signature?: WebhookSignature
  endpoints?: { [name: string]: EndpointProfile }
  /** Alias paths by record kind: our field → dotted paths tried in turn. */
  records?: { [kind: string]: { [ours: string]: RecordAlias } }
  oauth?: OAuthProfile
  /** What is a guess, and why. Keys are dotted paths into this profile. */
  assumed: { [what: string]: string }
}

/** How accounts are connected in the browser. `version` says which of the two is used; the other one only lies ready. */
export type OAuthProfile = { version: '1.0a' | '2.0'; v1?: OAuth1Profile; v2?: OAuth2Profile }
/** OAuth 1.0a, HMAC-SHA1, three legs. Its tokens are placed as `auth.oauth` says, with the secrets {key} and {token}. */
export type OAuth1Profile = {
  requestUrl: string | null
  authorizeUrl: string | null
  tokenUrl: string | null
  /** Extra parameters of the authorize address; {appName} is filled in. */
  authorizeParams?: { [name: string]: string }
}
/** OAuth 2.0, code with PKCE. Its tokens are placed as `auth.oauth2` says, with the secrets {key} (the client id) and {token} (the access token). */
export type OAuth2Profile = {
  authorizeUrl: string | null
  tokenUrl: string | null
  /** What the provider calls itself in `iss`; default: the origin of `authorizeUrl`. */
  issuer?: string
  scopes: string[]
  authorizeParams?: { [name: string]: string }
  /** Form of the requests to `tokenUrl`; default `form`, as the standard says. */
  tokenBody?: 'form' | 'json'
  /**
   * Whether a refresh token may be sent again when nobody knows what became of a refresh. `rotating` (the default, as the standard advises): never,
   * since a repeat counts as theft at such providers and ends the whole authorization. `reusable`: yes.
   */
  refreshTokens?: 'rotating' | 'reusable'
}

export type ConnectionType = {
  id: 'api-key' | 'key-token' | 'oauth'
  title: string
  purpose: string
  recommended?: boolean
  /** Secrets the owner gives (or, for oauth, that we obtain). Every field described. */
  secrets: z.ZodObject
  /** A free request that proves the credential; absent where every request costs something. */
  test?: ProviderRequest
  /** Reads account id and name from the reply of `test`. */
  identify?(reply: unknown): { accountId: string; accountName: string }
  /** Authorize address for a token the user copies (key-token), its query parameters as templates of {appName} and {key}. */
  authorize?: { path: string; params: { [name: string]: string } }
  /** Takes the credential back at the provider; used only when the owner asks for it. */
  revoke?: ProviderRequest
  /** Name of the secret that names our app at the provider; limits `per: 'app'` are shared by it. */
  appKey?: string
  /** Where the owner finds the values. */
  help?: string
}

/**
 * Which boards a request touches: those it names, and those told by `through`, requests whose reply holds `idBoard` (or is the board).
 * `lists-boards`: answers a list of boards, which is narrowed. `unknown`: it cannot be told.
 */
export type Touched = { boards: string[]; through: ProviderRequest[] } | 'none' | 'lists-boards' | 'unknown'
/** Lets an account be limited to some boards. Without it, an account that is limited can do nothing. */
export type BoardReach = {
  of(request: { method: string; path: string; query?: Query | undefined; body?: Json | undefined }): Touched
  /** A request that answers id and short link of a board. */
  byId(board: string): ProviderRequest
}

/** What the API Call step may do. A connection may narrow it, never widen it. */
export type ApiCallPolicy = {
  methods: Method[]
  under: string
  /** Path patterns ("*" = one segment, trailing "/**" = everything below) refused by default, with the reason. */
  deny: DenyRule[]
}
/**
 * With `query` only requests that give one of these parameters are refused, in the query or at the top of the body: `tokens` whatever its value,
 * `fields=tokens` where that word is among its values.
 */
export type DenyRule = { path: string; methods?: Method[]; query?: string[]; reason: string }

export type Integration = {
  id: string
  title: string
  summary: string
  version: string
  maturity: 'stable' | 'beta'
  connections: ConnectionType[]
  steps: Step[]
  triggers?: Trigger[]
  apiCall: ApiCallPolicy
  wire: WireProfile
  webhooks?: WebhookSource
  boards?: BoardReach
}

export type RunMeta = {
  runId: string
  durationMs: number
  attempts: number
  /** The account that was used; absent when the run came to none. */
  connection?: { id: string; name: string }
  credits?: { charged: number; estimated: boolean }
  cached?: boolean
  /** Nothing was sent; the value shows what would be. */
  dryRun?: true
}
export type Outcome<T = unknown> = { ok: true; value: T; meta: RunMeta } | { ok: false; failure: FailureJson; meta: RunMeta }

/** One case of an example file: it is documentation, form sample and test in one. */
export type ExampleCase = {
  title: string
  input: Record<string, unknown>
  exchanges: {
    request: { method: Method; path: string; query?: Record<string, string | string[]>; body?: Json }
    reply: { status: number; headers?: Record<string, string>; body: Json }
  }[]
  /** Exactly one of the two. */
  output?: unknown
  failure?: { code: FailureCode; providerStatus?: number }
}
/** `integrations/<id>/examples/<step>.json` */
export type ExampleFile = {
  step: string
  /** Laid over the documented profile for these cases, where the documents leave values open. */
  wire?: Record<string, unknown>
  cases: ExampleCase[]
}
