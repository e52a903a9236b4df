import type { Cost, Effect, Failure, Json, ProviderRequest, RunMeta } from '#kit'
import type { CallPolicy, OutgoingFiles, Preview, ProviderWire, Reply, SaveBody, Used } from '../../wire/types.ts'
import type { ExchangeAudit } from '../admin/audit.ts'
import type { OpenConnection } from '../connections/open-connection.ts'
import type { Priced } from '../catalogue/path-price.ts'
import type { FoundFor, Price } from '../catalogue/price.ts'
import type { LoadedStep } from '../catalogue/registry.ts'
import type { Spend } from './spend.ts'

/** Known in this room alone: nobody else takes the wire out of a gate. */
export const providerWire = Symbol('wire')
/** The one way to providers. */
export type Gate = { readonly [providerWire]: ProviderWire; readonly findCharged: FindCharged }

/** What an answer of any status holds that is charged for; `missed`: the provider says that it has no match. */
export type FindCharged = (pass: Pass, priced: Priced, reply: Reply) => Promise<FoundFor[] | 'missed'>

/** An endpoint of the profile, or its bulk form: `person`, `person.bulk`. */
export type EndpointKey = string

/**
 * Which endpoints have given a connection a match, under its present profile and key. Before that, a refusal or a miss
 * may come from a wrong address.
 */
export type Matches = {
  has(pass: Pass, key: EndpointKey): Promise<boolean>
  /** Remembers a match for good. */
  note(pass: Pass, key: EndpointKey): void
}

/** A request to a provider, as the gate takes it. */
export type OutgoingRequest = {
  method: string
  path: string
  /** Endpoint of the profile that it is of. */
  endpoint?: string
  query?: ProviderRequest['query']
  body?: Json | undefined
  bodyAs?: ProviderRequest['bodyAs']
  files?: OutgoingFiles | undefined
  save?: SaveBody | undefined
  ifNoneMatch?: string | undefined
  ifModifiedSince?: string | undefined
  nextPage?: string | undefined
  redirects?: 'same-origin' | undefined
  isAnswer?: ((reply: Reply) => boolean) | undefined
  /** It is a caller's own, made by API Call. */
  api?: boolean
  /**
   * Whoever sends it has reserved what it may cost, and counts what it was charged. Without this its path says what it
   * costs.
   */
  isQuoted?: boolean
}

/** The suppression list of a tenant. */
export type SuppressionList = {
  /** Why each of these is not asked; undefined where it may be. */
  refusals(requests: readonly unknown[]): Promise<(Failure | undefined)[]>
  /** Which of these are not to be shown. */
  suppressed(answers: readonly unknown[]): Promise<boolean[]>
  failure(): Failure
}

/** What a dry run collects in place of sending. */
export type DryRequests = {
  requests: Preview[]
  effects: Effect[]
  partial: boolean
  /** How often the price of the step may be charged, where that is known. */
  units?: number | undefined
  /** The most that turning values into the provider's may cost beside that. */
  forValues?: number
  /** By the profile's price, in place of both. */
  price?: Price
}

/**
 * What holds the requests of one piece of work: what it may spend, and who is not to be looked up. `upkeep`: work of
 * our own, such as the test of a connection or a poll. It is free, concerns nobody who is looked up, and nothing holds
 * it.
 */
export type Guards = { spend: Spend; privacy: SuppressionList | undefined } | 'upkeep'

/** What one piece of work may do at a provider, and what it has done: all that the gate reads and writes. */
export type Pass = {
  gate: Gate
  loaded: LoadedStep
  opened: OpenConnection
  effect: Effect
  /** Price of the step; its calls are then repeated only like creates. */
  cost: Cost | undefined
  /** Sent with every write where the provider returns it with the events that the write causes. */
  correlationId: string
  signal: AbortSignal | undefined
  /** Monotonic ms. */
  deadlineAt: number
  priority: 'interactive' | 'bulk'
  noWait: boolean
  onSending: (() => Promise<void> | undefined) | undefined
  /** Whether whoever asked may still ask. @throws Failure, and nothing is sent */
  checkBeforeSending: (() => Promise<void>) | undefined
  /** Whether this process may still send, before each attempt. @throws Failure */
  recheck: (() => void) | undefined
  /** What the run may spend. */
  spend: Spend
  /** Who is not to be looked up or shown. */
  privacy: SuppressionList | undefined
  isUpkeep: boolean
  /** Which endpoints are known to work; absent in work that reads no endpoint of the profile. */
  matches: Matches | undefined
  /** Set in a dry run: requests are collected here and nothing is sent. */
  dry: DryRequests | undefined
  /** `proven`: an answer has shown that the credential works. */
  used: Used & {
    calls: number
    credits: number
    estimated: boolean
    lastStatus: number | undefined
    proven: boolean
    /** It asks for what the account was charged for before, which the provider gives for nothing. */ repeats: boolean
  }
  /** What the caller should know beside the output. */
  notes: Pick<RunMeta, 'warnings' | 'unlisted' | 'cachedAgeSeconds' | 'cachedResults' | 'cachedCharge' | 'merged'>
  /** Records exchanges that change or cost something. */
  audit: ExchangeAudit | undefined
  /** In place of the limits of the connection: for requests of our own, such as its test. */
  policy: CallPolicy | undefined
  /** The last request that changes something, so that it can be verified when its outcome is unknown. */
  lastWrite: { request: OutgoingRequest; isCreate: boolean } | undefined
  /** Called for each write that the provider confirmed, so that the event it causes is recognised as ours. */
  onWritten: ((request: OutgoingRequest, reply: Reply) => void) | undefined
}
