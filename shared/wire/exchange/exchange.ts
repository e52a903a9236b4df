import { fail, isFailure } from '#kit'
import { authorize } from './authorize.ts'
import { breakerFailure, mayPass, noteOutcome, passBreaker } from '../rate-limit/breaker.ts'
import type { Decider } from './decide.ts'
import type { Decision, Journey } from './attempt-state.ts'
import { doneButUnread, matters, speaksAgainst } from './outcome.ts'
import type { Ending, Pacer } from '../rate-limit/rate-limiter.ts'
import type { Preparer } from './prepare.ts'
import { readPlainReply, readReply } from './reply.ts'
import { depositCall, isServerTrouble } from './retry.ts'
import { isBroken } from './transport.ts'
import type { Broken, RawReply, Sent, Transport } from './transport.ts'
import type { Reply, WireOptions } from '../types.ts'

const cancelled = () => fail('cancelled', 'The call was cancelled before anything was sent.')

/** A closed connection ends what was under way on it; after a timeout the request may still be on its way. */
const endingOf = ({ sent, kind }: Broken): Ending => (!sent ? 'not_sent' : kind === 'cut' ? 'answered' : 'unanswered')

export const createExchange = (options: WireOptions, transport: Transport, pacer: Pacer, prepare: Preparer, decider: Decider) => {
  const checkBreaker = ({ call, account }: Journey) => {
    if (account.breaker.state === 'closed') return
    const now = options.monotonic()
    if (!mayPass(account.breaker, now, !matters(call))) throw breakerFailure(account.breaker, now, call.integration)
  }

  const settle = (journey: Journey, ending: Ending, failed: boolean | undefined) => {
    const now = options.monotonic()
    pacer.settle(journey.lane, journey.startedAt, ending, journey.call.profile.timeouts.totalMs, now)
    noteOutcome(journey.account.breaker, journey.startedAt, now, failed)
  }

  const enter = async (journey: Journey) => {
    const { call, deadlineAt, again } = journey
    journey.startedAt = await pacer.take(journey.lane, { signal: call.signal, deadlineAt, noWait: call.noWait, priority: call.priority, again })
  }

  /** Tells the caller that the first byte may leave. Awaited, since what it writes down must be durable by then. */
  const announce = async (journey: Journey) => {
    await journey.call.onSending?.()
    journey.announced = true
    journey.call.recheck?.()
  }

  const send = (journey: Journey): Promise<Sent> => {
    const { call, profile, account } = journey
    const { timeouts, maxReplyBytes, writeMark } = call.profile
    if (call.signal?.aborted) throw cancelled()
    if (journey.startedAt >= journey.deadlineAt)
      throw fail('unreachable', 'The time for this call was used up before it could be sent. Nothing was done; try again.')
    const signed = authorize(journey.plain, account.credential, writeMark?.header)
    passBreaker(account.breaker, journey.startedAt)
    journey.attempts += 1
    if (call.used) call.used.attempts += 1
    const totalMs = Math.max(1, Math.min(timeouts.totalMs, journey.deadlineAt - journey.startedAt))
    return transport.send(
      profile.pool ?? transport.poolFor(profile.place, timeouts.connectMs),
      signed,
      { headersMs: timeouts.headersMs, bodyMs: timeouts.bodyMs, totalMs, maxBytes: maxReplyBytes },
      call.signal,
    )
  }

  /** A reply that cannot be read is one all the same. */
  const unread = (journey: Journey, { status }: RawReply, unreadable: unknown): unknown => {
    settle(journey, 'answered', false)
    const { call } = journey
    return matters(call) && status < 300 ? doneButUnread(call.integration, status, (unreadable as Error).message) : unreadable
  }

  const attempt = async (journey: Journey): Promise<Decision> => {
    const { call } = journey
    checkBreaker(journey)
    journey.startedAt = pacer.tryTake(journey.lane)
    if (journey.startedAt < 0) await enter(journey)
    if (call.profile.pace.remaining !== undefined) journey.returned = pacer.returnedBy(journey.lane, journey.startedAt)
    let sending: Promise<Sent>
    try {
      // The last look before the first byte may leave: what was allowed when the call began may not be any more.
      checkBreaker(journey)
      call.recheck?.()
      if (call.onSending !== undefined && !journey.announced) await announce(journey)
      sending = send(journey)
    } catch (refusal) {
      pacer.settle(journey.lane, journey.startedAt, 'not_sent')
      throw refusal
    }
    const sent = await sending
    if (isBroken(sent)) {
      settle(journey, endingOf(sent), speaksAgainst(sent.kind))
      return decider.afterBroken(journey, sent)
    }
    let reply: Reply
    try {
      const reading = { maxBytes: call.profile.maxReplyBytes, scrubber: journey.account.scrubber, attempts: journey.attempts, random: options.random }
      reply = readPlainReply(sent, reading) ?? (await readReply(sent, reading))
    } catch (unreadable) {
      throw unread(journey, sent, unreadable)
    }
    try {
      return decider.afterReply(journey, reply)
    } finally {
      // Only now: a pause must be set before the place is given to somebody else.
      settle(journey, 'answered', isServerTrouble(reply.status))
    }
  }

  const pauseBefore = async (journey: Journey, waitMs: number) => {
    try {
      await options.sleep(waitMs, journey.call.signal)
    } catch {
      throw cancelled()
    }
  }

  /** A later refusal says nothing about an earlier attempt whose outcome nobody knows. */
  const withDoubt = ({ call, doubtful }: Journey, failure: unknown): unknown => {
    if (!doubtful || !matters(call) || !isFailure(failure) || failure.code === 'outcome_unknown') return failure
    return fail(
      'outcome_unknown',
      `${call.integration} may have done this at the first attempt, whose answer was lost; it could not be sent again. Check there before you repeat it.`,
      { cause: failure },
    )
  }

  /** Sends until there is a complete reply or no sense in going on. Throws a Failure. */
  return async (journey: Journey): Promise<Reply> => {
    depositCall(journey.account.budget)
    try {
      for (;;) {
        const decision = await attempt(journey)
        if (decision === 'now') continue
        if (decision === 'in_line') journey.lane = prepare.lane(journey.call, journey.profile, journey.account)
        else if ('reply' in decision) return decision.reply
        else if ('failure' in decision) throw decision.failure
        else await pauseBefore(journey, decision.waitMs)
      }
    } catch (failure) {
      throw withDoubt(journey, failure)
    }
  }
}
