import { failures } from './failure-table.ts'
import type { Actor, FailureCode } from './failure-table.ts'
import { oneLine } from './visible-text.ts'

/** One invalid place in an input: a JSON pointer to it, and what to do. */
export type FieldError = { pointer: string; message: string }

/** `url`: where it can be decided, signed in; absent where this process has no address. `expiresAt`: RFC 3339. */
export type HeldRun = {
  id: string
  state: 'open' | 'approved' | 'sending'
  url?: string
  expiresAt: string
  by: 'caller' | 'others'
}

/** A failure as every face shows it. */
export type FailureJson = {
  code: FailureCode
  message: string
  retryable: boolean
  actor: Actor
  retryAfterMs?: number
  providerStatus?: number
  /** The provider's own words, scrubbed and truncated; untrusted text. */
  providerMessage?: string
  connectUrl?: string
  /** The held run that waits for a decision. */
  approval?: HeldRun
  /** Present where the provider may have executed the request: repeating it may execute it twice. */
  mayHaveHappened?: true
  errors?: FieldError[]
}

export type FailureDetails = {
  retryAfterMs?: number | undefined
  providerStatus?: number | undefined
  providerMessage?: string | undefined
  connectUrl?: string | undefined
  approval?: HeldRun | undefined
  mayHaveHappened?: true | undefined
  errors?: FieldError[] | undefined
  /** Overrides the table's `retryable` where the caller of `fail` knows better, e.g. for a 5xx on a write. */
  retryable?: boolean | undefined
  cause?: unknown
}

const cleanError = ({ pointer, message }: FieldError): FieldError => ({
  pointer: oneLine(pointer),
  message: oneLine(message),
})

/**
 * The only error that is thrown on purpose. Anything else that is thrown becomes `internal`. Its texts are single lines
 * without invisible characters, even where they quote names from callers and providers.
 */
export class Failure extends Error {
  readonly code: FailureCode
  readonly details: Omit<FailureDetails, 'cause'>
  constructor(code: FailureCode, message: string, details: FailureDetails = {}) {
    const { cause, providerMessage, errors, ...otherDetails } = details
    super(oneLine(message), cause === undefined ? undefined : { cause })
    this.name = 'Failure'
    this.code = code
    this.details = {
      ...otherDetails,
      ...(providerMessage === undefined ? {} : { providerMessage: oneLine(providerMessage) }),
      ...(errors === undefined ? {} : { errors: errors.map(cleanError) }),
    }
  }
}

/** Makes a failure; write `throw fail('invalid_input', '…')`. */
export const fail = (code: FailureCode, message: string, details?: FailureDetails) =>
  new Failure(code, message, details)

/** A failure for one named field. `field` is a camelCase name or a JSON pointer. */
export const failField = (field: string, message: string, code: FailureCode = 'invalid_input') =>
  new Failure(code, message, { errors: [{ pointer: field.startsWith('/') ? field : `/${field}`, message }] })

export const isFailure = (thrown: unknown): thrown is Failure => thrown instanceof Failure

/** Turns the JSON of a failure back into a failure. */
export const fromFailureJson = ({ code, message, ...details }: FailureJson) => fail(code, message, details)

/** The JSON of a failure, the same over every face. */
export const toFailureJson = (failure: Failure): FailureJson => {
  const row = failures[failure.code]
  const { retryable, ...details } = failure.details
  const json: FailureJson = {
    code: failure.code,
    message: failure.message,
    retryable: retryable ?? row.retryable,
    actor: row.actor,
  }
  if (failure.code === 'outcome_unknown') json.mayHaveHappened = true
  for (const [name, value] of Object.entries(details)) if (value !== undefined) Object.assign(json, { [name]: value })
  return json
}
