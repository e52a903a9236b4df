import { describeDefect, isFailure } from '#kit'
import type { PollState } from '../../ports/index.ts'
import { isLost } from '../../leases.ts'
import type { Leases } from '../../leases.ts'
import type { Admit } from '../admit.ts'
import type { MatchIndex } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import type { ProviderSessions } from '../provider-session.ts'
import type { Backfill } from './backfill.ts'
import { createPollBudget } from './poll-budget.ts'
import { createPollConnections } from './poll-connections.ts'
import { createFireTimers, createPollResource } from './poll-resource.ts'
import { connectionName, createPollSet } from './poll-set.ts'
import type { Poll } from './poll-set.ts'

type State = { now(): number; index: MatchIndex; sessions: ProviderSessions; leases: Leases }
/** `everyMs`: base interval; jittered, and longer where many polls share a connection. */
type Sync = { admit: Admit; backfill: Pick<Backfill, 'recover'>; everyMs: number }

const maxWaitMs = 15 * 60_000
/** How much later than its due time a job may arrive. */
const jobDelayMs = 5_000

/** Polls what no webhook delivers, and fires the timers that polls stored for later. */
export const createPolling = (
  { registry, store, random, log }: Pick<TriggerParts, 'registry' | 'store' | 'random' | 'log'>,
  { now, index, sessions, leases }: State,
  { admit, backfill, everyMs }: Sync,
) => {
  const isShared = store.cluster !== undefined
  const polls = createPollSet(now)
  const budget = createPollBudget(registry, now)
  const pollResource = createPollResource({ store, now, index, admit, sessions })
  const jittered = (ms: number) => Math.round(ms * (0.9 + 0.2 * random()))

  const rowOf = (poll: Poll, over: Pick<PollState, 'cursor' | 'scannedAt' | 'failures' | 'reason'>): PollState => {
    poll.failures = over.failures
    poll.dueAt =
      now() +
      (over.failures === 0
        ? jittered(everyMs)
        : Math.min(maxWaitMs, jittered(everyMs * 2 ** Math.min(over.failures, 10))))
    return { ...poll.ref, resource: poll.resource, dueAt: poll.dueAt, ...over }
  }
  const succeeded = (poll: Poll) => (cursor: string | null, scannedAt: number) =>
    rowOf(poll, { cursor, scannedAt, failures: 0, reason: null })

  const pollHistory = async (poll: Poll, model: string): Promise<number> => {
    const { calls } = await backfill.recover(poll.ref, model, 'poll')
    await store.polls.put(succeeded(poll)(null, now()))
    return calls
  }

  /** The row of a poll; undefined when another process has polled it meanwhile, so it is due later. */
  const rowIfDue = async (poll: Poll): Promise<{ state: PollState | undefined } | undefined> => {
    const { ref, resource } = poll
    const state = await store.polls.get(ref.tenant, ref.connection, resource)
    if (!isShared || !state || poll.isHurried || state.dueAt <= now()) return { state }
    poll.dueAt = state.dueAt
    poll.failures = state.failures
    poll.isTried = true
    return undefined
  }

  const run = async (poll: Poll): Promise<void> => {
    const { ref, resource, model } = poll
    const due = await rowIfDue(poll)
    if (!due) return
    const { state } = due
    if (isShared) poll.failures = state?.failures ?? 0
    try {
      budget.spend(
        ref,
        model === undefined ? await pollResource(poll, state, succeeded(poll)) : await pollHistory(poll, model),
      )
    } catch (thrown) {
      if (isShared && isLost(thrown)) return log('warn', 'poll.lease_lost', { connection: ref.connection, resource })
      const reason = isFailure(thrown) ? thrown.message : 'Polling failed because of a defect of ours.'
      log(isFailure(thrown) ? 'warn' : 'error', 'poll.failed', {
        connection: ref.connection,
        resource,
        reason: isFailure(thrown) ? thrown.code : describeDefect(thrown).message,
      })
      budget.spend(ref, 1)
      await store.polls.put(
        rowOf(poll, {
          cursor: state?.cursor ?? null,
          scannedAt: state?.scannedAt ?? null,
          failures: poll.failures + 1,
          reason,
        }),
      )
    } finally {
      poll.isTried = true
      poll.isHurried = false
    }
  }

  const pollAll = createPollConnections({ now, leases, isShared, rowIfDue, run, allows: budget.allows })

  return {
    put: polls.put,
    drop: polls.drop,
    hurry: polls.hurry,
    size: polls.size,
    /** Polls what is due; resolves to how many polls were made, but may be called again before. */
    tick: (): Promise<number> => {
      const at = now()
      // With a shared store, jobs bring the other polls; one without a job is found here a little later.
      return pollAll(polls.due(at).filter(({ isHurried, dueAt }) => !isShared || isHurried || dueAt <= at - jobDelayMs))
    },
    /** Polls connections, given by the keys of jobs. */
    pollConnections: (keys: string[]): Promise<number> => {
      const names = keys.map((key) => {
        const [tenant, connection] = JSON.parse(key) as [string, string]
        return connectionName({ tenant, connection })
      })
      return pollAll(polls.ofConnections(new Set(names)))
    },
    fireTimers: createFireTimers({ store, now, index, admit, leases }, polls),
  }
}
export type Polling = ReturnType<typeof createPolling>
