import { describeDefect, fail, freesKey, isConflict, nextTurn } from '#kit'
import type { Json, Outcome } from '#kit'
import type { KeyedQuota } from './admin/quotas.ts'
import { createUnwrittenEnds } from './unwritten-ends.ts'
import type { Clock, Intent, Log, Store } from './ports/index.ts'
import { largeFrom, unknownOutcome } from './stored-outcomes.ts'
import type { outcomesIn } from './stored-outcomes.ts'

/** Interval between checks of a key that another process is working on, in ms: the first and the longest. */
const lookMs = { first: 20, most: 500 }
/** What a run reports about its key while it goes on. */
export type Keyed = { sending(): Promise<void> }

/** Writes the state of a key. Returns the size of the row in bytes. */
type WriteKeyState = (state: Intent['state'], outcome?: Json, evictable?: boolean) => Promise<number>

type KeyedRunDependencies = Pick<ReturnType<typeof outcomesIn>, 'toStored'> & {
  store: Store
  clock: Clock
  log: Log
  quota?: KeyedQuota | undefined
}

const isEnded = ({ state }: Intent) => state === 'done' || state === 'not_sent'

export const usedForAnother = () =>
  fail(
    'conflict',
    'This Idempotency-Key was used for another request or another account. Use a new key for a new request.',
  )

/** The transitions of a key from one state to the next. */
export const keyedRunsIn = ({ store, toStored, clock, log, quota }: KeyedRunDependencies) => {
  /** Runs of this process that are over although the rows of their keys still show them as running. */
  const owed = createUnwrittenEnds()
  /** The row may exist even if the store was reported as unavailable. */
  const oweNotSent = (tenant: string, key: string, runId: string) =>
    owed.add(runId, () => store.intents.update(tenant, key, 'not_sent', undefined, false, runId))

  /**
   * Writes the state of a key. `absent`: a row that does not exist yet. It is inserted with the first state that must
   * be durable, which saves a commit.
   */
  const rowOf = (tenant: string, key: string, runId?: string, absent?: Intent): WriteKeyState => {
    let toInsert = absent
    return async (state, outcome, evictable = false) => {
      if (!toInsert) return store.intents.update(tenant, key, state, outcome, evictable, runId)
      const bytes = await store.intents.insert({ ...toInsert, state, outcome: outcome ?? null }, evictable)
      toInsert = undefined
      return bytes
    }
  }

  /**
   * `wasSent`: something that changes data or costs credits may have been sent, so the outcome stays stored until it
   * expires.
   */
  const finish = async (
    tenant: string,
    key: string,
    outcome: Outcome,
    wasSent: boolean,
    runId?: string,
    put = rowOf(tenant, key, runId),
  ) => {
    const mayRepeat = !outcome.ok && freesKey(outcome.failure)
    const stored = mayRepeat ? undefined : await toStored(tenant, key, outcome)
    const bytes = await put(mayRepeat ? 'not_sent' : 'done', stored, !wasSent).catch((thrown: unknown) => {
      if (!isConflict(thrown)) throw thrown
      // Another process has taken this one for dead. The caller still receives the outcome.
      log('warn', 'intents.lost', { tenant, runId })
      return 0
    })
    if (bytes >= largeFrom) await nextTurn()
    // Making room may fail, but the run is done and its caller must receive the outcome.
    await quota
      ?.stored(tenant, bytes)
      .catch((error: unknown) => log('warn', 'intents.no_room_made', { tenant, ...describeDefect(error) }))
    return outcome
  }

  /**
   * `runId`: the run that owns the row, where several processes share the store. `absent`: a row that does not exist
   * yet.
   */
  const perform = async (
    { tenant, key }: Intent,
    work: (keyed: Keyed) => Promise<Outcome>,
    runId: string | undefined,
    absent: Intent | undefined,
  ) => {
    let marked = false
    let marking: Promise<void> | undefined
    const put = rowOf(tenant, key, runId, absent)
    const mark = async () => {
      await put('sending')
      marked = true
    }
    // The promise is kept even if it rejects: then nothing may be sent later either.
    const sending = () => (marking ??= mark())
    try {
      return await finish(tenant, key, await work({ sending }), marked, runId, put)
    } catch (thrown) {
      if (runId !== undefined) await giveUp(tenant, key, marked, runId)
      throw thrown
    }
  }

  /** A run that threw instead of returning an outcome must not keep other processes waiting. */
  const giveUp = async (tenant: string, key: string, wasSent: boolean, runId: string) => {
    if (wasSent) owed.add(runId, () => finish(tenant, key, unknownOutcome(runId), true, runId))
    else oweNotSent(tenant, key, runId)
    await owed.settle()
  }

  /** Waits until the process that is working on the key is done, or was found dead. */
  const awaitOther = async (newIntent: Intent, present: Intent): Promise<{ inserted: boolean; intent: Intent }> => {
    let intent = present
    for (
      let waitMs = lookMs.first;
      !isEnded(intent) && !owed.has(intent.runId);
      waitMs = Math.min(lookMs.most, waitMs * 1.5)
    ) {
      await clock.sleep(waitMs)
      const again = await store.intents.plan(newIntent)
      if (again.inserted) return again
      // The key was free for a moment, and another request took it.
      if (again.intent.requestHash !== present.requestHash) throw usedForAnother()
      intent = again.intent
    }
    return { inserted: false, intent }
  }

  /** Of several processes that find a key that was not sent, exactly one gets true and runs it. */
  const take = async (intent: Intent, runId: string): Promise<boolean> => {
    if (intent.state !== 'not_sent')
      await store.intents
        .update(intent.tenant, intent.key, 'not_sent', undefined, false, intent.runId)
        .catch(() => undefined)
    return store.intents.claim(intent, runId)
  }

  return { finish, perform, awaitOther, take, oweNotSent, settleOwed: owed.settle }
}
