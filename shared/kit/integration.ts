import type { ApiOperation } from './profile/operation.ts'
import type { ConnectionType } from './connection.ts'
import type { WireProfile } from './profile.ts'
import type { Prompt } from './prompt.ts'
import type { Method } from './request.ts'
import type { ScopeRules } from './scope.ts'
import type { Words } from './sentence.ts'
import type { Step } from './step.ts'
import type { Trigger } from './trigger.ts'
import type { WebhookSource } from './webhook.ts'

/**
 * What the API Call step may do; it limits neither built-in steps nor tests of connections. A connection may narrow it,
 * never widen it.
 */
export type ApiCallPolicy = {
  methods: Method[]
  under: string
  /**
   * When given, a request must match one of these rules and none of `deny`. Path patterns are as in `deny`, compared
   * exactly; a rule without `methods` covers all methods.
   */
  allow?: AllowRule[]
  /**
   * Requests refused by default, each with its reason. In a path pattern "*" stands for one segment, a trailing "/**"
   * for the path itself and everything below it, and a leading "/**" for any depth.
   */
  deny: DenyRule[]
}

export type AllowRule = { path: string; methods?: Method[] }

/** An allow rule in words: `GET/PATCH /repos/*`. */
export const showRule = ({ path, methods }: { path: string; methods?: readonly string[] | undefined }): string =>
  methods === undefined ? path : `${methods.join('/')} ${path}`

/**
 * With `query`, a request is refused only if it gives one of these parameters, in the query or at the top level of the
 * body: `tokens` matches any value, `fields=tokens` only values that contain that word.
 */
export type DenyRule = { path: string; methods?: Method[]; query?: string[]; reason: string }

/** Words that people use → the provider's terms, for `find-endpoints`. Either may be several words. */
export type Vocabulary = { [words: string]: string[] }

/** A selection of steps for hosts that cannot take all tools. `core` is listed unless another set is asked for. */
export type ToolSet = { id: string; title: string; purpose: string; steps: string[] }

/** Older public names of general fields: each is accepted, and shown beside the general name. */
export type Aliases = { subject?: string; container?: string; scopes?: string }

export type Integration = {
  id: string
  title: string
  summary: string
  /** Other words people search for the whole integration by: the kind of product, and names it is known by. */
  keywords?: string[]
  version: string
  maturity: 'stable' | 'beta'
  connections: ConnectionType[]
  steps: Step[]
  triggers?: Trigger[]
  apiCall: ApiCallPolicy
  /** The profile used unless another one is chosen. */
  wire: WireProfile
  /** Ready profiles by name, chosen by the operator or for a connection. Each is built when it is first chosen. */
  profiles?: { [name: string]: () => WireProfile }
  /**
   * What API Call knows about the provider's endpoints, where the profile does not list them. Loaded when first needed.
   */
  operations?: () => Promise<ApiOperation[]>
  /** Sets of steps, `core` first; default: one set of all steps that are not legacy. */
  toolSets?: ToolSet[]
  /** Tasks that MCP hosts offer in a menu. Loaded when first listed. */
  prompts?: () => Promise<Prompt[]>
  /** Lets `find-endpoints` find the provider's endpoints by plain words. */
  vocabulary?: Vocabulary
  webhooks?: WebhookSource
  /** What happened, in words that a person reads. */
  words?: Words
  scopes?: ScopeRules
  aliases?: Aliases
}
