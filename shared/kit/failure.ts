import { oneLine } from './visible.ts'

/** Who has to do something about a failure. */
export type Actor = 'caller' | 'account-owner' | 'operator' | 'provider' | 'us'

type Row = {
  /** HTTP status our own face answers with. */
  status: number
  actor: Actor
  /** Whether sending the very same call again is safe AND may help. */
  retryable: boolean
  /** One sentence: what it means. Shown in docs/steps.md and OpenAPI. */
  meaning: string
  /** Exit code of the command line. */
  exit: number
}

/**
 * The one failure table. docs/steps.md shows it (generated), problem+json, MCP results, library outcomes and exit codes use it.
 * "No match" is not here on purpose: it is a result.
 */
export const failures = {
  invalid_input: {
    status: 400,
    actor: 'caller',
    retryable: false,
    exit: 2,
    meaning: 'A field is missing, malformed or contradicts another one; the message names it and the remedy.',
  },
  unauthenticated: { status: 401, actor: 'caller', retryable: false, exit: 3, meaning: 'The token for this server is missing, unknown, expired or revoked.' },
  bad_signature: { status: 401, actor: 'provider', retryable: false, exit: 3, meaning: 'An inbound delivery was not signed by the provider for this hook.' },
  budget_exceeded: {
    status: 402,
    actor: 'operator',
    retryable: false,
    exit: 4,
    meaning: 'Our own budget for this tenant or connection is used up; nothing was sent.',
  },
  not_allowed: {
    status: 403,
    actor: 'operator',
    retryable: false,
    exit: 3,
    meaning: 'The method, path, scope or policy does not allow this; nothing was sent.',
  },
  not_found: { status: 404, actor: 'caller', retryable: false, exit: 5, meaning: 'The thing named does not exist, or this tenant or account cannot see it.' },
  conflict: { status: 409, actor: 'caller', retryable: false, exit: 6, meaning: 'It contradicts something that already exists or is in progress.' },
  too_large: { status: 413, actor: 'caller', retryable: false, exit: 2, meaning: 'The input or the answer is larger than the stated limit.' },
  rejected: { status: 422, actor: 'caller', retryable: false, exit: 7, meaning: 'The provider refused the request; its message is attached.' },
  not_connected: {
    status: 424,
    actor: 'account-owner',
    retryable: false,
    exit: 8,
    meaning: 'There is no usable account, or the provider says its credential is bad: reconnect it.',
  },
  access_denied: { status: 424, actor: 'account-owner', retryable: false, exit: 8, meaning: 'The account is fine but may not see or do this at the provider.' },
  credits_exhausted: { status: 424, actor: 'account-owner', retryable: false, exit: 8, meaning: 'The provider says that the account has no credits left.' },
  outcome_unknown: { status: 424, actor: 'caller', retryable: false, exit: 9, meaning: 'It may have happened at the provider; check before you repeat it.' },
  rate_limited: { status: 429, actor: 'caller', retryable: true, exit: 10, meaning: 'A rate limit is used up; repeat after retryAfterMs.' },
  suppressed: {
    status: 451,
    actor: 'caller',
    retryable: false,
    exit: 7,
    meaning: 'The person or company opted out at the provider; do not look for it elsewhere.',
  },
  cancelled: { status: 499, actor: 'caller', retryable: true, exit: 130, meaning: 'The caller cancelled before anything was sent.' },
  internal: { status: 500, actor: 'us', retryable: false, exit: 1, meaning: 'A defect of ours; the run id helps to find it.' },
  wire_unset: {
    status: 501,
    actor: 'operator',
    retryable: false,
    exit: 4,
    meaning: 'The provider documents do not show a value this needs; the operator sets it in the wire override.',
  },
  provider_failed: { status: 502, actor: 'provider', retryable: true, exit: 11, meaning: 'The provider answered with a server error.' },
  bad_reply: { status: 502, actor: 'provider', retryable: false, exit: 11, meaning: 'The provider answered something that is not what its documents say.' },
  unavailable: { status: 503, actor: 'us', retryable: true, exit: 12, meaning: 'Our own store or process cannot take work right now.' },
  unreachable: {
    status: 504,
    actor: 'provider',
    retryable: true,
    exit: 11,
    meaning: 'The provider could not be reached or did not answer in time; nothing was done.',
  },
} as const satisfies Record<string, Row>

export type FailureCode = keyof typeof failures

/** One wrong place in an input: JSON pointer into it and what to do. */
export type FieldError = { pointer: string; message: string }

/** A failure as every face shows it. */
export type FailureJson = {
  code: FailureCode
  message: string
  retryable: boolean
  actor: Actor
  retryAfterMs?: number
  providerStatus?: number
  /** The provider's own words, scrubbed and cut; untrusted text. */
  providerMessage?: string
  connectUrl?: string
  errors?: FieldError[]
}

export type FailureDetails = {
  retryAfterMs?: number | undefined
  providerStatus?: number | undefined
  providerMessage?: string | undefined
  connectUrl?: string | undefined
  errors?: FieldError[] | undefined
  /** Overrides the table where the case is known better, e.g. a 5xx on a write. */
  retryable?: boolean | undefined
  cause?: unknown
}

const cleanError = ({ pointer, message }: FieldError): FieldError => ({ pointer: oneLine(pointer), message: oneLine(message) })

/**
 * The only error the rooms throw on purpose. Anything else that is thrown becomes `internal`. Its texts are single lines without invisible
 * characters, whatever names of callers and providers they quote.
 */
export class Failure extends Error {
  readonly code: FailureCode
  readonly details: Omit<FailureDetails, 'cause'>
  constructor(code: FailureCode, message: string, details: FailureDetails = {}) {
    const { cause, providerMessage, errors, ...rest } = details
    super(oneLine(message), cause === undefined ? undefined : { cause })
    this.name = 'Failure'
    this.code = code
    this.details = {
      ...rest,
      ...(providerMessage === undefined ? {} : { providerMessage: oneLine(providerMessage) }),
      ...(errors === undefined ? {} : { errors: errors.map(cleanError) }),
    }
  }
}

/** Makes a failure; write `throw fail('invalid_input', '…')`. */
export const fail = (code: FailureCode, message: string, details?: FailureDetails) => new Failure(code, message, details)

/** A failure for one named field. `field` is a camelCase name or a JSON pointer. */
export const failField = (field: string, message: string, code: FailureCode = 'invalid_input') =>
  new Failure(code, message, { errors: [{ pointer: field.startsWith('/') ? field : `/${field}`, message }] })

export const isFailure = (thrown: unknown): thrown is Failure => thrown instanceof Failure

/** The JSON of a failure, the same over every face. */
export const toFailureJson = (failure: Failure): FailureJson => {
  const row = failures[failure.code]
  const { retryable, ...details } = failure.details
  const json: FailureJson = { code: failure.code, message: failure.message, retryable: retryable ?? row.retryable, actor: row.actor }
  for (const [name, value] of Object.entries(details)) if (value !== undefined) Object.assign(json, { [name]: value })
  return json
}
