/** The members of the API's problem details (RFC 9457) that the client reads. */
type Problem = {
  code?: string
  detail?: string
  title?: string
  retryable?: boolean
  actor?: string
  retryAfterMs?: number
  runId?: string
  providerMessage?: string
  connectUrl?: string
  approval?: { id: string; url?: string; expiresAt: string; by: string }
  errors?: { pointer: string; message: string }[]
}

const byActor: Record<string, string> = {
  caller: 'Correct the input and run it again.',
  'account-owner': 'Check the connected account, or connect it again.',
  operator: 'Ask the operator of the toolyard server.',
  provider: 'The provider has to solve this; try again later.',
  us: 'Ask the operator of the toolyard server; the run id helps to find the cause.',
}

const remedyOf = ({ retryable, retryAfterMs, connectUrl, approval, actor = 'operator' }: Problem): string => {
  if (connectUrl !== undefined) return `Connect the account: ${connectUrl}`
  if (approval !== undefined)
    return `It waits for a decision${approval.url === undefined ? '' : ` at ${approval.url}`} until ${approval.expiresAt}; run it again with the same input to learn the outcome.`
  if (retryable)
    return retryAfterMs === undefined ? 'Try again.' : `Try again after ${Math.ceil(retryAfterMs / 1000)} seconds.`
  return byActor[actor] ?? byActor['operator']!
}

/**
 * Splits a text after its first sentence, which says what went wrong. A full stop inside quotes or an address does not
 * end a sentence.
 */
const splitSentence = (text: string): [string, string] => {
  const unquoted = text.replace(/"[^"]*"|“[^“”]*”/g, (quoted) => '_'.repeat(quoted.length))
  const end = /[.!?](?=\s+[_(A-Z])/.exec(unquoted)
  return end ? [text.slice(0, end.index + 1), text.slice(end.index + 1).trim()] : [text, '']
}

/** Every failure of the client. `message` contains both sentence and remedy. */
export class ToolyardError extends Error {
  /** A code of the failure table, such as "not_found". */
  readonly code: string
  /** What went wrong. */
  readonly sentence: string
  /** What to do about it. */
  readonly remedy: string
  /** HTTP status; 0 when there was no response. */
  readonly status: number
  /** Whether the same call may be sent again unchanged. */
  readonly retryable: boolean
  readonly retryAfterMs: number | undefined
  readonly runId: string | undefined
  readonly connectUrl: string | undefined
  /** The approval that the run waits for, with code "approval_pending". */
  readonly approval: Problem['approval']
  /** The provider's own error message; untrusted text. */
  readonly providerMessage: string | undefined
  /** The invalid fields, as JSON pointers into the input. */
  readonly errors: { pointer: string; message: string }[]

  constructor(status: number, problem: Problem) {
    const [sentence, remainder] = splitSentence(
      problem.detail ?? problem.title ?? `The server answered with status ${status}.`,
    )
    const { connectUrl, approval } = problem
    const lacksAddress = connectUrl !== undefined || (approval?.url !== undefined && !remainder.includes(approval.url))
    const remedy =
      remainder === '' || lacksAddress
        ? [remainder, remedyOf(problem)].filter((text) => text !== '').join(' ')
        : remainder
    super(`${sentence} ${remedy}`)
    this.name = 'ToolyardError'
    this.code = problem.code ?? 'internal'
    this.sentence = sentence
    this.remedy = remedy
    this.status = status
    this.retryable = problem.retryable ?? false
    this.retryAfterMs = problem.retryAfterMs
    this.runId = problem.runId
    this.connectUrl = connectUrl
    this.approval = approval
    this.providerMessage = problem.providerMessage
    this.errors = problem.errors ?? []
  }
}

/** The failure for an unsuccessful reply of the API. */
export const failureOf = (status: number, body: unknown): ToolyardError => {
  const isProblem = typeof body === 'object' && body !== null && typeof (body as Problem).code === 'string'
  return isProblem ? new ToolyardError(status, body as Problem) : strangeReply(status)
}

export const strangeReply = (status: number): ToolyardError =>
  new ToolyardError(status, {
    code: 'bad_reply',
    detail: `The address answered with status ${status}, but not like a toolyard server. Give the address of the server without a path such as /v1; /livez must answer there.`,
  })

export const noAnswer = (url: string, thrown: unknown): ToolyardError =>
  new ToolyardError(0, {
    code: 'unreachable',
    detail: `No answer from ${new URL(url).origin} (${thrown instanceof Error ? thrown.message : String(thrown)}). Check the address, and that the toolyard server runs and can be reached from here.`,
    retryable: true,
  })
