import { fail } from '#kit'
import type { Failure } from '#kit'
import { excerptOf } from '../exchange/classify.ts'
import type { Egress, Place } from '../guard/egress.ts'
import { reasons } from '../exchange/outcome.ts'
import { readReply } from '../exchange/reply.ts'
import { createScrubber } from '../guard/scrub.ts'
import { isBroken } from '../exchange/raw-reply.ts'
import type { Transport } from '../exchange/transport.ts'
import type { Broken } from '../exchange/raw-reply.ts'
import type { Reply } from '../types.ts'

/** One request made without a connection: OAuth exchanges, key sets, descriptions of clients. */
export type UnauthenticatedRequest = {
  method: 'GET' | 'POST'
  address: string
  /** Name of the setting that holds the address; failures name it. */
  setting: string
  headers?: Record<string, string>
  body?: string
  signal?: AbortSignal | undefined
  /** Where the address leads, if somebody else than an operator named it. */
  place?: Place
  /** Most bytes of the answer. */
  maxBytes?: number
  /**
   * Sending spends what the request carries, such as a refresh token: without a complete answer the outcome is unknown.
   */
  isSpending?: boolean
}
export type UnauthenticatedSend = (request: UnauthenticatedRequest) => Promise<Reply>

const connectMs = 5_000
const largestAnswer = 256 * 1024
const limits = { headersMs: 15_000, bodyMs: 10_000, totalMs: 30_000 }
/** The answer is itself a credential, so nothing may be removed from it; only the caller sees it. */
const asItIs = createScrubber([])

const brokenFailure = ({ kind, status }: Broken, setting: string): Failure => {
  if (kind === 'blocked')
    return fail('not_allowed', `Nothing was sent: ${reasons.blocked}. The operator checks "${setting}".`)
  if (kind === 'cancelled') return fail('cancelled', 'It was cancelled while the provider was asked.')
  if (kind === 'closed') return fail('unavailable', 'This process is shutting down; try again in a moment.')
  return fail(
    'unreachable',
    `The address set in "${setting}" could not be reached or did not answer: ${reasons[kind]}. Try again later.`,
    {
      providerStatus: status,
    },
  )
}

const answerLostFailure = (setting: string): Failure =>
  fail(
    'outcome_unknown',
    `The answer of the address set in "${setting}" was lost, so nobody knows what became of the request. It is not sent again.`,
  )

/**
 * Sends under the egress rules: to a listed or public origin only, without redirects or retries. Returns a complete
 * reply of any status.
 * @throws Failure `not_allowed` for an address off the public internet, `unreachable`, `bad_reply`, and
 * `outcome_unknown` for a spending request whose answer was lost
 */
export const createUnauthenticatedSend =
  (egress: Egress, transport: Transport, random: () => number): UnauthenticatedSend =>
  async ({ method, address, setting, headers = {}, body, signal, isSpending = false, ...request }) => {
    const { place = egress.place(address, setting), maxBytes = largestAnswer } = request
    const pool = transport.poolFor(place, connectMs)
    const all = { accept: 'application/json', 'user-agent': 'toolyard', ...headers }
    const sent = await transport.send(
      pool,
      { method, target: pathOf(new URL(address)), headers: Object.entries(all).flat(), body },
      { ...limits, maxBytes },
      signal,
    )
    if (isBroken(sent)) throw isSpending && sent.sent ? answerLostFailure(setting) : brokenFailure(sent, setting)
    // A gateway in between does not know whether the request was executed.
    if (isSpending && (sent.status === 502 || sent.status === 504)) throw answerLostFailure(setting)
    return readReply(sent, { maxBytes, scrubber: asItIs, attempts: 1, random })
  }

const pathOf = ({ pathname, search }: URL) => pathname + search

/**
 * What the server said, for a message: short, printable, and without the secrets that were sent to it, which are
 * removed before anything is cut off.
 */
export const saidBy = (reply: Reply, secrets: string[]) => excerptOf(createScrubber(secrets).value(reply.body))
