import { fail, isFailure, isOutcomeUnknown } from '#kit'
import type { FailureCode } from '#kit'
import { authorize } from './authorize.ts'
import { breakerFailure, mayPass, noteOutcome, passBreaker } from '../rate-limit/breaker.ts'
import type { Decider } from './decide.ts'
import type { AttemptState, Decision } from './attempt-state.ts'
import { brokenFailure, doneButUnread, matters, countsAsFailure } from './outcome.ts'
import type { Ending, RateLimiter } from '../rate-limit/rate-limiter.ts'
import type { Preparer } from './prepare.ts'
import { readPlainReply, readReply } from './reply.ts'
import { decoding } from './decode-stream.ts'
import { announcedOf } from './fetch-file.ts'
import { depositCall, isServerTrouble } from './retry.ts'
import { isBroken } from './raw-reply.ts'
import { noteAttempt, noteWait } from './attempt-log.ts'
import type { OpenSink } from './take-body.ts'
import type { Transport } from './transport.ts'
import type { Broken, RawReply, SendResult } from './raw-reply.ts'
import type { Scrubber } from '../guard/scrub.ts'
import type { Call, Reply, SaveBody, WireOptions } from '../types.ts'

const cancelled = () => fail('cancelled', 'The call was cancelled before anything was sent.')

/**
 * A closed connection ends the request that was under way on it; after a timeout the request may still be under way.
 */
const endingOf = ({ sent, kind }: Broken): Ending => (!sent ? 'not_sent' : kind === 'cut' ? 'answered' : 'unanswered')

/**
 * The slowest transfer of a file that is allowed, in bytes per millisecond, and the time, in ms, for a file of unknown
 * size. Silence ends an exchange much sooner.
 */
const minSpeed = 256
const maxSavingMs = 300_000

/** Extra time in ms that the files of a call may take, beyond the limits of every call. */
export const transferMs = ({ files, save }: Pick<Call, 'files' | 'save'>): number => {
  if (files === undefined && save === undefined) return 0
  let bytes = 0
  for (const { size } of files?.values() ?? []) bytes += size
  return Math.ceil(bytes / minSpeed) + (save === undefined ? 0 : maxSavingMs)
}

/** The headers that come with a saved file are stored too, so they are searched for secrets like a reply. */
const sinkFor =
  (save: SaveBody, scrubber: Scrubber): OpenSink =>
  (status, headers) =>
    status >= 200 && status < 300
      ? decoding(headers['content-encoding'], save.open(announcedOf(headers, (text) => scrubber.text(text))))
      : undefined

/** A later refusal says nothing about an earlier attempt whose outcome is unknown. */
const withUnknownOutcome = ({ call, mayHaveExecuted }: AttemptState, failure: unknown): unknown => {
  if (!mayHaveExecuted || !matters(call) || !isFailure(failure) || isOutcomeUnknown(failure)) return failure
  return fail(
    'outcome_unknown',
    `${call.integration} may have done this at the first attempt, whose answer was lost; it could not be sent again. Check there before you repeat it.`,
    { cause: failure },
  )
}

const pauseBefore = async (state: AttemptState, waitMs: number, { monotonic, sleep }: WireOptions) => {
  try {
    await noteWait(state, monotonic, sleep(waitMs, state.call.signal))
  } catch {
    throw cancelled()
  }
}

const checkBreaker = ({ call, account }: AttemptState, { monotonic }: WireOptions) => {
  if (account.breaker.state === 'closed') return
  const now = monotonic()
  if (!mayPass(account.breaker, now, !matters(call))) throw breakerFailure(account.breaker, now, call.integration)
}

/** Waits in the queue until every limit of the call has a place for it. */
const enterQueue = async (state: AttemptState, limiter: RateLimiter, { monotonic }: WireOptions) => {
  const { call, deadlineAt, requeued } = state
  const place = limiter.take(state.buckets, {
    signal: call.signal,
    deadlineAt,
    noWait: call.noWait,
    priority: call.priority,
    requeued,
  })
  state.startedAt = await noteWait(state, monotonic, place)
  state.sentAt = monotonic()
}

/** Signs the request at the last moment and sends it once. */
const send = (state: AttemptState, transport: Transport): Promise<SendResult> => {
  const { call, profile, account } = state
  const { timeouts, maxReplyBytes, writeMark } = call.profile
  if (call.signal?.aborted) throw cancelled()
  if (state.startedAt >= state.deadlineAt)
    throw fail(
      'unreachable',
      'The time for this call was used up before it could be sent. Nothing was done; try again.',
    )
  const signed = authorize(state.plain, account.credential, writeMark?.header)
  passBreaker(account.breaker, state.startedAt)
  state.attempts += 1
  if (call.used) call.used.attempts += 1
  const totalMs = Math.max(1, Math.min(timeouts.totalMs + transferMs(call), state.deadlineAt - state.startedAt))
  return transport.send(
    profile.pool ?? transport.poolFor(profile.place, timeouts.connectMs),
    signed,
    { headersMs: timeouts.headersMs, bodyMs: timeouts.bodyMs, totalMs, maxBytes: maxReplyBytes },
    call.signal,
    call.save && sinkFor(call.save, account.scrubber),
  )
}

export const createExchange = (
  options: WireOptions,
  transport: Transport,
  limiter: RateLimiter,
  prepare: Preparer,
  decider: Decider,
  start: (call: Call) => AttemptState,
) => {
  const settle = (
    state: AttemptState,
    ending: Ending,
    failed: boolean | undefined,
    status: number | undefined,
    code: FailureCode | null = null,
  ) => {
    const now = options.monotonic()
    noteAttempt(state, now, status, code)
    limiter.settle(state.buckets, state.startedAt, ending, state.call.profile.timeouts.totalMs, now, state.actualCost)
    const newState = noteOutcome(state.account.breaker, state.startedAt, now, failed)
    if (newState) options.onBreaker?.(`${newState} ${state.account.breakerKey}`)
  }

  /**
   * Settles an attempt whose reply cannot be read: to the limits and the breaker, the provider has answered. Returns
   * the failure to throw.
   */
  const settleUnread = (state: AttemptState, { status }: RawReply, unreadable: unknown): unknown => {
    const { call } = state
    settle(state, 'answered', false, status, isFailure(unreadable) ? unreadable.code : 'bad_reply')
    return matters(call) && status < 300
      ? doneButUnread(call.integration, status, (unreadable as Error).message)
      : unreadable
  }

  const attempt = async (state: AttemptState): Promise<Decision> => {
    const { call } = state
    checkBreaker(state, options)
    state.actualCost = undefined
    state.sentAt = state.startedAt = limiter.tryTake(state.buckets)
    if (state.startedAt < 0) await enterQueue(state, limiter, options)
    if (state.buckets.reportsRemaining) state.returned = limiter.returnedBy(state.buckets, state.startedAt)
    let sending: Promise<SendResult>
    try {
      // The last check before the first byte may leave: what was allowed when the call began may no longer be.
      checkBreaker(state, options)
      call.recheck?.()
      if (call.onSending !== undefined && !state.announced) {
        // What the caller writes down must be durable before the first byte may leave.
        const written = call.onSending()
        if (written !== undefined) {
          await written
          state.sentAt = options.monotonic()
          // Meanwhile the right to send may have ended.
          call.recheck?.()
        }
        state.announced = true
      }
      sending = send(state, transport)
    } catch (refusal) {
      limiter.settle(state.buckets, state.startedAt, 'not_sent')
      throw refusal
    }
    const sent = await sending
    if (isBroken(sent)) {
      await call.save?.discard()
      settle(state, endingOf(sent), countsAsFailure(sent.kind), sent.status, brokenFailure(sent, call).code)
      return decider.afterBroken(state, sent)
    }
    let reply: Reply
    try {
      const reading = {
        maxBytes: call.profile.maxReplyBytes,
        scrubber: state.account.scrubber,
        attempts: state.attempts,
        random: options.random,
        replyAs: call.replyAs,
      }
      reply = readPlainReply(sent, reading) ?? (await readReply(sent, reading))
    } catch (unreadable) {
      throw settleUnread(state, sent, unreadable)
    }
    try {
      return decider.afterReply(state, reply)
    } finally {
      // Settled only now: a pause must be set before another call takes the place.
      settle(state, 'answered', isServerTrouble(reply.status) && call.isAnswer?.(reply) !== true, reply.status)
    }
  }

  /** Sends until there is a complete reply, or until going on is pointless. Throws a Failure. */
  return async (call: Call): Promise<Reply> => {
    const state = start(call)
    depositCall(state.account.budget)
    try {
      for (;;) {
        const decision = await attempt(state)
        if (decision === 'now') continue
        if (decision === 'requeue') state.buckets = prepare.buckets(call, state.profile, state.account)
        else if ('reply' in decision) return decision.reply
        else if ('failure' in decision) throw decision.failure
        else await pauseBefore(state, decision.waitMs, options)
      }
    } catch (failure) {
      throw withUnknownOutcome(state, failure)
    }
  }
}
