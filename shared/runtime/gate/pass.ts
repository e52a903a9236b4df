import type { Cost, Effect, Failure, Json, ProviderRequest, RunMeta } from '#kit'
import type { CallPolicy, OutgoingFiles, Preview, ProviderWire, Reply, SaveBody, Used } from '../../wire/types.ts'
import type { ExchangeAudit } from '../admin/audit.ts'
import type { OpenConnection } from '../connections/open-connection.ts'
import type { Priced } from '../catalogue/path-price.ts'
import type { FoundFor } from '../catalogue/price.ts'
import type { LoadedStep } from '../catalogue/registry.ts'
import type { Spend } from './spend.ts'

/** Not exported beyond this folder, so that nothing else can take the wire out of a gate. */
export const providerWire = Symbol('wire')
/** The only way to providers. */
export type Gate = { readonly [providerWire]: ProviderWire; readonly findCharged: FindCharged }

/** Finds what a reply of any status contains that is charged for; `missed`: the provider reports no match. */
export type FindCharged = (pass: Pass, priced: Priced, reply: Reply) => Promise<FoundFor[] | 'missed'>

/** Name of a profile's endpoint or of its bulk form: `person`, `person.bulk`. */
export type EndpointKey = string

/**
 * Which endpoints have returned a match for a connection, under its current profile and key. Before that, a refusal or
 * a miss may be due to a wrong address.
 */
export type ProvenEndpoints = {
  has(pass: Pass, key: EndpointKey): Promise<boolean>
  /** Records a match permanently. */
  note(pass: Pass, key: EndpointKey): void
}

/** Knows which requests that change or cost something were approved. */
export type RequestPermit = {
  /** Called before each, with the request as a dry run shows it. @throws Failure for one that was not approved */
  check(request: Preview): void
  /** Called with its failure. */
  failed(thrown: unknown): void
}

/** A request to a provider, before the gate has checked it. */
export type OutgoingRequest = {
  method: string
  path: string
  /** Name of the profile's endpoint that the request goes to. */
  endpoint?: string
  query?: ProviderRequest['query']
  body?: Json | undefined
  bodyAs?: ProviderRequest['bodyAs']
  contentType?: string | undefined
  replyAs?: 'text' | undefined
  /** The whole address to send to, where the provider gave one. */
  address?: string | undefined
  effect?: Effect | undefined
  effectSource?: string | undefined
  points?: number | undefined
  followed?: boolean | undefined
  files?: OutgoingFiles | undefined
  save?: SaveBody | undefined
  ifNoneMatch?: string | undefined
  ifModifiedSince?: string | undefined
  nextPage?: string | undefined
  redirects?: 'same-origin' | undefined
  isAnswer?: ((reply: Reply) => boolean) | undefined
  /** Whether a caller wrote the request, with API Call. */
  api?: boolean
  /** Whether the sender reserves and counts the cost itself. Otherwise the gate prices the request by its path. */
  isQuoted?: boolean
}

/** The suppression list of a tenant. */
export type SuppressionList = {
  /** For each request, why it must not be sent; undefined if it may. */
  refusals(requests: readonly unknown[]): Promise<(Failure | undefined)[]>
  /** For each answer, whether it must not be shown. */
  suppressed(answers: readonly unknown[]): Promise<boolean[]>
  failure(): Failure
}

/**
 * The limits on one piece of work: what it may spend, and who must not be looked up. `upkeep`: work of our own, such as
 * a connection test or a poll. It is free, looks nobody up and is never held.
 */
export type Guards = { spend: Spend; privacy: SuppressionList | undefined } | 'upkeep'

/**
 * What one piece of work may do at a provider, and what it has done so far: everything that the gate reads and writes.
 */
export type Pass = {
  gate: Gate
  loaded: LoadedStep
  opened: OpenConnection
  effect: Effect
  /** The price of the step. Its calls are retried only as cautiously as creates. */
  cost: Cost | undefined
  /** Sent with every write, if the provider returns it in the events that the write causes. */
  correlationId: string
  signal: AbortSignal | undefined
  /** Deadline by the monotonic clock, in ms. */
  deadlineAt: number
  priority: 'interactive' | 'bulk'
  noWait: boolean
  onSending: (() => Promise<void> | undefined) | undefined
  /**
   * Checks that the caller may still make requests; sends nothing otherwise.
   * @throws Failure
   */
  checkBeforeSending: (() => Promise<void>) | undefined
  /**
   * Checks before each attempt that this process may still send.
   * @throws Failure
   */
  recheck: (() => void) | undefined
  spend: Spend
  /** Who must not be looked up or shown. */
  privacy: SuppressionList | undefined
  isUpkeep: boolean
  /** Absent where nobody had to approve what changes or costs something. */
  permit: RequestPermit | undefined
  /** Which endpoints are proven; absent for work that uses no endpoint of the profile. */
  provenEndpoints: ProvenEndpoints | undefined
  /** `proven`: an answer has shown that the credential works. */
  used: Used & {
    calls: number
    credits: number
    estimated: boolean
    lastStatus: number | undefined
    proven: boolean
    /** Requests data the account was charged for before, which the provider returns for free. */ repeats: boolean
  }
  /** Information for the caller in addition to the output. */
  notes: Pick<RunMeta, 'warnings' | 'unlisted' | 'cachedAgeSeconds' | 'cachedResults' | 'cachedCharge' | 'merged'>
  /** Records exchanges that change data or cost credits. */
  audit: ExchangeAudit | undefined
  /** Replaces the limits of the connection, for requests of our own such as its test. */
  policy: CallPolicy | undefined
  /** The last request that changes something, kept so that it can be verified if its outcome is unknown. */
  lastWrite: { request: OutgoingRequest; isCreate: boolean } | undefined
  /** Called for each write that the provider confirmed, so that the event it causes is recognised as ours. */
  onWritten: ((request: OutgoingRequest, reply: Reply) => void) | undefined
}
