import { fail } from '#kit'
import { mayPass } from '../rate-limit/breaker.ts'
import { ruleFor } from './classify.ts'
import type { Guard } from '../guard/guard.ts'
import type { Decision, Journey } from './attempt-state.ts'
import { brokenFailure, matters } from './outcome.ts'
import { askedWait, readWindow } from '../rate-limit/asked-wait.ts'
import type { LimitKind, Pacer } from '../rate-limit/rate-limiter.ts'
import type { Preparer } from './prepare.ts'
import { backoffMs, isRefusalToWork, isServerTrouble, isWorthTrying, mayRepeat, mostAttempts, spendRetry } from './retry.ts'
import type { Broken } from './transport.ts'
import type { Reply, WireOptions } from '../types.ts'

/** However long a wait the provider asks for: it is asked again then, by one call. */
const longestPauseMs = 3_600_000
const noDelete = new Set([404, 410])

/** What to do after an attempt: take its reply, give up, or send again and when. */
export const createDecider = (options: WireOptions, pacer: Pacer, prepare: Preparer, guard: Guard) => {
  const mayRetry = (journey: Journey, waitMs: number) => {
    const now = options.monotonic()
    return now + waitMs < journey.deadlineAt && mayPass(journey.account.breaker, now, !matters(journey.call)) && spendRetry(journey.account.budget, now)
  }

  const afterBroken = (journey: Journey, broken: Broken): Decision => {
    const { call, attempts } = journey
    if (broken.sent) journey.doubtful = true
    const waitMs = backoffMs(attempts, options.random)
    const again = isWorthTrying(broken.kind, attempts) && mayRepeat(call.effect, call.paid === true, broken.sent ? 'unknown' : 'not_sent')
    if (again && mayRetry(journey, waitMs)) return { waitMs }
    // What an earlier attempt may have done is not undone by a later one that was not sent.
    return { failure: brokenFailure(journey.doubtful ? { ...broken, sent: true } : broken, call) }
  }

  const readRemaining = (journey: Journey, reply: Reply) => {
    for (const window of journey.call.profile.pace.remaining ?? []) {
      const { left, resetMs } = readWindow(reply.headers, window, options.now())
      if (left !== undefined) pacer.tighten(journey.lane, window, left, { returned: journey.returned, resetMs })
    }
  }

  const afterRateLimit = (journey: Journey, reply: Reply, kind: LimitKind, askedMs: number | undefined): Decision => {
    const { call, profile, account } = journey
    const unknownFamily = kind === 'route' && journey.lane.kinds.route.length === 0
    const paused = unknownFamily ? prepare.nameFamily(call, profile, account) : journey.lane
    const waitMs = pacer.pause(paused, kind, askedMs === undefined ? call.profile.pace.fallbackMs : Math.min(askedMs, longestPauseMs))
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

  const afterReply = (journey: Journey, reply: Reply): Decision => {
    const { call } = journey
    const { status } = reply
    if (call.profile.pace.remaining !== undefined) readRemaining(journey, reply)
    if (status < 300) return { reply }
    if (status === 307 || status === 308) return afterRedirect(journey, reply)
    if (journey.doubtful && call.effect === 'delete' && noDelete.has(status)) {
      // The attempt before this one did it: what was to be deleted is gone.
      return { reply: { ...reply, status: 200, body: null, json: false } }
    }
    if (status === 304 && (call.ifNoneMatch !== undefined || call.ifModifiedSince !== undefined)) return { reply: { ...reply, notModified: true } }
    if (status < 400) return { reply }
    const rule = ruleFor(call.profile, reply)
    const { retryAfterMs, resetMs } = askedWait(call.profile.pace, reply.headers, options.now())
    if (rule === undefined ? status === 429 : rule.failure === 'rate_limited')
      return afterRateLimit(journey, reply, rule?.pauses ?? 'connection', retryAfterMs ?? resetMs)
    return isServerTrouble(status) ? afterTrouble(journey, reply, retryAfterMs) : { reply }
  }

  return { afterBroken, afterReply }
}
export type Decider = ReturnType<typeof createDecider>
