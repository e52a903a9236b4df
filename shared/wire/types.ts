import type { BodyKind, Effect, Failure, FailureCode, Json, Method, PaceLimit, Query, WireProfile } from '#kit'

/** Our registration as an app at the provider. */
export type OAuthApp = { key: string; secret: string }
export type OAuth1Token = { token: string; secret: string }
/** The parts of a request that OAuth 1.0a signs. */
export type Signed = { method: string; url: string; data?: Record<string, string | string[]> }

/**
 * The account that a call is made with. `key` identifies it in rate limits and breakers, and is unique across tenants.
 */
export type Account = {
  key: string
  /** The tenant that owns the account: tenants get even shares of the limits that they use together. */
  tenant: string
  /** The app key that several accounts may share; limits `per: 'app'` are counted by it. */
  appKey: string
  /** Connection type id: chooses the auth placement. */
  type: string
  secrets: Record<string, string>
  /** Our app at the provider, where its secret signs each request. */
  app?: OAuthApp | undefined
  /**
   * The address of this account, used in place of the profile's; it has to match the profile's `baseUrlPattern`. Never
   * set by a caller of a step.
   */
  baseUrl?: string | undefined
  /** Setting that allows this address, where it is not `baseUrlPattern`. */
  baseUrlSetting?: string | undefined
}

/** Takes a body chunk by chunk. When it rejects, the exchange ends. `end`: the body is complete. */
export type Sink = { write(bytes: Uint8Array): Promise<void>; end(): Promise<void> }
/** Opens a sink for the body of a reply, and discards what was written when the exchange fails. */
export type SaveBody = {
  /** Called for each successful reply. `length`: the announced length in bytes, where the body is not encoded. */
  open(reply: { headers: Record<string, string>; length: number | undefined }): Sink
  /** Drops what was written. */
  discard(): Promise<void>
}
/** A file for a multipart body. `read` is called anew for each attempt. */
export type OutgoingFile = { name: string; mediaType: string; size: number; read(): AsyncIterable<Uint8Array> }
export type OutgoingFiles = ReadonlyMap<string, OutgoingFile>
/** A body that is not held in memory as a whole. `literal`: how many of its bytes are. */
export type StreamedBody = { length: number; literal: number; open(): AsyncIterable<Uint8Array> }

/** One call to a provider. `path` may come from an agent (API Call), so the guard reads it as it is, unparsed. */
export type Call = {
  integration: string
  profile: WireProfile
  account: Account
  method: Method | (string & {})
  path: string
  /** Endpoint of the profile; if it has an address of its own, the call goes there. Never set by a caller of a step. */
  endpoint?: string | undefined
  query?: Query | undefined
  body?: Json | undefined
  /** Default: the profile's `body`. */
  bodyAs?: BodyKind | undefined
  /** Media type of the body, where it is not the usual one. */
  contentType?: string | undefined
  /** `text`: the body of a success stays text. `any`: it may be text. Default: it must be JSON. */
  replyAs?: 'text' | 'any' | undefined
  /** The whole address to send to, which the provider gave; set by `callToAddress` alone. */
  address?: string | undefined
  /** Files that the body names by id, `{ file }`, in a multipart or raw body. */
  files?: OutgoingFiles | undefined
  /** Where the body of a successful reply is written, in place of `Reply.body`. */
  save?: SaveBody | undefined
  ifNoneMatch?: string | undefined
  ifModifiedSince?: string | undefined
  effect: Effect
  /** The most points that the call can cost, if that differs from what the profile says. */
  points?: number | undefined
  /** The call costs credits, so it is repeated only like a create. */
  paid?: boolean | undefined
  /** The paths and methods allowed: the API Call policy, narrowed by the connection. */
  policy: CallPolicy
  /** Value of the profile's `writeMark` header. */
  correlationId?: string | undefined
  redirects?: 'same-origin' | undefined
  /**
   * Whether a server error is an answer all the same, such as a miss: it is not sent again and does not count against
   * the provider's health.
   */
  isAnswer?: ((reply: Reply) => boolean) | undefined
  /**
   * The path comes from a handler and may contain `{secret:name}`, which is filled from the account when the credential
   * is added. Never set for API calls.
   */
  secretsInPath?: boolean | undefined
  signal?: AbortSignal | undefined
  /** Monotonic ms after which no attempt or wait may continue. */
  deadlineAt?: number | undefined
  priority?: 'interactive' | 'bulk' | undefined
  /** Fails with `rate_limited` at once instead of waiting for the provider's limit. */
  noWait?: boolean | undefined
  /** Called just before each send; throws to refuse (connection deleted, policy tightened). */
  recheck?: (() => void) | undefined
  /** Counts and describes every attempt, even when the call fails. */
  used?: Used | undefined
  /** Called and awaited before the first byte may leave, to store that the request is being sent (intent `sending`). */
  onSending?: (() => Promise<void> | undefined) | undefined
}

/** One attempt of a call: when its first byte left (monotonic ms), how long it waited before (ms), and how it ended. */
export type Attempt = {
  at: number
  method: string
  path: string
  /** The wait for a rate limit, or between two attempts. */
  waitedMs: number
  durationMs: number
  /** Null when no answer came. */
  status: number | null
  /** Why there is no usable answer, or `rate_limited`. */
  code: FailureCode | null
}
/**
 * What calls have used so far. `refused`: attempts that the provider refused because its rate limit was used up.
 * `tried`: a bounded list of attempts.
 */
export type Used = { attempts: number; waitedMs: number; refused: number; tried: Attempt[] }

export type CallPolicy = {
  methods: readonly string[]
  under: string
  /** When given, a call must match one of these rules. */
  allow?: readonly { path: string; methods?: readonly string[] | undefined }[] | undefined
  deny: readonly {
    path: string
    methods?: readonly string[] | undefined
    query?: readonly string[] | undefined
    reason: string
  }[]
  /** When given, the path must match one of these patterns, to which the connection is narrowed. */
  only?: readonly string[] | undefined
}

export type Reply = {
  status: number
  headers: Record<string, string>
  /** Parsed JSON; a string when the reply was text; null when empty. */
  body: Json
  /** True when the body parsed as JSON; it is tried when the content type says JSON, or the text begins like JSON. */
  json: boolean
  /** It is a text where the call takes one. */
  plain?: true
  attempts: number
  /** Status 304 in answer to `ifNoneMatch` or `ifModifiedSince`. */
  notModified?: true
}

/** A request as it would be sent, secrets masked. */
export type Preview = { method: string; url: string; headers: Record<string, string>; body?: Json }

/** Sends requests to providers with the credential of an account. Only the gate holds it. */
export type ProviderWire = {
  /**
   * guard → pace → authorize → send → (retry) → a complete reply of any status.
   * Throws a Failure when there is no complete reply, when the call was refused before sending, or when a 429 outlasts
   * the deadline.
   */
  exchange(call: Call): Promise<Reply>
  /** The failure that a reply means under the profile's rules; undefined when it means none. */
  classify(profile: WireProfile, reply: Reply, effect: Effect): Failure | undefined
  /**
   * Query of a further page: that of the call, and what the address that the provider gave adds. Throws `bad_reply` for
   * an address on another origin.
   */
  pageQuery(call: Call, address: string): Query
  /** The request that `exchange` would send, secrets masked; throws the same refusals. Sends nothing. */
  preview(call: Call): Preview
}

/** Calls agents and platforms. */
export type AgentWire = {
  /**
   * Sends one POST to an agent's address under the egress rules. Any status is an answer; redirects are not followed,
   * and at most 8 kB are read.
   * @throws Failure `unreachable` when there is no answer, `unavailable` when this process ends; `not_allowed`,
   * `invalid_input` when the address may not be called
   */
  deliver(outbound: Outbound): Promise<Delivered>
  /** Throws what `deliver` would throw because of the address. */
  checkTarget(address: string): void
}

/** Reads public addresses, without any credential. */
export type FileWire = {
  /**
   * Reads a public https address chunk by chunk; follows at most three redirects, within its own origin.
   * @throws Failure `invalid_input` or `not_allowed` for the address, `rejected` for its answer, `unreachable`, and
   * what the sink throws
   */
  fetchFile(address: string, open: SaveBody['open'], signal: AbortSignal | undefined): Promise<void>
}

/** Reports how much of the providers' limits is used. */
export type LimitWire = {
  /**
   * How much of the provider's limits an account uses, as this process counts it. Sends nothing.
   * @throws Failure `wire_unset`, `not_allowed` when there is no address that may be called
   */
  headroom(of: Pick<Call, 'integration' | 'profile' | 'account'>): Headroom
  /** Applies what another process found out about a provider; see `WireOptions.onBreaker`. */
  noteBreaker(breakerChange: string): void
}

export type Wire = ProviderWire & AgentWire & FileWire & LimitWire & { close(): Promise<void> }

/** One limit of the provider. Times are ms since epoch. */
export type HeadroomWindow = {
  per: 'connection' | 'app' | 'route'
  route: string | null
  limit: number | null
  windowMs: number | null
  used: number | null
  remaining: number | null
  resetsAt: number | null
  pausedUntil: number | null
}
export type Headroom = {
  windows: HeadroomWindow[]
  queue: { running: number; waiting: number; concurrency: number }
  breaker: { state: 'closed' | 'open' | 'trying'; until: number | null }
}

export type Outbound = {
  url: string
  headers: Record<string, string>
  body: string
  timeoutMs: number
  signal?: AbortSignal | undefined
}
/** `message`: the answer as text. `unread`: why the answer could not be read. */
export type Delivered = {
  status: number
  headers: Record<string, string | string[] | undefined>
  message: string
  unread?: string
}

export type EgressRules = {
  /** Origins of providers (and identity providers) that may be private or plain http. Exact `scheme://host:port`. */
  privateOrigins: string[]
  /** Origins of agents that may be private or plain http; neither list opens an origin to the other's purpose. */
  agentOrigins?: string[]
  /** Origins that files may be fetched from although they are private or plain http. */
  fileOrigins?: string[]
  /** The same for descriptions of clients, whose addresses are named by strangers: no setting lists one. */
  clientOrigins?: string[]
  /** Loopback addresses are refused even when listed, unless they are the sandbox of this very process. */
  production: boolean
  /** Origins served by this very process (the sandbox): they may be loopback even in production mode. */
  ownOrigins?: string[]
  /** Agents may be at any port of 127.0.0.1, for trials where only this machine reaches the server. */
  loopbackAgents?: boolean
  /** `http://host:port` of an egress proxy. Proxies named in the environment are ignored. */
  proxy?: string
}
/** Resolves all addresses of a host name; rejects with a DNS error code. Tests replace it. */
export type ResolveHost = (hostname: string) => Promise<{ address: string; family: number }[]>
/** One rate limit that several processes share. */
export type SharedWindow = {
  key: string
  max: number
  windowMs: number
  /** `app`: a limit that several tenants use, in even shares. */
  per: PaceLimit['per']
  /** How much of the limit each call takes; default 1. */
  weight?: number
}
/** The limits that several processes share. */
export type SharedSlots = {
  /**
   * Takes up to `wantedCount` calls from every window at once. When none is granted, `waitMs` says when to ask again. A
   * grant is valid for `goodMs` from when it was requested. Rejects while the counts are unknown: nothing may be sent
   * then.
   */
  take(
    windows: readonly SharedWindow[],
    wantedCount: number,
    tenant: string,
    isBulk: boolean,
  ): Promise<{ granted: number; waitMs: number; goodMs: number; at: number }>
  /** Calls of the grants named by `at` were answered late: they count from now on. */
  move(windows: readonly SharedWindow[], at: readonly number[]): void
  /** `count` calls of the grant named by `at` were not made, and will not be. */
  giveBack(windows: readonly SharedWindow[], at: number, count: number, tenant: string): void
  /** A provider refused: no process sends anything in these windows for `ms`. */
  pause(windows: readonly SharedWindow[], ms: number): void
}
export type WireOptions = {
  /** Present where other processes use the same accounts. */
  slots?: SharedSlots | undefined
  /**
   * Receives what this process found out about a provider, as one tenant sees it, to pass to `Wire.noteBreaker` of the
   * other processes.
   */
  onBreaker?: ((breakerChange: string) => void) | undefined
  now(): number
  monotonic(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  random(): number
  egress: EgressRules
  resolve?: ResolveHost
}
