import type { FailureCode, z } from '#kit'
import type { Make } from './resources/fields.ts'

export type Scope = 'run' | 'connections' | 'subscriptions' | 'read' | 'metrics' | 'admin'

/** Who may call: everybody, every valid token, or a token with one of these scopes. */
export type Access = 'public' | 'any' | readonly [Scope, ...Scope[]]

/**
 * What a token may see and do through an operation if it is bound to steps, to a tool set or to connections. What it may not see does not exist
 * for it (`not_found`, and absent from lists); what it may not do is refused (`not_allowed`).
 *
 * - `tenant`: the same as every other token of the tenant
 * - `step`: the step that is named; others are refused, and only its connections exist
 * - `step-and-connection`: what belongs to a step and a connection that it may use
 * - `connection`: what belongs to its connections, whichever steps it is bound to
 * - `trigger`: as `connection`; refused to a token that is bound to steps, unless it may attach triggers
 * - `own`: what it made itself, and what belongs to its connections if it is not bound to steps too
 * - `not-steps`: as `connection`; refused to a token that is bound to steps
 * - `not-connections`: refused to a token that is bound to connections
 * - `unbound`: refused to every bound token
 */
export type Bound = 'tenant' | 'step' | 'step-and-connection' | 'connection' | 'trigger' | 'own' | 'not-steps' | 'not-connections' | 'unbound'

export type Input = { params?: Make<z.ZodObject>; query?: Make<z.ZodObject>; headers?: Make<z.ZodObject>; body?: Make }

/** A response: JSON of this schema, or content of another type; nothing without either. */
export type Output = { status?: number; description: string; schema?: Make; content?: string; contentDescription?: string }

type OperationFields = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: `/${string}`
  tag: string
  summary: string
  description: string
  access: Access
  bound: Bound
  /** Whether it changes something, or gives out what has to be accounted for: such calls are written to the audit trail. */
  changes: boolean
  input?: Input
  output: Output
  /** The response to a call that goes on in the background. */
  accepted?: Output
  /** Failures beside those that every operation has. */
  failures: readonly FailureCode[]
  /** A bearer token alone opens it, not the cookie of a session. */
  tokenOnly?: true
  /** Its body is content of any type, which is read as it comes. */
  upload?: true
  /** It may take minutes. */
  long?: true
}
export type Operation = OperationFields & { id: string }

/** Operations by their ids. */
export const defineOperations = <const T extends { [id: string]: OperationFields }>(operations: T): { [Id in keyof T & string]: T[Id] & { id: Id } } =>
  Object.fromEntries(Object.entries(operations).map(([id, fields]) => [id, { id, ...fields }])) as { [Id in keyof T & string]: T[Id] & { id: Id } }

/** Failures of an operation that sends requests to a provider. */
export const providerFailures = [
  'rejected',
  'not_connected',
  'access_denied',
  'credits_exhausted',
  'outcome_unknown',
  'rate_limited',
  'budget_exceeded',
  'suppressed',
  'cancelled',
  'conflict',
  'not_found',
  'too_large',
  'wire_unset',
  'provider_failed',
  'bad_reply',
  'unreachable',
] as const satisfies readonly FailureCode[]
