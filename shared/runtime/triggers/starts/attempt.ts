import type { AgentAnswer, EndedAlongside, Start, StartAnswer, StartEnd, Subscription } from '../../ports/index.ts'
import { startDead } from '../../notices.ts'
import type { TriggerParts } from '../parts.ts'
import type { Wording } from '../../sentences/worded.ts'
import type { CallAgent } from './call-agent.ts'
import type { CallPlatform } from './call-platform.ts'
import { isNotification } from './notification.ts'
import { endAfter } from './retry-schedule.ts'
import type { AgentReply } from './signed-post.ts'

type AttemptDependencies = Pick<TriggerParts, 'store' | 'clock' | 'random' | 'log'> & {
  now(): number
  callAgent: CallAgent
  callPlatform: CallPlatform
  wording: Pick<Wording, 'text'>
  /** The agent answered 410: it wants no more starts of this subscription. */
  onGone(subscription: Subscription): Promise<void>
  /** Updates whether an agent accepts its starts; returns what changed. */
  onAnswered(subscription: Subscription, start: Start, reply: AgentReply): Promise<EndedAlongside['agent']>
}

const maxAnswers = 20

/** Adds the list of all attempts so far, unless the first one was accepted: then `answer` alone says everything. */
const withAnswers = (start: Start, end: StartEnd, answer: AgentAnswer): StartEnd => {
  if (end.state === 'done' && start.answer === null) return { ...end, answer }
  const before: StartAnswer[] = start.answers ?? (start.answer ? [{ ...start.answer, nextAt: null }] : [])
  return { ...end, answer, answers: [...before, { ...answer, nextAt: end.dueAt ?? null }].slice(-maxAnswers) }
}

/** How an attempt ended. `isHttp`: an address was called; `answered`: whether it answered at all. */
export type Attempted = { end: StartEnd; alongside?: EndedAlongside; isHttp?: true; answered?: boolean }

/** Makes one attempt at a start or a notification. */
export const createAttempt = ({
  store,
  clock,
  random,
  log,
  now,
  callAgent,
  callPlatform,
  wording,
  onGone,
  onAnswered,
}: AttemptDependencies) => {
  const answerOf = (reply: AgentReply, began: number): AgentAnswer => ({
    at: now(),
    status: reply.status,
    message: reply.message,
    durationMs: Math.round(clock.monotonic() - began),
  })

  const notify = async (start: Start): Promise<Attempted> => {
    const began = clock.monotonic()
    const reply = await callPlatform(start)
    if (!reply) return { end: { state: 'cancelled', at: now() } }
    const end = endAfter(start, reply, now(), random())
    if (end.state === 'dead' || end.state === 'paused')
      log('warn', 'notification.dead', { notification: start.id, status: reply.status })
    // A notification is never resumed, as a subscription can be, so it ends here.
    const state = end.state === 'paused' ? ('dead' as const) : end.state
    return {
      end: withAnswers(start, { ...end, state }, answerOf(reply, began)),
      isHttp: true,
      answered: reply.status !== null,
    }
  }

  /** Starts that begin in the same turn share one read of their subscription. */
  const reads = new Map<string, Promise<Subscription | undefined>>()
  const forgetReads = reads.clear.bind(reads)

  return async (start: Start): Promise<Attempted> => {
    if (isNotification(start)) return notify(start)
    const name = `${start.tenant}\n${start.subscription}`
    let read = reads.get(name)
    if (!read) {
      if (reads.size === 0) queueMicrotask(forgetReads)
      reads.set(name, (read = store.subscriptions.get(start.tenant, start.subscription)))
    }
    const subscription = await read
    if (!subscription) return { end: { state: 'cancelled', at: now() } }
    // Tests are sent even so: with one, the owner finds out whether the agent works again.
    if (subscription.state === 'paused_agent' && !start.test)
      return { end: { state: 'paused', at: now(), attempts: Math.max(0, start.attempts - 1) } }
    const began = clock.monotonic()
    const reply = await callAgent(start, subscription)
    const answer = answerOf(reply, began)
    const end = withAnswers(start, endAfter(start, reply, answer.at, random()), answer)
    const isDead = end.state === 'dead'
    if (isDead) log('warn', 'start.dead', { start: start.id, subscription: start.subscription, status: reply.status })
    if (reply.status === 410) await onGone(subscription)
    const agent = reply.status === 410 ? undefined : await onAnswered(subscription, start, reply)
    const summary = isDead ? await wording.text(start) : null
    return {
      end,
      alongside: {
        ...(isDead && !start.test
          ? { notices: startDead(start, subscription, { status: reply.status, summary, at: answer.at }) }
          : {}),
        ...(agent ? { agent } : {}),
      },
      ...(subscription.agent.url === null ? {} : { isHttp: true, answered: reply.status !== null }),
    }
  }
}
export type Attempt = ReturnType<typeof createAttempt>
