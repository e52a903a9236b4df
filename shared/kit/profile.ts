import type { ApiOperation } from './api-operation.ts'
import type { EndpointProfile, RecordAlias } from './endpoint-profile.ts'
import type { FailureCode } from './failure.ts'
import type { Json, Scalar } from './json.ts'
import type { BodyKind } from './request.ts'

/** Where a credential goes. Templates hold {names} of the connection's secrets, e.g. `Bearer {apiKey}`. */
export type AuthPlacement =
  | { place: 'header' | 'query' | 'body'; fields: { [name: string]: string } }
  /** `Authorization: Basic` in UTF-8 (RFC 7617). A user name cannot hold ":". */
  | { place: 'basic'; user: string; password: string }
  /** Every request is signed with HMAC-SHA1 (RFC 5849). Without `consumer`, the app's key and secret sign; without `token`, the consumer alone. */
  | { place: 'oauth1'; consumer?: OAuth1Pair; token?: OAuth1Pair }
export type OAuth1Pair = { key: string; secret: string }

/** A limit of the provider. `connection` = per token, `app` = shared by all tokens of one key, `route` = one path family. */
export type PaceLimit = { per: 'connection' | 'app' | 'route'; max: number; windowMs: number; route?: string }

/** A header that says when a limit opens again: Unix time in seconds or ms, seconds or ms from now, or a time (RFC 3339 or HTTP date). */
export type ResetHeader = { header: string; as: 'epoch-s' | 'epoch-ms' | 'seconds' | 'ms' | 'date' }

export type Pace = {
  limits: PaceLimit[]
  concurrency: number
  /**
   * Headers that report how many calls are left. `windowMs` names the limit where several of a kind are reported; without it the shortest is meant.
   * `reset`: the header that says when this window ends and all of it is free again; when it is there, used calls come back then.
   * `part`: the header holds an object in text with a number for each window (`{"minute": 12, "day": 900}`), of which this one counts. An empty or
   * negative value says nothing.
   */
  remaining?: { header: string; part?: string; per: 'connection' | 'app' | 'route'; windowMs?: number; reset?: ResetHeader }[]
  /** Headers that say when a limit opens again, where nothing reports what is left. Without these and `reset`, usual names are read and their form guessed. */
  resets?: ResetHeader[]
  /** Texts in which refusals say how long to wait, with {seconds} or {minutes}: `Retry in {seconds}s`. Read where no header says it. */
  waitTexts?: string[]
  /** How long a refusal that names no time pauses, in ms; default: the window of the limit, or 10 s. */
  fallbackMs?: number
}

/**
 * Where the details of an error reply are. `message`: dotted paths, of which the first text wins. `list`: wrong fields of the request; `at` is the
 * dotted path of the list ('' is the whole body), the others are dotted paths in an item. An item may also be a plain text.
 */
export type ErrorDetails = { message?: string[]; list?: { at: string; field?: string; code?: string; message?: string } }

/** A condition on a reply. All given parts must hold. `path` is dotted into the JSON body; '' is the whole body. */
export type ReplyCondition = {
  status?: number | [from: number, to: number]
  /** A header of the reply, in any case; without `equals` and `present`: it is there. */
  header?: { name: string; equals?: string; present?: boolean }
  path?: string
  is?: 'null' | 'absent' | 'empty' | 'present'
  equals?: Scalar
  /** Case-insensitive part of the value at `path` (or of the whole text when there is no `path`), within its first 16,384 characters. */
  contains?: string
  /** Case-insensitive beginning of the value at `path`: what is said of somebody, not what mentions them. */
  begins?: string
}

export type ErrorRule = ReplyCondition & {
  failure: FailureCode
  /** One or two sentences in place of the usual ones: the cause, and what whoever owns the account can do. */
  message?: string
  /** What a rate_limited reply pauses; default `connection`. */
  pauses?: 'connection' | 'app' | 'route'
}

/** How the provider signs its deliveries. Nothing that differs from this in any way is taken. */
export type WebhookSignature = {
  header: string
  /** With `ed25519` the "secret" is the provider's public key, as 32 bytes in hexadecimal or base64. */
  algorithm: 'hmac-sha1' | 'hmac-sha256' | 'ed25519'
  encoding: 'base64' | 'hex'
  /** Text before each signature: `sha256=`. */
  prefix?: string
  /** What is between several signatures in the header, where the provider sends several; without it the header holds exactly one. */
  separator?: string
  /** What is signed: a template of {body} (the raw bytes), {url} (as registered), {timestamp} and {id}. `body+url` means `{body}{url}`. */
  signs: string
  /** Header with the {timestamp}, in seconds or milliseconds since 1970. Genuine deliveries that are older or newer than this are refused. */
  timestamp?: { header: string; toleranceMs: number }
  /** Header with the {id}. */
  id?: { header: string }
  /** What signs, where `secrets` does not say otherwise; default `app`. `hook`: a secret that we make for each hook and give to the provider with it. */
  secret?: SigningSecret | 'hook'
  /** Which secret of the app signs, by connection type id as in `auth`: its own, or that of its OAuth 2.0 client. Types not named: as `secret` says. */
  secrets?: { [connectionType: string]: SigningSecret }
}

export type SigningSecret = 'app' | 'client'

/** How signed requests of the provider name a person who opted out. Dotted paths into their JSON. */
export type OptOutRequests = {
  /** Query parameter of a GET request that is answered with JSON of the same name and value, so that the provider takes the address. */
  challenge?: string
  fields?: { [kind in 'email' | 'linkedin' | 'phone']?: string }
  /** A list of identifiers. `kinds`: what its items call each kind. */
  list?: { at: string; kind: string; value: string; kinds: { [said: string]: 'email' | 'linkedin' | 'phone' } }
  /**
   * The JSON that acknowledges a request; without it, status 200 alone. `constants` as they are; `time`: name of the
   * time of receipt (RFC 3339); `echo`: by name, dotted paths into the request, of which the first text or number is
   * given back.
   */
  acknowledge?: { constants?: { [name: string]: Scalar }; time?: string; echo?: { [name: string]: string[] } }
}

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
  /** Ids begin with the time of creation in hexadecimal Unix seconds, which shows how old they are. */
  idHoldsTime?: boolean
  /** Dotted path in an item to the time of its creation, to the same end. */
  createdAt?: string
  /** How many items the list holds at most: one as long may have more behind it. Default: the parameter `limit` of `find.query`. */
  pageSize?: number
}

/** Facts about a provider's wire, as data. An operator may override any of it with JSON. */
export type WireProfile = {
  /** Name of the profile, shown in the manifest. */
  profile: string
  /** null: operator must set it. Never from callers. */
  baseUrl: string | null
  /**
   * Addresses that connections may bring along in place of `baseUrl`: `https://*.desk.example/api`. "*" matches one label of the host name, and
   * two labels after it are fixed. Without it such connections cannot be used. null: the operator must set it.
   */
  baseUrlPattern?: string | null
  /** Where the browser is sent to authorize, if the provider has such pages. */
  authUrl?: string | null
  /** Parameters that make the token page send the browser back to {returnUrl} with the token in the fragment, where the app is registered for it. */
  authorizeReturn?: { [name: string]: string }
  /** By connection type id (`oauth2` for connections that `oauth.version` has switched to OAuth 2.0). null: not shown, must be set. */
  auth: { [connectionType: string]: AuthPlacement | null }
  /** Fixed headers of every request, such as a version. They hold no secret and are shown; credentials belong in `auth`. */
  headers?: { [name: string]: string }
  /** Default `application/json`. */
  accept?: string
  /** How bodies are sent; default `json`. A request may say otherwise (`bodyAs`). */
  body?: BodyKind
  /** Names callers may never set in query or body, beside those in `auth`. */
  reserved: string[]
  /** Header that marks our own writes, so that events they cause can be recognised. */
  writeMark?: { header: string }
  pace: Pace
  timeouts: { connectMs: number; headersMs: number; bodyMs: number; totalMs: number; deadlineMs: number }
  maxReplyBytes: number
  errors: ErrorRule[]
  /** Where error replies hold their details; default: the first text under a usual name. */
  errorDetails?: ErrorDetails
  /** Statuses at which the provider promises that nothing was executed, beside 429. */
  rejectsBeforeExecuting?: number[]
  /** Where to look after a create whose outcome is unknown. */
  probes?: CreateProbe[]
  signature?: WebhookSignature
  /** Requests about people who opted out, signed as `signature` says with the secret of the app. */
  optOuts?: OptOutRequests
  endpoints?: { [name: string]: EndpointProfile }
  /** The endpoint that tests a key for nothing, with these values in our field names. Without it the first match shows that a key works. */
  test?: { endpoint: string; values?: { [ours: string]: Json } }
  /** Refusals that only a valid key gets, such as one for want of credits. */
  validKey?: ReplyCondition[]
  /** What API Call knows of the provider's endpoints; default: the list of the integration. */
  operations?: ApiOperation[]
  /** Alias paths by record kind: our field → dotted paths tried in turn. */
  records?: { [kind: string]: { [ours: string]: RecordAlias } }
  oauth?: OAuthProfile
  /** What is a guess, and why. Keys are dotted paths into this profile. */
  assumed: { [what: string]: string }
}

/** Addresses of OAuth. `version`: a switch for providers that offer both ways in the browser; absent: the scheme of each connection type says which is used. */
export type OAuthProfile = { version?: '1.0a' | '2.0'; v1?: OAuth1Profile; v2?: OAuth2Profile; client?: OAuth2ClientProfile }

/** OAuth 1.0a, HMAC-SHA1, three legs. Its tokens are placed as `auth.oauth` says, with the secrets {key} and {token}. */
export type OAuth1Profile = {
  requestUrl: string | null
  authorizeUrl: string | null
  tokenUrl: string | null
  /** Extra parameters of the authorize address; {appName} is filled in. */
  authorizeParams?: { [name: string]: string }
  /** As in `OAuth2Profile`. */
  scopeNames?: { [scope: string]: string[] }
}

/** OAuth 2.0, code with PKCE. Its tokens are placed as `auth.oauth2` says, with the secrets {key} (the client id) and {token} (the access token). */
export type OAuth2Profile = {
  authorizeUrl: string | null
  tokenUrl: string | null
  /** What the provider calls itself in `iss`; default: the origin of `authorizeUrl`. */
  issuer?: string
  scopes: string[]
  /** What this version calls the scopes that steps and triggers name in `oauthScopes`; absent: the same. */
  scopeNames?: { [scope: string]: string[] }
  authorizeParams?: { [name: string]: string }
  /** Form of the requests to `tokenUrl`; default `form`, as the standard says. */
  tokenBody?: 'form' | 'json'
  /** Where client id and secret go in them; default `body`. */
  clientAuth?: 'body' | 'basic'
  /**
   * Whether a refresh token may be sent again when nobody knows what became of a refresh. `rotating` (the default, as the standard advises): never,
   * since a repeat counts as theft at such providers and ends the whole authorization. `reusable`: yes.
   */
  refreshTokens?: 'rotating' | 'reusable'
}

/** OAuth 2.0 client credentials. The access token is placed as `auth` says for the connection type, as the secret {token}. */
export type OAuth2ClientProfile = {
  tokenUrl: string | null
  scopes?: string[]
  /** Further parameters of the token request, e.g. `audience`. */
  params?: { [name: string]: string }
  tokenBody?: 'form' | 'json'
  clientAuth?: 'body' | 'basic'
}
