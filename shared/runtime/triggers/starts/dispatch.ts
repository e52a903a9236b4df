import { describeDefect, isFailure } from '#kit'
import type { Start } from '../../ports/index.ts'
import type { FollowUps } from '../follow-ups.ts'
import type { MatchIndex } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import type { Attempt, Attempted } from './attempt.ts'
import { createAgentConcurrency } from './concurrency.ts'
import { retryLater } from './retry-schedule.ts'
import { createWaitingQueues } from './waiting.ts'
import type { Caller } from './waiting.ts'

type DispatchDependencies = Pick<TriggerParts, 'store' | 'random' | 'log'> & {
  now(): number
  index: MatchIndex
  attempt: Attempt
  followUps: Pick<FollowUps, 'add'>
}

/** How long a claimed start belongs to its process; renewed while the agent works. */
export const leaseMs = 60_000
const renewBeforeMs = 40_000
/** Maximum starts claimed in one commit. */
const maxPerClaim = 64
/** Maximum number of agents' origins that are remembered. */
const maxOrigins = 10_000

/** A start that this process has claimed. */
type Running = {
  start: Start
  caller: Caller
  epoch: number
  until: number
  /** How it ended, until that is recorded. */ ended?: Attempted
  isRecording?: boolean
}

/** Resolves to true when the end is recorded, or when another process owns the start by now; false to try again. */
const recordEnd = async (
  store: TriggerParts['store'],
  log: TriggerParts['log'],
  held: Running,
  ended: Attempted,
): Promise<boolean> => {
  const { start, epoch } = held
  held.isRecording = true
  try {
    const isMine = await store.starts.end(start.tenant, start.id, epoch, ended.end, ended.alongside)
    // Another process has claimed the start since: this answer no longer counts.
    if (!isMine) log('warn', 'start.lease_lost', { start: start.id })
    return true
  } catch (thrown) {
    log('error', 'start.not_ended', {
      start: start.id,
      reason: isFailure(thrown) ? thrown.message : describeDefect(thrown).message,
    })
    return false
  } finally {
    held.isRecording = false
  }
}

const nameOf = ({ tenant, id }: Start) => `${tenant}\n${id}`

/**
 * Names the agent of a subscription by its origin; a subscription unknown to this process counts as an agent of its
 * own.
 */
const createAgentNames = (index: MatchIndex) => {
  /** Origins by URL, since every tick needs the origin of each queue. */
  const origins = new Map<string, string>()
  const originOf = (url: string): string => {
    let origin = origins.get(url)
    if (origin !== undefined) return origin
    origin = URL.canParse(url) ? new URL(url).origin : 'onStart'
    if (origins.size >= maxOrigins) origins.clear()
    origins.set(url, origin)
    return origin
  }
  return (tenant: string, subscription: string) => {
    const url = index.get(tenant, subscription)?.subscription.agent.url
    return url === undefined ? `subscription ${subscription}` : url === null ? 'onStart' : originOf(url)
  }
}

/** Calls agents: claims due starts, renews the claims while the agents work, and records how they end. */
export const createDispatch = ({ store, random, log, now, index, attempt, followUps }: DispatchDependencies) => {
  const running = new Map<string, Running>()
  const concurrency = createAgentConcurrency()
  const calls = new Set<Promise<void>>()
  let stopping = false
  /** The last tick claimed all that it had planned: then more are likely to be due, and their queues tell as well. */
  let mayHaveMore = false
  const agentOf = createAgentNames(index)
  const queues = createWaitingQueues({ store, now, agentOf })

  /**
   * Releases a start once its end is recorded. When the store cannot record it now, this is tried again later, so that
   * the agent is not called twice.
   */
  const release = async (held: Running): Promise<void> => {
    const { start, ended } = held
    if (!ended || held.isRecording) return
    if (!(await recordEnd(store, log, held, ended))) return
    running.delete(nameOf(start))
    concurrency.end(held.caller)
    followUps.add({ kind: 'task-due', task: 'dispatch' })
    if (ended.alongside?.agent)
      followUps.add({ kind: 'agent-changed', subscription: { tenant: start.tenant, id: start.subscription } })
  }

  const work = async (held: Running): Promise<void> => {
    try {
      held.ended = await attempt(held.start)
      if (held.ended.isHttp) concurrency.answered(held.caller, held.ended.answered === true)
    } catch (thrown) {
      log('error', 'start.not_asked', {
        start: held.start.id,
        reason: isFailure(thrown) ? thrown.message : describeDefect(thrown).message,
      })
      held.ended = { end: retryLater(held.start, { status: null, message: null }, now(), random()) }
    }
    await release(held)
  }

  const begin = (start: Start, until: number): Promise<void> | undefined => {
    const runningStart = running.get(nameOf(start))
    if (runningStart) {
      // The lease expired because a clock jumped, not because we gave up: the call in progress continues under the new
      // claim.
      runningStart.epoch = start.leaseEpoch
      runningStart.until = until
      return undefined
    }
    const caller = { tenant: start.tenant, agent: agentOf(start.tenant, start.subscription) }
    const held: Running = { start, caller, epoch: start.leaseEpoch, until }
    running.set(nameOf(start), held)
    concurrency.begin(caller)
    const working = work(held).finally(() => calls.delete(working))
    calls.add(working)
    return working
  }

  const renew = async (): Promise<void> => {
    for (const held of running.values()) {
      const at = now()
      if (held.ended) await release(held)
      if (held.until - at > renewBeforeMs || !running.has(nameOf(held.start))) continue
      if (await store.starts.renew(held.start.tenant, held.start.id, held.epoch, at, leaseMs)) held.until = at + leaseMs
    }
  }

  /** Claims from the queues read in earlier ticks, as long as they have any starts. */
  const claim = async (at: number): Promise<Start[]> => {
    for (;;) {
      const { starts: waiting, isNew } = await queues.read(at)
      const planned = concurrency.plan(waiting, maxPerClaim)
      const claimed = planned.length === 0 ? [] : await store.starts.claim(at, maxPerClaim, leaseMs, planned)
      waiting.claimed(planned, claimed)
      mayHaveMore = claimed.length > 0 && claimed.length === planned.reduce((sum, { limit }) => sum + limit, 0)
      if (claimed.length > 0 || isNew) return claimed
      // The waiting starts exceed the concurrency limits; the next round comes when a call has ended.
      if (planned.length === 0 && !waiting.isEmpty()) return []
      queues.forget()
    }
  }

  return {
    /**
     * Claims due starts, up to the concurrency limits. `calls` resolves when the calls of the claimed starts have
     * ended.
     */
    async tick(): Promise<{ claimed: number; calls: Promise<unknown> }> {
      await renew()
      const nothing = { claimed: 0, calls: Promise.resolve() }
      if (stopping) return nothing
      const at = now()
      const dueAt = mayHaveMore ? at : await store.starts.nextDueAt()
      if (dueAt === undefined || dueAt > at) return nothing
      const claimed = await claim(at)
      if (claimed.length === 0) return nothing
      const begunCalls: Promise<void>[] = []
      for (const start of claimed) {
        const call = begin(start, at + leaseMs)
        if (call) begunCalls.push(call)
      }
      return { claimed: claimed.length, calls: Promise.all(begunCalls) }
    },
    renew,
    running: () => running.size,
    /** Stops claiming. Calls in progress are not aborted. */
    stop() {
      stopping = true
    },
    /** Resolves when no call is in progress. */
    async idle(): Promise<void> {
      while (calls.size > 0) await Promise.all(calls)
    },
  }
}
