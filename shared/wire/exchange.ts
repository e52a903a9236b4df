import { fail } from '#kit'
import type { Failure } from '#kit'
import { authorize } from './authorize.ts'
import type { SignedRequest } from './authorize.ts'
import { ruleFor } from './classify.ts'
import type { PlainRequest } from './guard.ts'
import type { Lane, Pacer } from './pace.ts'
import type { PreparedAccount, PreparedProfile } from './prepare.ts'
import { readPlainReply, readReply } from './reply.ts'
import { backoffMs, isRefusalToWork, mayRepeat, mostAttempts, readRetryAfter } from './retry.ts'
import { isBroken } from './transport.ts'
import type { Broken, BrokenKind, Sent, Transport } from './transport.ts'
import type { Call, Reply, WireOptions } from './types.ts'

/** One call on its way: what was prepared for it and how often it was tried. */
export type Journey = {
  call: Call
  plain: PlainRequest
  profile: PreparedProfile
  account: PreparedAccount
  lane: Lane
  attempts: number
  deadlineAt: number
  announced: boolean
}

const reasons: Record<BrokenKind, string> = {
  refused: 'it refused the connection',
  name: 'its name could not be resolved',
  blocked: 'its name leads to an address that is not on the public internet',
  tls: 'its certificate or encryption is not acceptable',
  connect_timeout: 'no connection came about in time',
  cut: 'it closed the connection',
  headers_timeout: 'it did not answer in time',
  body_timeout: 'its answer stopped half way',
  total_timeout: 'it took too long',
  too_large: 'its answer is larger than the limit',
  protocol: 'its answer is not HTTP as it should be',
  cancelled: 'the caller cancelled',
  closed: 'this process is shutting down',
}

/** Never helped by trying again. */
const final = new Set<BrokenKind>(['blocked', 'tls', 'too_large', 'cancelled', 'closed'])

const unknownOutcome = (broken: Broken, name: string): Failure => {
  const done = broken.status !== undefined && broken.status >= 200 && broken.status < 300
  const what = done
    ? `${name} answered ${broken.status}, so it was done, but the answer could not be read (${reasons[broken.kind]}).`
    : `${name} was sent the request, but ${reasons[broken.kind]}. It may have happened.`
  return fail('outcome_unknown', `${what} Check there before you repeat it.`, { providerStatus: broken.status })
}

const brokenFailure = (broken: Broken, call: Call): Failure => {
  const name = call.integration
  const { kind } = broken
  if (kind === 'cancelled' && !broken.sent) return fail('cancelled', 'The call was cancelled before anything was sent.')
  if (broken.sent && (call.effect !== 'read' || call.paid)) return unknownOutcome(broken, name)
  if (kind === 'cancelled') return fail('cancelled', 'The call was cancelled while the provider worked on it; it only reads, so nothing was changed.')
  if (kind === 'blocked') return fail('not_allowed', `Nothing was sent to ${name}: ${reasons.blocked}. The operator checks "wire.${name}.baseUrl".`)
  if (kind === 'too_large') return fail('too_large', `The answer of ${name} is larger than the limit. Ask for fewer records or fields.`, { providerStatus: broken.status })
  if (kind === 'tls') return fail('unreachable', `${name} cannot be reached safely: ${reasons.tls}. Nothing was sent; it is never tried without encryption.`, { retryable: false })
  if (kind === 'closed') return fail('unavailable', 'This process is shutting down. Nothing was sent; try again in a moment.')
  if (kind === 'protocol') return fail('bad_reply', `${name} could not be understood: ${reasons.protocol}.`)
  return fail('unreachable', `${name} could not be reached or did not answer: ${reasons[kind]}. Nothing was changed; try again later.`)
}

type Decision = { reply: Reply } | { waitMs: number } | { failure: Failure }

export const createExchange = (options: WireOptions, transport: Transport, pacer: Pacer) => {
  const enter = async (journey: Journey) => {
    const { call, lane } = journey
    if (!pacer.tryTake(lane)) await pacer.take(lane, { signal: call.signal, deadlineAt: journey.deadlineAt, noWait: call.noWait, priority: call.priority })
  }

  /** The last look before the first byte may leave: what was allowed when the call began may not be any more. */
  const announce = async (journey: Journey) => {
    const { call } = journey
    call.recheck?.()
    if (call.onSending && !journey.announced) {
      journey.announced = true
      await call.onSending()
      call.recheck?.()
    }
    if (call.signal?.aborted) throw fail('cancelled', 'The call was cancelled before anything was sent.')
  }

  const sendOnce = async (journey: Journey): Promise<Sent> => {
    const { call, lane, profile } = journey
    const { timeouts, maxReplyBytes } = call.profile
    let signed: SignedRequest
    try {
      if (call.recheck || call.onSending) await announce(journey)
      signed = authorize(journey.plain, journey.account.credential, call.profile.writeMark?.header)
    } catch (refusal) {
      pacer.settle(lane, 'not_sent', 0)
      throw refusal
    }
    journey.attempts += 1
    const totalMs = Math.max(1, Math.min(timeouts.totalMs, journey.deadlineAt - options.monotonic()))
    const sent = await transport.send(profile.pool, signed, { headersMs: timeouts.headersMs, bodyMs: timeouts.bodyMs, totalMs, maxBytes: maxReplyBytes }, call.signal)
    if (!isBroken(sent)) pacer.settle(lane, 'answered', 0)
    else pacer.settle(lane, sent.sent ? 'unanswered' : 'not_sent', timeouts.totalMs)
    return sent
  }

  const afterBroken = (journey: Journey, broken: Broken): Decision => {
    const { call } = journey
    const known = broken.sent ? 'unknown' : 'not_sent'
    const again = !final.has(broken.kind) && journey.attempts < mostAttempts && mayRepeat(call.effect, call.paid === true, known)
    const waitMs = backoffMs(journey.attempts, options.random)
    if (again && options.monotonic() + waitMs < journey.deadlineAt) return { waitMs }
    return { failure: brokenFailure(broken, call) }
  }

  const afterReply = (journey: Journey, reply: Reply): Decision => {
    const { call } = journey
    const { status } = reply
    if (status < 429) return { reply }
    const retryAfter = readRetryAfter(reply.headers, options.now())
    const refused = isRefusalToWork(call.profile, status, retryAfter) || ruleFor(call.profile, reply)?.failure === 'rate_limited'
    if (refused) {
      const waitMs = retryAfter ?? Math.max(1000, ...call.profile.pace.limits.filter((limit) => limit.per === 'connection').map((limit) => limit.windowMs))
      if (call.noWait || journey.attempts >= mostAttempts || options.monotonic() + waitMs >= journey.deadlineAt) {
        return { failure: fail('rate_limited', `${call.integration} refused because its rate limit is used up. Nothing was done; repeat it after retryAfterMs.`, { retryAfterMs: waitMs, providerStatus: status }) }
      }
      return { waitMs }
    }
    const waitMs = backoffMs(journey.attempts, options.random)
    const again = status >= 500 && status !== 501 && status !== 505 && mayRepeat(call.effect, call.paid === true, 'unknown') && journey.attempts < mostAttempts
    return again && options.monotonic() + waitMs < journey.deadlineAt ? { waitMs } : { reply }
  }

  const attempt = async (journey: Journey): Promise<Decision> => {
    await enter(journey)
    const sent = await sendOnce(journey)
    if (isBroken(sent)) return afterBroken(journey, sent)
    const { scrubber } = journey.account
    const reply = readPlainReply(sent, scrubber, journey.attempts) ?? (await readReply(sent, journey.call.profile.maxReplyBytes, scrubber, journey.attempts))
    return afterReply(journey, reply)
  }

  /** Sends until there is a complete reply or no sense in going on. Throws a Failure. */
  return async (journey: Journey): Promise<Reply> => {
    for (;;) {
      const decision = await attempt(journey)
      if ('reply' in decision) return decision.reply
      if ('failure' in decision) throw decision.failure
      await options.sleep(decision.waitMs, journey.call.signal).catch(() => {
        throw fail('cancelled', 'The call was cancelled while it waited to be sent again.')
      })
    }
  }
}

export type Exchange = ReturnType<typeof createExchange>
