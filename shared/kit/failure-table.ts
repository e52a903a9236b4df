/** Who has to act on a failure. */
export type Actor = 'caller' | 'account-owner' | 'operator' | 'provider' | 'us'

/**
 * What a failure concerns: the input, the requested record, the connection, this run (another one may succeed), the
 * provider, or ourselves.
 */
export type About = 'input' | 'record' | 'connection' | 'run' | 'provider' | 'us'

type Row = {
  /** HTTP status of our own answer. */
  status: number
  actor: Actor
  /** Whether sending the very same call again is safe AND may help. */
  retryable: boolean
  /** Exit code of the command line. */
  exit: number
  /** Whether a request may have reached the provider. */
  sent: 'never' | 'maybe'
  about: About
  /**
   * Whether the failure is the answer to the request, so that a repeat under the same idempotency key gets it again.
   * Otherwise the key may be used for a new attempt.
   */
  final: boolean
  /** Whether the other records of a batch would fail in the same way now, so that they are not sent. */
  endsBatch: boolean
  /** Whether it may concern only the thing that the request names: the connection may still see others. */
  named: boolean
  /** One sentence that explains the code. Shown in docs/steps.md and OpenAPI. */
  meaning: string
}

/**
 * The only table of failures; docs/steps.md (generated), problem+json, MCP results, library outcomes and exit codes use
 * it. What follows from a failure is decided by these columns, through the predicates in `failure-meaning.ts`. "No
 * match" is absent on purpose: it is a result.
 */
export const failures = {
  invalid_input: {
    status: 400,
    actor: 'caller',
    retryable: false,
    exit: 2,
    sent: 'never',
    about: 'input',
    final: false,
    endsBatch: false,
    named: false,
    meaning: 'A field is missing, malformed or contradicts another one; the message names it and the remedy.',
  },
  unauthenticated: {
    status: 401,
    actor: 'caller',
    retryable: false,
    exit: 3,
    sent: 'never',
    about: 'run',
    final: true,
    endsBatch: true,
    named: false,
    meaning: 'The token for this server is missing, unknown, expired or revoked.',
  },
  bad_signature: {
    status: 401,
    actor: 'provider',
    retryable: false,
    exit: 3,
    sent: 'never',
    about: 'input',
    final: true,
    endsBatch: false,
    named: false,
    meaning: 'An inbound delivery was not signed by the provider for this hook.',
  },
  budget_exceeded: {
    status: 402,
    actor: 'operator',
    retryable: false,
    exit: 4,
    sent: 'never',
    about: 'run',
    final: false,
    endsBatch: true,
    named: false,
    meaning: 'Our own budget for this tenant or connection is used up; nothing was sent.',
  },
  not_allowed: {
    status: 403,
    actor: 'operator',
    retryable: false,
    exit: 3,
    sent: 'never',
    about: 'run',
    final: false,
    endsBatch: true,
    named: true,
    meaning: 'The method, path, scope or policy does not allow this; nothing was sent.',
  },
  not_found: {
    status: 404,
    actor: 'caller',
    retryable: false,
    exit: 5,
    sent: 'maybe',
    about: 'record',
    final: true,
    endsBatch: false,
    named: true,
    meaning: 'The thing named does not exist, or this tenant or account cannot see it.',
  },
  conflict: {
    status: 409,
    actor: 'caller',
    retryable: false,
    exit: 6,
    sent: 'maybe',
    about: 'record',
    final: true,
    endsBatch: false,
    named: false,
    meaning: 'It contradicts something that already exists or is in progress.',
  },
  too_large: {
    status: 413,
    actor: 'caller',
    retryable: false,
    exit: 2,
    sent: 'maybe',
    about: 'input',
    final: true,
    endsBatch: false,
    named: false,
    meaning: 'The input or the answer is larger than the stated limit.',
  },
  rejected: {
    status: 422,
    actor: 'caller',
    retryable: false,
    exit: 7,
    sent: 'maybe',
    about: 'record',
    final: true,
    endsBatch: false,
    named: true,
    meaning: 'The provider refused the request; its message is attached.',
  },
  not_connected: {
    status: 424,
    actor: 'account-owner',
    retryable: false,
    exit: 8,
    sent: 'maybe',
    about: 'connection',
    final: false,
    endsBatch: true,
    named: false,
    meaning: 'There is no usable account, or the provider says its credential is bad: reconnect it.',
  },
  access_denied: {
    status: 424,
    actor: 'account-owner',
    retryable: false,
    exit: 8,
    sent: 'maybe',
    about: 'connection',
    final: true,
    endsBatch: true,
    named: true,
    meaning: 'The account is fine but may not see or do this at the provider.',
  },
  credits_exhausted: {
    status: 424,
    actor: 'account-owner',
    retryable: false,
    exit: 8,
    sent: 'maybe',
    about: 'connection',
    final: true,
    endsBatch: true,
    named: false,
    meaning: 'The provider says that the account has no credits left.',
  },
  outcome_unknown: {
    status: 424,
    actor: 'caller',
    retryable: false,
    exit: 9,
    sent: 'maybe',
    about: 'provider',
    final: true,
    endsBatch: false,
    named: false,
    meaning: 'It may have happened at the provider; check before you repeat it.',
  },
  rate_limited: {
    status: 429,
    actor: 'caller',
    retryable: true,
    exit: 10,
    sent: 'maybe',
    about: 'run',
    final: false,
    endsBatch: true,
    named: false,
    meaning: 'A rate limit is used up; repeat after retryAfterMs.',
  },
  suppressed: {
    status: 451,
    actor: 'caller',
    retryable: false,
    exit: 7,
    sent: 'maybe',
    about: 'record',
    final: true,
    endsBatch: false,
    named: false,
    meaning: 'The person or company opted out at the provider; do not look for it elsewhere.',
  },
  cancelled: {
    status: 499,
    actor: 'caller',
    retryable: true,
    exit: 130,
    sent: 'never',
    about: 'run',
    final: false,
    endsBatch: true,
    named: false,
    meaning: 'The caller cancelled before anything was sent.',
  },
  internal: {
    status: 500,
    actor: 'us',
    retryable: false,
    exit: 1,
    sent: 'maybe',
    about: 'us',
    final: true,
    endsBatch: false,
    named: false,
    meaning: 'A defect of ours; the run id helps to find it.',
  },
  wire_unset: {
    status: 501,
    actor: 'operator',
    retryable: false,
    exit: 4,
    sent: 'never',
    about: 'us',
    final: false,
    endsBatch: false,
    named: false,
    meaning: 'The provider documents do not show a value this needs; the operator sets it in the wire override.',
  },
  provider_failed: {
    status: 502,
    actor: 'provider',
    retryable: true,
    exit: 11,
    sent: 'maybe',
    about: 'provider',
    final: true,
    endsBatch: false,
    named: false,
    meaning: 'The provider answered with a server error.',
  },
  bad_reply: {
    status: 502,
    actor: 'provider',
    retryable: false,
    exit: 11,
    sent: 'maybe',
    about: 'provider',
    final: true,
    endsBatch: false,
    named: false,
    meaning: 'The provider answered something that is not what its documents say.',
  },
  unavailable: {
    status: 503,
    actor: 'us',
    retryable: true,
    exit: 12,
    sent: 'maybe',
    about: 'us',
    final: false,
    endsBatch: true,
    named: false,
    meaning: 'Our own store or process cannot take work right now.',
  },
  unreachable: {
    status: 504,
    actor: 'provider',
    retryable: true,
    exit: 11,
    sent: 'maybe',
    about: 'run',
    final: false,
    endsBatch: false,
    named: false,
    meaning: 'The provider could not be reached or did not answer in time; nothing was done.',
  },
} as const satisfies Record<string, Row>

export type FailureCode = keyof typeof failures
