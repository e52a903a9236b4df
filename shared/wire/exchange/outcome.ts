import { fail, isFailure } from '#kit'
import type { Failure } from '#kit'
import type { Broken, BrokenKind } from './raw-reply.ts'
import type { Call } from '../types.ts'

export const reasons: Record<BrokenKind, string> = {
  refused: 'it refused the connection',
  name: 'its name could not be looked up',
  no_name: 'its name does not exist',
  blocked: 'its name leads to an address that is not on the public internet',
  tls: 'its certificate or encryption is not acceptable',
  connect_timeout: 'no connection came about in time',
  cut: 'the connection was closed',
  headers_timeout: 'it did not answer in time',
  body_timeout: 'its answer stopped half way',
  total_timeout: 'it took too long',
  too_large: 'its answer is larger than the limit',
  protocol: 'its answer is not HTTP as it should be',
  unsaved: 'its answer could not be stored',
  cancelled: 'the caller cancelled',
  closed: 'this process is shutting down',
}

/** Whether a call changes something or costs something: only then does an unknown outcome matter. */
export const matters = (call: Call) => call.effect !== 'read' || call.paid === true

const isOk = (status: number | undefined) => status !== undefined && status >= 200 && status < 300

/** The provider answered that it was done, but the answer cannot be read. */
export const doneButUnread = (name: string, status: number, why: string): Failure =>
  fail(
    'outcome_unknown',
    `${name} answered ${status}, so it was done, but the answer could not be read: ${why}. Look there before you repeat it.`,
    {
      providerStatus: status,
    },
  )

/** What an exchange without a complete reply means for the caller. */
export const brokenFailure = (broken: Broken, call: Call): Failure => {
  const name = call.integration
  const { kind, sent, status, cause } = broken
  if (isFailure(cause)) return cause
  if (kind === 'cancelled' && !sent) return fail('cancelled', 'The call was cancelled before anything was sent.')
  if (sent && matters(call)) {
    if (status !== undefined && isOk(status)) return doneButUnread(name, status, reasons[kind])
    return fail(
      'outcome_unknown',
      `${name} was sent the request, but ${reasons[kind]}. It may have happened: check there before you repeat it.`,
      {
        providerStatus: status,
      },
    )
  }
  if (kind === 'cancelled')
    return fail(
      'cancelled',
      'The call was cancelled while the provider worked on it. It only reads, so nothing was changed.',
    )
  if (kind === 'blocked')
    return fail(
      'not_allowed',
      `Nothing was sent to ${name}: ${reasons.blocked}. The operator checks "wire.${name}.baseUrl".`,
    )
  if (kind === 'too_large')
    return fail('too_large', `The answer of ${name} is larger than the limit. Ask for fewer records or fields.`, {
      providerStatus: status,
    })
  if (kind === 'tls')
    return fail(
      'unreachable',
      `${name} cannot be reached safely: ${reasons.tls}. Nothing was sent, and it is never tried without encryption.`,
      {
        retryable: false,
      },
    )
  if (kind === 'closed')
    return fail('unavailable', 'This process is shutting down. Nothing was sent; try again in a moment.')
  if (kind === 'protocol') return fail('bad_reply', `${name} could not be understood: ${reasons.protocol}.`)
  return fail(
    'unreachable',
    `${name} could not be reached or did not answer: ${reasons[kind]}. Nothing was changed; try again later.`,
  )
}

/** Whether a broken exchange counts against the provider. undefined: it says nothing about the provider. */
export const countsAsFailure = (kind: BrokenKind): boolean | undefined =>
  kind === 'cancelled' || kind === 'closed' || kind === 'blocked' || kind === 'unsaved'
    ? undefined
    : kind !== 'too_large'
