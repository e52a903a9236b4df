import type { ApiOperation } from './profile/operation.ts'
import type { ConnectionType } from './connection.ts'
import type { WireProfile } from './profile.ts'
import type { Method } from './request.ts'
import type { ScopeRules } from './scope.ts'
import type { Step } from './step.ts'
import type { Trigger } from './trigger.ts'
import type { WebhookSource } from './webhook.ts'

/**
 * What the API Call step may do; it bounds neither built steps nor tests of connections. A connection may narrow it,
 * never widen it.
 */
export type ApiCallPolicy = {
  methods: Method[]
  under: string
  /**
   * When given, a request must fit one of these rules and none of `deny`. Path patterns as in `deny`, compared exactly;
   * without `methods` all are meant.
   */
  allow?: AllowRule[]
  /**
   * Path patterns ("*" = one segment, trailing "/**" = everything below, leading "/**" = at any depth) refused by
   * default, with the reason.
   */
  deny: DenyRule[]
}

export type AllowRule = { path: string; methods?: Method[] }

/** An allow rule in words: `GET/PATCH /repos/*`. */
export const showRule = ({ path, methods }: { path: string; methods?: readonly string[] | undefined }): string =>
  methods === undefined ? path : `${methods.join('/')} ${path}`

/**
 * With `query` only requests that give one of these parameters are refused, in the query or at the top of the body:
 * `tokens` whatever its value, `fields=tokens` where that word is among its values.
 */
export type DenyRule = { path: string; methods?: Method[]; query?: string[]; reason: string }

/** Words that people use → what the provider calls it, for `find-endpoints`. Either may be several words. */
export type Vocabulary = { [words: string]: string[] }

/**
 * A selection of steps for hosts that cannot take all tools. `core` is what is listed where nothing else is asked for.
 */
export type ToolSet = { id: string; title: string; purpose: string; steps: string[] }

/** Public names of general fields that existed before them: each is accepted and shown beside the general one. */
export type Aliases = { subject?: string; container?: string; scopes?: string }

export type Integration = {
  id: string
  title: string
  summary: string
  /** Other words people search for all that it does: the kind of product, and names it is known by. */
  keywords?: string[]
  version: string
  maturity: 'stable' | 'beta'
  connections: ConnectionType[]
  steps: Step[]
  triggers?: Trigger[]
  apiCall: ApiCallPolicy
  /** The profile in force where nothing else is chosen. */
  wire: WireProfile
  /** Ready profiles by name, chosen by the operator or for a connection. Each is made when it is first chosen. */
  profiles?: { [name: string]: () => WireProfile }
  /** What API Call knows of the provider's endpoints, where the profile does not say it. Loaded when first needed. */
  operations?: () => Promise<ApiOperation[]>
  /** Sets of steps by name, `core` first; absent: one set of all that are not legacy. */
  toolSets?: ToolSet[]
  /** For searching them in plain words. */
  vocabulary?: Vocabulary
  webhooks?: WebhookSource
  scopes?: ScopeRules
  aliases?: Aliases
}
