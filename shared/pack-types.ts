import type { operatorRules } from './api/resources/approval-rule.ts'
import type { Integration, OptionPage, Outcome, WireProfile, z } from '#kit'
import type { Lookups } from './runtime/lookups/waterfall/waterfall.ts'
import type { RunChecks } from './runtime/checks.ts'
import type { AccountForm } from './runtime/catalogue/account-form.ts'
import type { Catalogue } from './runtime/catalogue/catalogue.ts'
import type { ResolveSecrets } from './runtime/connections/open-connection.ts'
import type { ApprovalRules, Approvals } from './runtime/approvals/types.ts'
import type { Apps } from './runtime/connections/apps.ts'
import type { Background } from './runtime/steps/background.ts'
import type { Audit } from './runtime/admin/audit.ts'
import type { OnConnectionState } from './runtime/connections/states.ts'
import type { CreditPrices } from './runtime/credits/prices.ts'
import type { Budgets } from './runtime/credits/budgets.ts'
import type { Ledger } from './runtime/credits/ledger.ts'
import type { Connect } from './runtime/connections/browser/types.ts'
import type { ConnectionReports } from './runtime/connections/usage.ts'
import type { Connections } from './runtime/connections/connections.ts'
import type { CheckWire } from './runtime/steps/wire-check.ts'
import type { jwtSettings } from './runtime/admin/jwt-settings.ts'
import type { loginSettings } from './runtime/admin/login-settings.ts'
import type { Login } from './runtime/admin/login.ts'
import type { BulkJobs } from './runtime/bulk-jobs/bulk-jobs.ts'
import type { Files } from './runtime/files/files.ts'
import type { Keys } from './runtime/admin/keys.ts'
import type { LocaleFile } from './runtime/catalogue/locales.ts'
import type { Limits, LimitSettings } from './runtime/admin/limits.ts'
import type { AccountFieldsCall, OptionsCall, TriggerOptionsCall } from './runtime/options.ts'
import type { Policies } from './runtime/admin/policies.ts'
import type { Caller, Clock, Keyring, Log, Store } from './runtime/ports/index.ts'
import type { Registry } from './runtime/catalogue/registry.ts'
import type { Runs } from './runtime/steps/runs.ts'
import type { Samples } from './runtime/steps/samples.ts'
import type { StepCall } from './runtime/steps/step-call.ts'
import type { Grants } from './runtime/oauth/grants.ts'
import type { OAuth } from './runtime/oauth/oauth.ts'
import type { KnownClient } from './runtime/oauth/settings.ts'
import type { PeopleLists } from './runtime/people-lists/lists.ts'
import type { PeopleList } from './runtime/people/people.ts'
import type { DefaultAccount } from './runtime/people/choose.ts'
import type { PersonsData } from './runtime/privacy/persons-data.ts'
import type { StoredResults } from './runtime/lookups/stored-results.ts'
import type { Suppressions } from './runtime/privacy/suppressions.ts'
import type { RetentionSettings } from './runtime/admin/retention.ts'
import type { Sessions } from './runtime/admin/sessions.ts'
import type { Tenants, Tokens } from './runtime/admin/tokens.ts'
import type { NotificationTargets, OnNotification, OnStart, Triggers } from './runtime/triggers/index.ts'
import type { Wrapping } from './store/index.ts'
import type { Tracing } from './tracing.ts'
import type { EgressRules, Preview, Reply } from './wire/index.ts'

/** A finished exchange with a provider. `sent`: the request with secrets masked; `reply` is scrubbed. */
export type Exchanged = {
  profile: WireProfile
  /** Id of the connection type. */
  type: string
  baseUrl: string
  /** The request went to an address that the provider gave. */
  isToAddress: boolean
  sent: Preview
  reply: Pick<Reply, 'status' | 'headers' | 'body' | 'json' | 'attempts'>
  /** Whether the text holds a secret of the connection, in any form. */
  holdsSecret(text: string): boolean
}

export type PackOptions = {
  /** Default: an in-memory store. `openSqliteStore` opens the embedded one. */
  store?: Store
  /**
   * 32 bytes that seal secrets; or several keys, the present one first, with a way to store new ones; or how the
   * platform's own key management wraps them. Default: a new key for this process, which suits only the in-memory
   * store.
   */
  masterKey?: Buffer | Keyring | Wrapping
  /**
   * Ids of master keys that are lost for good: the pack opens without them, and what is sealed under them must be
   * entered again.
   */
  lostKeys?: string[]
  /** The operator's wire overrides by integration id, applied to the documented wire profiles. */
  wire?: Record<string, Record<string, unknown>>
  egress?: Partial<EgressRules>
  /** Resolves secrets that are in the platform's own vault, by the connection's `externalId`. */
  credentials?: { resolve: ResolveSecrets }
  /**
   * What a call takes that names no connection: the account of the person it acts for, or the workspace's default.
   * Default: `personal-then-shared`. `any`: a call for nobody takes any account, as in versions without people.
   */
  defaultAccount?: DefaultAccount
  /** An identity provider whose tokens are accepted beside ours. */
  jwt?: z.input<ReturnType<typeof jwtSettings>>
  /** An OpenID provider that signs people into the console, and into what asks for a session. */
  login?: z.input<ReturnType<typeof loginSettings>>
  /**
   * Whether people may sign in at this server and let clients in. Default: `off`. `default`: if its data directory was
   * made by a version that could, it has a public address and no identity provider.
   */
  oauthServer?: 'on' | 'off' | 'default'
  /** Clients that need not register. */
  oauthClients?: KnownClient[]
  /** Rules for every tenant, which nobody can change there: which runs wait for whose decision. */
  approvalRules?: z.input<ReturnType<typeof operatorRules>>
  limits?: Partial<Omit<LimitSettings, 'tenant'>> & { tenant?: Partial<LimitSettings['tenant']> }
  /** Our name on the consent pages of providers. */
  appName?: string
  /** Origins that a browser may return to after connecting, besides this server: those of the platform. */
  returnOrigins?: string[]
  /** Public address of this process, without a trailing "/"; otherwise `servedAt` sets it. Providers deliver there. */
  publicUrl?: string
  /** Origins of agents that may be private or plain http. */
  agentOrigins?: string[]
  /** Stores and shows the beginning of an agent's response to a start; otherwise only its status and size. */
  agentAnswers?: boolean
  /** false: a single lookup is sent together with others in one bulk request only if its call says `merge: true`. */
  mergeLookups?: boolean
  /** Stores input and output of runs for this long, in ms; they are not stored otherwise. */
  runContentsMs?: number
  /** What a credit costs, by integration id, so that use can be shown in money too. */
  creditPrices?: CreditPrices
  /** Receives the starts of subscriptions whose agent has no address. */
  onStart?: OnStart
  /** Receives the notifications of tenants whose target has no address. */
  onNotification?: OnNotification
  /** How often polled triggers are polled, in ms; default: a minute. */
  scanMs?: number
  /**
   * Ages in ms after which rows are removed, where they differ from the defaults, and the maximum size of the embedded
   * store.
   */
  retention?: RetentionSettings
  integrations?: Integration[]
  /**
   * Translations of the manifests by language, beside those that ship: texts by key, as in `manifests/locales/en.json`.
   */
  locales?: Record<string, LocaleFile>
  /**
   * For tools that record examples: called after each exchange with a provider, in the context of the run that made it.
   */
  onExchange?: (exchanged: Exchanged) => void
  clock?: Clock
  random?: () => number
  log?: Log
  /** Adds spans to what the pack does; default: those of the tracer provider that the process registered, if any. */
  tracing?: Tracing
}

/** The verbs of the pack. Verbs for callers take the caller first and are limited to its tenant. */
export type Pack = {
  integrations: Pick<Catalogue, 'list' | 'manifest' | 'locale' | 'search'>
  steps: {
    find: Catalogue['find']
    run(caller: Caller, call: StepCall): Promise<Outcome>
    /** Starts a run without waiting for it; `runs.get` reports on it. */
    begin: Background['begin']
    /** Starts a run whose caller waits for now, and that others can find once it is announced. */
    beginQuietly: Background['beginQuietly']
    options(caller: Caller, call: OptionsCall): Promise<OptionPage>
    /**
     * Fields that the account defines for a step with `accountFields`: the schema of the object that holds their
     * values, and its layout.
     */
    fields(caller: Caller, call: AccountFieldsCall): Promise<AccountForm>
  }
  /** Looks up one person or company at several providers. */
  lookups: Lookups
  connections: Connections & ConnectionReports & { authorize: Connect['begin']; wireCheck: CheckWire }
  /**
   * Connections as tools use them, for callers who may run steps: the list of them, and a link to connect one that a
   * run lacked.
   */
  toolConnections: Pick<Connections, 'list'> & { authorize: Connect['begin'] }
  triggers: {
    options(caller: Caller, call: TriggerOptionsCall): Promise<OptionPage>
    /** Counts since the process began, and the lengths of the queues. */
    counts: Triggers['counts']
  }
  /** Triggers attached to agents. */
  subscriptions: Triggers['subscriptions']
  /** Addresses that receive starts. */
  agents: Triggers['agents']
  /** Where a platform is notified about a tenant's connections, subscriptions and starts. */
  notifications: NotificationTargets
  /** Our webhooks at the providers. */
  hooks: Triggers['hooks']
  /** Events that arrived from providers. */
  events: Triggers['events']
  /** Agent starts that events caused. */
  starts: Triggers['starts']
  /** What happened at providers and could not be recovered. */
  gaps: Triggers['gaps']
  /** Previews what a delivery would start, and why it would not start the rest. */
  deliveries: Triggers['deliveries']
  /** Answers a provider's request on a hook's address; 200 only after its events are on disk. */
  receive: Triggers['receive']
  /**
   * Starts the background work: agent starts, maintenance of hooks, backfill, jobs. Call it once this process can be
   * reached.
   */
  start(): Promise<void>
  apps: Pick<Apps, 'get' | 'put'>
  /** Files that steps take and return: `{ file: "<id>" }` names one. */
  files: Files
  /** The end users of the platform whom calls act for. */
  people: PeopleList
  /** What people let clients do. */
  grants: Grants
  /** An input and output of a step, saved to build on without another run. */
  samples: Samples
  /** Stored lists of people or companies, which jobs use by name. */
  peopleLists: PeopleLists
  /** Jobs that look up the rows of a file one by one. */
  jobs: BulkJobs
  /** How many credits may be spent, and how many of them are left. */
  budgets: Budgets
  /** The credits that were reserved and spent. */
  ledger: Ledger
  /** Stored results of lookups, which later lookups use again. */
  cache: StoredResults
  /** People and companies that must not be looked up or shown. */
  suppressions: Suppressions
  /** Export of what is stored about a person, and its erasure. */
  privacy: PersonsData
  /** Runs that wait for somebody's decision. */
  approvals: Approvals
  /** Which runs wait, and for whom. */
  approvalRules: ApprovalRules
  /** Whether input and output of runs are stored for a while. */
  contentsKept: boolean
  /** What a credit costs, by integration id. */
  creditPrices: CreditPrices
  runs: Omit<Runs, 'get'> & Pick<Background, 'get' | 'cancel' | 'outcome'>
  tokens: Tokens
  /** Sign-in of browsers, each session bound to a token. */
  sessions: Omit<Sessions, 'open'>
  /** Signing browsers in at an OpenID provider, if one is set. */
  login?: Login | undefined
  /** The identity provider whose tokens are accepted beside ours. */
  issuer?: string | undefined
  /** Lets people sign in and let clients in; absent: they cannot. Its code is loaded by the first use. */
  oauth: { load(): Promise<OAuth> } | undefined
  tenants: Tenants
  /** Connecting an account in the browser; `connections.authorize` starts it. */
  connect: Omit<Connect, 'begin'>
  /** Sets the address of this process, for links to its own pages; the operator's setting takes precedence. */
  servedAt(address: string): void
  audit: Pick<Audit, 'list' | 'verify' | 'head' | 'refused' | 'backlog'>
  keys: Pick<Keys, 'get' | 'rotate'>
  policies: Pick<Policies, 'get' | 'put'>
  /** What an operator should look at, across all tenants. */
  checks: RunChecks
  limits: Pick<Limits, 'admit' | 'wrongToken' | 'signInAnswer' | 'waiting'>
  /** Calls the listener when a connection becomes usable or unusable; returns a function that stops it. */
  onAccountState(listener: OnConnectionState): () => void
  /** Tests connections that have not been used for hours, until the pack is closed. */
  watchAccounts(): void
  /**
   * Copies the whole database, with all tenants, into a new file while work continues. The master key is not included.
   */
  backup(caller: Caller, file: string): Promise<{ bytes: number }>
  /** Throws `unavailable` with the reason when the pack cannot take work. */
  ready(): Promise<void>
  /**
   * From now on `ready` fails and no more background work is taken; requests are answered as before. Called a moment
   * before `drain`, where other processes share the store.
   */
  leave(): Promise<void>
  /** Whether `leave` was called. */
  isLeaving(): boolean
  registry: Registry
  /** Ends the background work, within 25 s: agent starts under way, and background runs. `close` does it too. */
  drain(): Promise<void>
  close(): Promise<void>
}
