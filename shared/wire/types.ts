import type { BodyKind, Effect, Failure, FailureCode, Json, Method, PaceLimit, Query, WireProfile } from '#kit'

/** Our registration at the provider. */
export type OAuthApp = { key: string; secret: string }
export type OAuth1Token = { token: string; secret: string }
/** What OAuth 1.0a signs of a request. */
export type Signed = { method: string; url: string; data?: Record<string, string | string[]> }

/** The account a call is made with. `key` names it in pacing and breakers; unique over tenants. */
export type Account = {
  key: string
  /** Whose it is: tenants get even shares of what they use together. */
  tenant: string
  /** Shared by all accounts of one app key; limits `per: 'app'` count here. */
  appKey: string
  /** Connection type id: chooses the auth placement. */
  type: string
  secrets: Record<string, string>
  /** Our app at the provider, where each request is signed with it. */
  app?: OAuthApp | undefined
  /**
   * Where this account is reached, in place of the profile's address; it has to fit the profile's `baseUrlPattern`.
   * Never from a caller of a step.
   */
  baseUrl?: string | undefined
}

/** Takes a body piece by piece. Where it rejects, the exchange ends. `end`: the body is complete. */
export type Sink = { write(bytes: Uint8Array): Promise<void>; end(): Promise<void> }
/** Whoever opens a sink, and what becomes of it when the exchange does not end well. */
export type SaveBody = {
  /** Called for each reply that is fine. `length`: as it was announced, where the body is not encoded. */
  open(reply: { headers: Record<string, string>; length: number | undefined }): Sink
  /** What was written is worth nothing. */
  discard(): Promise<void>
}
/** A file for a multipart body. `read` is called for each attempt. */
export type OutgoingFile = { name: string; mediaType: string; size: number; read(): AsyncIterable<Uint8Array> }
export type OutgoingFiles = ReadonlyMap<string, OutgoingFile>
/** A body that is not held in memory. `literal`: how many of its bytes are. */
export type StreamedBody = { length: number; literal: number; open(): AsyncIterable<Uint8Array> }

/** What is asked of the wire. `path` may come from an agent (API Call), so the guard reads it raw. */
export type Call = {
  integration: string
  profile: WireProfile
  account: Account
  method: Method | (string & {})
  path: string
  /** Endpoint of the profile; where it has an address of its own, that is called. Never from a caller of a step. */
  endpoint?: string | undefined
  query?: Query | undefined
  body?: Json | undefined
  /** Default: the profile's `body`. */
  bodyAs?: BodyKind | undefined
  /** Files that the body names by id, `{ file }`, in a multipart body. */
  files?: OutgoingFiles | undefined
  /** Where the body of a fine reply goes, in place of `Reply.body`. */
  save?: SaveBody | undefined
  ifNoneMatch?: string | undefined
  ifModifiedSince?: string | undefined
  effect: Effect
  /** Costs credits: repeated only like a create. */
  paid?: boolean | undefined
  /** Path prefix and methods allowed; the API-call policy, narrowed by the connection. */
  policy: CallPolicy
  /** Value of the profile's `writeMark` header. */
  correlationId?: string | undefined
  redirects?: 'same-origin' | undefined
  /**
   * Whether a server error is an answer all the same, such as a miss: it is neither sent again nor counts against the
   * provider's health.
   */
  isAnswer?: ((reply: Reply) => boolean) | undefined
  /**
   * The path comes from a handler and may hold `{secret:name}`, filled from the account when the credential is added.
   * Never for API calls.
   */
  secretsInPath?: boolean | undefined
  signal?: AbortSignal | undefined
  /** Monotonic ms after which no attempt or wait may go on. */
  deadlineAt?: number | undefined
  priority?: 'interactive' | 'bulk' | undefined
  /** Fails `rate_limited` at once instead of waiting for the provider's limit. */
  noWait?: boolean | undefined
  /** Called just before each send; throws to refuse (connection deleted, policy tightened). */
  recheck?: (() => void) | undefined
  /** Counts and describes every attempt, also of a call that fails. */
  used?: Used | undefined
  /** Called when the first byte may leave, before it does; awaited (intent `sending`). */
  onSending?: (() => Promise<void> | undefined) | undefined
}

/** One attempt of a call: when its first byte left (monotonic ms), what it waited for before (ms), and how it ended. */
export type Attempt = {
  at: number
  method: string
  path: string
  /** For a rate limit, or between two attempts. */
  waitedMs: number
  durationMs: number
  /** Null: no answer came. */
  status: number | null
  /** Why there is no answer to go by, or `rate_limited`. */
  code: FailureCode | null
}
/**
 * What calls have used so far. `refused`: attempts that the provider refused because its rate limit was used up.
 * `tried`: bounded.
 */
export type Used = { attempts: number; waitedMs: number; refused: number; tried: Attempt[] }

export type CallPolicy = {
  methods: readonly string[]
  under: string
  /** When given, one of these rules must fit. */
  allow?: readonly { path: string; methods?: readonly string[] | undefined }[] | undefined
  deny: readonly {
    path: string
    methods?: readonly string[] | undefined
    query?: readonly string[] | undefined
    reason: string
  }[]
  /** Path patterns of which one must fit; from a connection's narrowing. */
  only?: readonly string[] | undefined
}

export type Reply = {
  status: number
  headers: Record<string, string>
  /** Parsed JSON; a string when the reply was text; null when empty. */
  body: Json
  /** True when the content type said JSON and it parsed. */
  json: boolean
  attempts: number
  /** Status 304 in answer to `ifNoneMatch` or `ifModifiedSince`. */
  notModified?: true
}

/** A request as it would be sent, secrets masked. */
export type Preview = { method: string; url: string; headers: Record<string, string>; body?: Json }

/** What reaches providers with the credential of an account. Only the gate has it. */
export type ProviderWire = {
  /**
   * guard → authorize → pace → send → (retry) → a complete reply of any status.
   * Throws a Failure when there is no complete reply, when it was refused before sending, or 429 outlasts the deadline.
   */
  exchange(call: Call): Promise<Reply>
  /** The failure a reply means under the profile's rules, or undefined when it is fine. */
  classify(profile: WireProfile, reply: Reply, effect: Effect): Failure | undefined
  /**
   * Query of a further page: that of the call, and what the address the provider gave adds. Throws `bad_reply` for
   * another origin.
   */
  pageQuery(call: Call, address: string): Query
  /** What `exchange` would send, secrets masked; throws the same refusals. Sends nothing. */
  preview(call: Call): Preview
}

/** What reaches agents and platforms. */
export type AgentWire = {
  /**
   * One POST to an agent's address under the egress rules. Any status is an answer; redirects are not followed, at most
   * 8 kB are read.
   * @throws Failure `unreachable` when there is no answer, `unavailable` when this process ends; `not_allowed`,
   * `invalid_input` when the address may not be called
   */
  deliver(outbound: Outbound): Promise<Delivered>
  /** Throws what `deliver` would throw for the address itself. */
  checkTarget(address: string): void
}

/** What reads public addresses, without any credential. */
export type FileWire = {
  /**
   * Reads a public https address piece by piece: at most three redirects, within its own origin.
   * @throws Failure `invalid_input` or `not_allowed` for the address, `rejected` for its answer, `unreachable`, and
   * what the sink throws
   */
  fetchFile(address: string, open: SaveBody['open'], signal: AbortSignal | undefined): Promise<void>
}

/** What knows how much of the providers' limits is used. */
export type LimitWire = {
  /**
   * What is used of the provider's limits by an account, as this process counts it. Sends nothing.
   * @throws Failure `wire_unset`, `not_allowed` when there is no address that may be called
   */
  headroom(of: Pick<Call, 'integration' | 'profile' | 'account'>): Headroom
  /** Takes what another process found of a provider, see `WireOptions.onBreaker`. */
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
/** `message`: what was answered, as text. `unread`: why that could not be read. */
export type Delivered = {
  status: number
  headers: Record<string, string | string[] | undefined>
  message: string
  unread?: string
}

export type EgressRules = {
  /** Origins of providers (and identity providers) that may be private or plain http. Exact `scheme://host:port`. */
  privateOrigins: string[]
  /** Origins of agents that may be; neither list opens anything to the other's purpose. */
  agentOrigins?: string[]
  /** Origins that files may be fetched from although they are. */
  fileOrigins?: string[]
  /** Loopback is refused even when listed, unless it is the sandbox of this very process. */
  production: boolean
  /** Origins served by this very process (the sandbox): may be loopback even in production mode. */
  ownOrigins?: string[]
  /** Agents may be at any port of 127.0.0.1: for trying things out where only this machine reaches the server. */
  loopbackAgents?: boolean
  /** `http://host:port` of an egress proxy. Proxies named in the environment are ignored. */
  proxy?: string
}
/** All addresses of a name; rejects with a DNS error code. Tests replace it. */
export type ResolveHost = (hostname: string) => Promise<{ address: string; family: number }[]>
/** One rate limit that several processes share. */
export type SharedWindow = {
  key: string
  max: number
  windowMs: number
  /** `app`: used by several tenants, who get even shares. */ per: PaceLimit['per']
}
/** The limits that several processes share. */
export type SharedSlots = {
  /**
   * Takes up to `wantedCount` calls of every window at once. With none granted, `waitMs` says when to ask again. A
   * grant is good for `goodMs` from when it was asked for. Rejects while nobody can say: then nothing may be sent.
   */
  take(
    windows: readonly SharedWindow[],
    wantedCount: number,
    tenant: string,
    isBulk: boolean,
  ): Promise<{ granted: number; waitMs: number; goodMs: number; at: number }>
  /** Calls of these grants, as `at` named them, were answered late: they count from now on. */
  move(windows: readonly SharedWindow[], at: readonly number[]): void
  /** `count` calls of the grant named `at` were not made, and will not be. */
  giveBack(windows: readonly SharedWindow[], at: number, count: number, tenant: string): void
  /** A provider refused: nobody sends anything of these windows for `ms`. */
  pause(windows: readonly SharedWindow[], ms: number): void
}
export type WireOptions = {
  /** Present where other processes use the same accounts. */
  slots?: SharedSlots | undefined
  /** What this process found of a provider as a tenant sees it, for `Wire.noteBreaker` of the other processes. */
  onBreaker?: ((breakerChange: string) => void) | undefined
  now(): number
  monotonic(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  random(): number
  egress: EgressRules
  resolve?: ResolveHost
}
