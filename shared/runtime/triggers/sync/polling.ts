import { describeDefect, isFailure } from '#kit'
import type { PollState } from '../../ports/index.ts'
import type { Admit } from '../admit.ts'
import type { MatchIndex } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import type { ProviderSessions } from '../provider-session.ts'
import type { Backfill } from './backfill.ts'
import { createPollBudget } from './poll-budget.ts'
import { createFireTimers, createPollResource } from './poll-resource.ts'
import { createPollSet } from './poll-set.ts'
import type { Poll } from './poll-set.ts'

type State = { now(): number; index: MatchIndex; sessions: ProviderSessions }
/** `everyMs`: base interval; jittered, and stretched where many polls share a connection. */
type Sync = { admit: Admit; backfill: Pick<Backfill, 'recover'>; everyMs: number }

const maxWaitMs = 15 * 60_000

/** Polls at intervals what no webhook delivers, and fires what a poll found to be due later. */
export const createPolling = (
  { registry, store, random, log }: Pick<TriggerParts, 'registry' | 'store' | 'random' | 'log'>,
  { now, index, sessions }: State,
  { admit, backfill, everyMs }: Sync,
) => {
  const polls = createPollSet(now)
  const budget = createPollBudget(registry, now)
  const pollResource = createPollResource({ store, now, index, admit, sessions })
  /** Connections that are being polled: a round that finds one so leaves it alone. */
  const polling = new Map<string, Promise<void>>()
  const connectionOf = ({ ref: { tenant, connection } }: Poll) => `${tenant}\n${connection}`
  const jittered = (ms: number) => Math.round(ms * (0.9 + 0.2 * random()))

  const rowOf = (poll: Poll, over: Pick<PollState, 'cursor' | 'scannedAt' | 'failures' | 'reason'>): PollState => {
    poll.failures = over.failures
    poll.dueAt = now() + (over.failures === 0 ? jittered(everyMs) : Math.min(maxWaitMs, jittered(everyMs * 2 ** Math.min(over.failures, 10))))
    return { ...poll.ref, resource: poll.resource, dueAt: poll.dueAt, ...over }
  }
  const succeeded = (poll: Poll) => (cursor: string | null, scannedAt: number) => rowOf(poll, { cursor, scannedAt, failures: 0, reason: null })

  const pollHistory = async (poll: Poll, model: string): Promise<number> => {
    const { calls } = await backfill.recover(poll.ref, model, 'poll')
    await store.polls.put(succeeded(poll)(null, now()))
    return calls
  }

  const run = async (poll: Poll): Promise<void> => {
    const { ref, resource, model } = poll
    const state = await store.polls.get(ref.tenant, ref.connection, resource)
    try {
      budget.spend(ref, model === undefined ? await pollResource(poll, state, succeeded(poll)) : await pollHistory(poll, model))
    } catch (thrown) {
      const reason = isFailure(thrown) ? thrown.message : 'Polling failed because of a defect of ours.'
      log(isFailure(thrown) ? 'warn' : 'error', 'scan.failed', {
        connection: ref.connection,
        resource,
        reason: isFailure(thrown) ? thrown.code : describeDefect(thrown).message,
      })
      budget.spend(ref, 1)
      await store.polls.put(rowOf(poll, { cursor: state?.cursor ?? null, scannedAt: state?.scannedAt ?? null, failures: poll.failures + 1, reason }))
    } finally {
      poll.isTried = true
    }
  }

  return {
    put: polls.put,
    drop: polls.drop,
    hurry: polls.hurry,
    size: polls.size,
    /** Polls what is due, one after the other for each connection; resolves when all of it is done, but may be called again before. Gives how many. */
    async tick(): Promise<number> {
      let count = 0
      const pollAll = async (due: Poll[]) => {
        for (const poll of due) {
          if (!budget.allows(poll.ref)) return
          count += 1
          await run(poll)
        }
      }
      const begun = [...Map.groupBy(polls.due(now()), connectionOf)].flatMap(([connection, due]) => {
        if (polling.has(connection)) return []
        const mine = pollAll(due).finally(() => polling.delete(connection))
        polling.set(connection, mine)
        return [mine]
      })
      await Promise.all(begun)
      return count
    },
    fireTimers: createFireTimers({ store, now, index, admit }, polls),
  }
}
export type Polling = ReturnType<typeof createPolling>
