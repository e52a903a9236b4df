import { fail, isFailure } from '#kit'
import type { Failure } from '#kit'
import { authorize } from './authorize.ts'
import { breakerFailure, mayPass, noteOutcome, passBreaker } from './breaker.ts'
import { ruleFor } from './classify.ts'
import type { Guard, PlainRequest } from './guard.ts'
import { brokenFailure, doneButUnread, matters, speaksAgainst } from './outcome.ts'
import type { Ending, Lane, LimitKind, Pacer } from './pace.ts'
import type { PreparedAccount, PreparedProfile, Preparer } from './prepare.ts'
import { readPlainReply, readReply } from './reply.ts'
import { backoffMs, depositCall, isRefusalToWork, isServerTrouble, isWorthTrying, mayRepeat, mostAttempts, readRetryAfter, spendRetry } from './retry.ts'
import { isBroken } from './transport.ts'
import type { Broken, RawReply, Sent, Transport } from './transport.ts'
import type { Call, Reply, WireOptions } from './types.ts'

/** One call on its way: what was prepared for it and what has become of it so far. */
export type Journey = {
  call: Call
  plain: PlainRequest
  profile: PreparedProfile
  account: PreparedAccount
  lane: Lane
  deadlineAt: number
  attempts: number
  /** When the places of the present attempt were taken. */
  startedAt: number
  /** `onSending` was called. */
  announced: boolean
  redirected: boolean
  /** A 429 sent it back to the line. */
  again: boolean
  /** An earlier attempt may have been carried out. */
  doubtful: boolean
}

/** What to do after an attempt. `in_line`: the pause of its limit decides when it goes again. `now`: at once, at another address. */
type Decision = { reply: Reply } | { failure: Failure } | { waitMs: number } | 'in_line' | 'now'

const longestPauseMs = 3_600_000
const noDelete = new Set([404, 410])

const cancelled = () => fail('cancelled', 'The call was cancelled before anything was sent.')

export const createExchange = (options: WireOptions, transport: Transport, pacer: Pacer, prepare: Preparer, guard: Guard) => {
  const checkBreaker = ({ call, profile }: Journey) => {
    if (profile.breaker.state === 'closed') return
    const now = options.monotonic()
    if (!mayPass(profile.breaker, now, !matters(call))) throw breakerFailure(profile.breaker, now, call.integration)
  }

  const settle = (journey: Journey, ending: Ending, failed: boolean | undefined) => {
    pacer.settle(journey.lane, journey.startedAt, ending, journey.call.profile.timeouts.totalMs)
    noteOutcome(journey.profile.breaker, journey.startedAt, options.monotonic(), failed)
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
    const { call, profile } = journey
    const { timeouts, maxReplyBytes, writeMark } = call.profile
    if (call.signal?.aborted) throw cancelled()
    if (journey.startedAt >= journey.deadlineAt) throw fail('unreachable', 'The time for this call was used up before it could be sent. Nothing was done; try again.')
    const signed = authorize(journey.plain, journey.account.credential, writeMark?.header)
    passBreaker(profile.breaker, journey.startedAt)
    journey.attempts += 1
    const totalMs = Math.max(1, Math.min(timeouts.totalMs, journey.deadlineAt - journey.startedAt))
    return transport.send(profile.pool, signed, { headersMs: timeouts.headersMs, bodyMs: timeouts.bodyMs, totalMs, maxBytes: maxReplyBytes }, call.signal)
  }

  const mayRetry = (journey: Journey, waitMs: number) => {
    const now = options.monotonic()
    return now + waitMs < journey.deadlineAt && mayPass(journey.profile.breaker, now, !matters(journey.call)) && spendRetry(journey.account.budget, now)
  }

  const afterBroken = (journey: Journey, broken: Broken): Decision => {
    const { call, attempts } = journey
    if (broken.sent) journey.doubtful = true
    settle(journey, broken.sent ? (broken.kind === 'cut' ? 'answered' : 'unanswered') : 'not_sent', speaksAgainst(broken.kind))
    const waitMs = backoffMs(attempts, options.random)
    const again = isWorthTrying(broken.kind, attempts) && mayRepeat(call.effect, call.paid === true, broken.sent ? 'unknown' : 'not_sent')
    if (again && mayRetry(journey, waitMs)) return { waitMs }
    // What an earlier attempt may have done is not undone by a later one that was not sent.
    return { failure: brokenFailure(journey.doubtful ? { ...broken, sent: true } : broken, call) }
  }

  const readRemaining = (journey: Journey, reply: Reply) => {
    for (const { header, per } of journey.call.profile.pace.remaining ?? []) {
      const left = Number.parseInt(reply.headers[header] ?? '', 10)
      if (left >= 0) pacer.tighten(journey.lane, per, left)
    }
  }

  const afterRateLimit = (journey: Journey, reply: Reply, kind: LimitKind, retryAfterMs: number | undefined): Decision => {
    const { call, profile, account } = journey
    const unknownFamily = kind === 'route' && journey.lane.kinds.route.length === 0
    const paused = unknownFamily ? prepare.nameFamily(call, profile, account) : journey.lane
    const pausedMs = pacer.pause(paused, kind, retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, longestPauseMs))
    const waitMs = Math.max(pausedMs, retryAfterMs ?? 0)
    journey.again = true
    // Below 500 a complete reply says that nothing was done, whatever the profile calls it.
    if (reply.status >= 500 && matters(call) && call.profile.rejectsBeforeExecuting?.includes(reply.status) !== true) return { reply }
    if (!call.noWait && journey.attempts < mostAttempts && options.monotonic() + waitMs < journey.deadlineAt) return 'in_line'
    const message = `${call.integration} refused this because its rate limit is used up. Nothing was done; repeat it after retryAfterMs.`
    return { failure: fail('rate_limited', message, { retryAfterMs: Math.ceil(waitMs), providerStatus: reply.status }) }
  }

  const afterRedirect = (journey: Journey, reply: Reply): Decision => {
    const { call, plain, profile } = journey
    const location = reply.headers['location']
    if (call.redirects !== 'same-origin' || journey.redirected || location === undefined) return { reply }
    const moved = guard.redirected(profile.facts, call, plain, location)
    if (!moved) return { reply }
    journey.plain = moved
    journey.redirected = true
    return 'now'
  }

  const afterTrouble = (journey: Journey, reply: Reply, retryAfterMs: number | undefined): Decision => {
    const { call, attempts } = journey
    const refused = isRefusalToWork(call.profile, reply.status, retryAfterMs)
    if (!refused) journey.doubtful = true
    const waitMs = Math.max(backoffMs(attempts, options.random), retryAfterMs ?? 0)
    const again = attempts < mostAttempts && mayRepeat(call.effect, call.paid === true, refused ? 'rejected' : 'unknown')
    return again && mayRetry(journey, waitMs) ? { waitMs } : { reply }
  }

  const decide = (journey: Journey, reply: Reply): Decision => {
    const { call } = journey
    const { status } = reply
    if (call.profile.pace.remaining !== undefined) readRemaining(journey, reply)
    if (status < 300) return { reply }
    if (status === 307 || status === 308) return afterRedirect(journey, reply)
    if (journey.doubtful && call.effect === 'delete' && noDelete.has(status)) {
      // The attempt before this one did it: what was to be deleted is gone.
      return { reply: { ...reply, status: 200, body: null, json: false } }
    }
    if (status < 400) return { reply }
    const rule = ruleFor(call.profile, reply)
    const retryAfterMs = readRetryAfter(reply.headers, options.now())
    if (rule === undefined ? status === 429 : rule.failure === 'rate_limited') return afterRateLimit(journey, reply, rule?.pauses ?? 'connection', retryAfterMs)
    return isServerTrouble(status) ? afterTrouble(journey, reply, retryAfterMs) : { reply }
  }

  const read = async (journey: Journey, raw: RawReply): Promise<Reply> => {
    const { call, account, attempts } = journey
    try {
      return readPlainReply(raw, account.scrubber, attempts) ?? (await readReply(raw, call.profile.maxReplyBytes, account.scrubber, attempts))
    } catch (unreadable) {
      settle(journey, 'answered', false)
      if (matters(call) && raw.status < 300) throw doneButUnread(call.integration, raw.status, (unreadable as Error).message)
      throw unreadable
    }
  }

  const attempt = async (journey: Journey): Promise<Decision> => {
    const { call } = journey
    checkBreaker(journey)
    journey.startedAt = pacer.tryTake(journey.lane)
    if (journey.startedAt < 0) await enter(journey)
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
    if (isBroken(sent)) return afterBroken(journey, sent)
    const reply = await read(journey, sent)
    try {
      return decide(journey, reply)
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
    return fail('outcome_unknown', `${call.integration} may have done this at the first attempt, whose answer was lost; it could not be sent again. Check there before you repeat it.`, { cause: failure })
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
