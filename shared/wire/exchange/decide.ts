import { fail } from '#kit'
import { mayPass } from '../rate-limit/breaker.ts'
import { isTroubleWithRead, repeatRuleFor, ruleFor } from './classify.ts'
import type { Guard } from '../guard/guard.ts'
import type { AttemptState, Decision } from './attempt-state.ts'
import { brokenFailure, matters } from './outcome.ts'
import { actualCost } from '../rate-limit/points.ts'
import { askedWait, readWindow } from '../rate-limit/provider-wait.ts'
import type { LimitKind, RateLimiter } from '../rate-limit/rate-limiter.ts'
import type { Preparer } from './prepare.ts'
import {
  backoffMs,
  isRefusalToWork,
  isServerTrouble,
  isWorthTrying,
  mayRepeat,
  maxAttempts,
  spendRetry,
} from './retry.ts'
import type { Broken } from './raw-reply.ts'
import type { Reply, WireOptions } from '../types.ts'

/** The longest pause, however long the provider asks for: after it, one call tries again. */
const maxPauseMs = 3_600_000
const alreadyDeleted = new Set([404, 410])

/** What to do after an attempt: take its reply, give up, or send again and when. */
export const createDecider = (options: WireOptions, limiter: RateLimiter, prepare: Preparer, guard: Guard) => {
  const mayRetry = (state: AttemptState, waitMs: number) => {
    const now = options.monotonic()
    return (
      now + waitMs < state.deadlineAt &&
      mayPass(state.account.breaker, now, !matters(state.call)) &&
      spendRetry(state.account.budget, now)
    )
  }

  const afterBroken = (state: AttemptState, broken: Broken): Decision => {
    const { call, attempts } = state
    if (broken.sent) state.mayHaveExecuted = true
    const waitMs = backoffMs(attempts, options.random)
    const repeats =
      isWorthTrying(broken.kind, attempts) &&
      mayRepeat(call.effect, call.paid === true, broken.sent ? 'unknown' : 'not_sent')
    if (repeats && mayRetry(state, waitMs)) return { waitMs }
    // A later attempt that was not sent does not undo what an earlier one may have done.
    return { failure: brokenFailure(state.mayHaveExecuted ? { ...broken, sent: true } : broken, call) }
  }

  const readRemaining = (state: AttemptState, reply: Reply) => {
    for (const window of state.call.profile.pace.remaining ?? []) {
      const { left, resetMs } = readWindow(reply, window, options.now())
      if (left === undefined) continue
      limiter.tighten(state.buckets, window, left, { returned: state.returned, resetMs, actualCost: state.actualCost })
    }
  }

  const afterRateLimit = (
    state: AttemptState,
    reply: Reply,
    named: LimitKind,
    askedMs: number | undefined,
  ): Decision => {
    const { call, profile, account } = state
    // The refused call may have no value for which a limit is counted.
    const kind = named === 'field' && state.buckets.kinds.field.length === 0 ? 'connection' : named
    const unknownFamily = kind === 'route' && state.buckets.kinds.route.length === 0
    const paused = unknownFamily ? prepare.nameFamily(call, profile, account) : state.buckets
    const waitMs = limiter.pause(
      paused,
      kind,
      askedMs === undefined ? call.profile.pace.fallbackMs : Math.min(askedMs, maxPauseMs),
    )
    state.requeued = true
    state.refused = true
    // A complete reply below 500 means that nothing was done, whatever the profile calls it.
    if (reply.status >= 500 && matters(call) && call.profile.rejectsBeforeExecuting?.includes(reply.status) !== true)
      return { reply }
    if (!call.noWait && state.attempts < maxAttempts && options.monotonic() + waitMs < state.deadlineAt)
      return 'requeue'
    const message = `${call.integration} refused this because its rate limit is used up. Nothing was done; repeat it after retryAfterMs.`
    return { failure: fail('rate_limited', message, { retryAfterMs: Math.ceil(waitMs), providerStatus: reply.status }) }
  }

  const afterRedirect = (state: AttemptState, reply: Reply): Decision => {
    const { call, plain, profile } = state
    const location = reply.headers['location']
    if (call.redirects !== 'same-origin' || state.redirected || location === undefined) return { reply }
    const moved = guard.redirected(profile.facts, call, plain, location)
    if (!moved) return { reply }
    state.plain = moved
    state.redirected = true
    return 'now'
  }

  const afterTrouble = (state: AttemptState, reply: Reply, retryAfterMs: number | undefined): Decision => {
    const { call, attempts } = state
    const refused = isRefusalToWork(call.profile, reply.status, retryAfterMs)
    if (!refused) state.mayHaveExecuted = true
    const waitMs = Math.max(backoffMs(attempts, options.random), retryAfterMs ?? 0)
    const repeats =
      attempts < maxAttempts && mayRepeat(call.effect, call.paid === true, refused ? 'rejected' : 'unknown')
    return repeats && mayRetry(state, waitMs) ? { waitMs } : { reply }
  }

  const afterReply = (state: AttemptState, reply: Reply): Decision => {
    const { call } = state
    const { status } = reply
    if (state.profile.costOf !== undefined) state.actualCost = actualCost(call.profile.pace, reply)
    if (state.buckets.reportsRemaining) readRemaining(state, reply)
    // Some providers refuse with status 200 and say so in the body.
    const refusal = status < 300 ? repeatRuleFor(call.profile, reply, call.effect) : undefined
    if (status < 300 && refusal === undefined) return { reply }
    if (status === 307 || status === 308) return afterRedirect(state, reply)
    if (state.mayHaveExecuted && call.effect === 'delete' && alreadyDeleted.has(status)) {
      // An earlier attempt did it: what was to be deleted is gone.
      return { reply: { ...reply, status: 200, body: null, json: false } }
    }
    if (status === 304 && (call.ifNoneMatch !== undefined || call.ifModifiedSince !== undefined))
      return { reply: { ...reply, notModified: true } }
    if (status >= 300 && status < 400) return { reply }
    const rule = refusal ?? ruleFor(call.profile, reply, call.effect)
    const { retryAfterMs, resetMs } = askedWait(call.profile.pace, reply.headers, options.now(), reply.body)
    if (rule === undefined ? status === 429 : rule.failure === 'rate_limited')
      return afterRateLimit(state, reply, rule?.pauses ?? 'connection', retryAfterMs ?? resetMs)
    const isTrouble = isServerTrouble(status) || (rule !== undefined && isTroubleWithRead(rule))
    return isTrouble && call.isAnswer?.(reply) !== true ? afterTrouble(state, reply, retryAfterMs) : { reply }
  }

  return { afterBroken, afterReply }
}
export type Decider = ReturnType<typeof createDecider>
