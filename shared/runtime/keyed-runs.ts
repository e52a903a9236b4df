import { describeDefect, fail, freesKey, isConflict, nextTurn } from '#kit'
import type { Json, Outcome } from '#kit'
import type { KeyedQuota } from './admin/quotas.ts'
import { createOwedEnds } from './owed-ends.ts'
import type { Clock, Intent, Log, Store } from './ports/index.ts'
import { largeFrom, unknownOutcome } from './stored-outcomes.ts'
import type { outcomesIn } from './stored-outcomes.ts'

/** Between two looks at a key that another process is at: at first, and at most. */
const lookMs = { first: 20, most: 500 }
/** What a run does with its key while it goes on. */
export type Keyed = { sending(): Promise<void> }

/** Gives the size of the row in bytes. */
type Put = (state: Intent['state'], outcome?: Json, evictable?: boolean) => Promise<number>

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

/** How a key goes from one state to the next. */
export const keyedRunsIn = ({ store, toStored, clock, log, quota }: KeyedRunDependencies) => {
  /** Runs of this process that are over, though the rows of their keys say that they go on. */
  const owed = createOwedEnds()
  /** The row may be there although this process was told that the store was away. */
  const oweNotSent = (tenant: string, key: string, runId: string) =>
    owed.add(runId, () => store.intents.update(tenant, key, 'not_sent', undefined, false, runId))

  /**
   * Writes the state of a key. `absent`: its row, where there is none yet: it is inserted with the first state that has
   * to last, which saves a write a commit of its own.
   */
  const rowOf = (tenant: string, key: string, runId?: string, absent?: Intent): Put => {
    let toInsert = absent
    return async (state, outcome, evictable = false) => {
      if (!toInsert) return store.intents.update(tenant, key, state, outcome, evictable, runId)
      const bytes = await store.intents.insert({ ...toInsert, state, outcome: outcome ?? null }, evictable)
      toInsert = undefined
      return bytes
    }
  }

  /** `wasSent`: something that changes or costs something may have left, so the outcome stays until it expires. */
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
      // This process was taken for dead. Its caller learns what happened all the same.
      log('warn', 'intents.lost', { tenant, runId })
      return 0
    })
    if (bytes >= largeFrom) await nextTurn()
    // Making room may fail; the run is done all the same, and its caller must learn that.
    await quota
      ?.stored(tenant, bytes)
      .catch((error: unknown) => log('warn', 'intents.no_room_made', { tenant, ...describeDefect(error) }))
    return outcome
  }

  /**
   * `runId`: where several processes share the store, the run that the row belongs to. `absent`: the row, where there
   * is none yet.
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
    // Where it fails, nothing may be sent later either.
    const sending = () => (marking ??= mark())
    try {
      return await finish(tenant, key, await work({ sending }), marked, runId, put)
    } catch (thrown) {
      if (runId !== undefined) await giveUp(tenant, key, marked, runId)
      throw thrown
    }
  }

  /** What ended otherwise than with an outcome must not keep the other processes waiting. */
  const giveUp = async (tenant: string, key: string, wasSent: boolean, runId: string) => {
    if (wasSent) owed.add(runId, () => finish(tenant, key, unknownOutcome(runId), true, runId))
    else oweNotSent(tenant, key, runId)
    await owed.settle()
  }

  /** Until whichever process is at it has ended, or was found to have ended. */
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
      // The key was free for a moment.
      if (again.intent.requestHash !== present.requestHash) throw usedForAnother()
      intent = again.intent
    }
    return { inserted: false, intent }
  }

  /** Of several processes that find a key that was not sent, one runs it. */
  const take = async (intent: Intent, runId: string): Promise<boolean> => {
    if (intent.state !== 'not_sent')
      await store.intents
        .update(intent.tenant, intent.key, 'not_sent', undefined, false, intent.runId)
        .catch(() => undefined)
    return store.intents.claim(intent, runId)
  }

  return { finish, perform, awaitOther, take, oweNotSent, settleOwed: owed.settle }
}
