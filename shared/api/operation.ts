import type { FailureCode, z } from '#kit'
import type { Make } from './resources/fields.ts'
import { rules } from './rules.ts'
import type { OperationId, Rule } from './rules.ts'

export type Input = { params?: Make<z.ZodObject>; query?: Make<z.ZodObject>; headers?: Make<z.ZodObject>; body?: Make }

/** A response: JSON of this schema, or content of another media type; with neither, it has no body. */
export type Output = {
  status?: number
  description: string
  schema?: Make
  content?: string
  contentDescription?: string
}

type OperationFields = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: `/${string}`
  tag: string
  summary: string
  description: string
  input?: Input
  output: Output
  /** The response when the call continues in the background. */
  accepted?: Output
  /** Failures beyond those that every operation can have. */
  failures: readonly FailureCode[]
  /** The body is the content of a file, of any media type and read as a stream, or instead JSON of this schema. */
  upload?: Make
}
export type Operation = OperationFields & Rule & { id: OperationId }

/** Adds to each operation its id and its rule. */
export const defineOperations = <const T extends { [Id in keyof T]: Id extends OperationId ? OperationFields : never }>(
  operations: T,
): { [Id in keyof T & OperationId]: T[Id] & (typeof rules)[Id] & { id: Id } } =>
  Object.fromEntries(
    Object.entries<object>(operations).map(([id, fields]) => [id, { id, ...rules[id as OperationId], ...fields }]),
  ) as never

/** Failures that any operation that sends requests to a provider can have. */
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
