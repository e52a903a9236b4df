import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { describeDefect, fail, freesKey, isConflict, isUnavailable, isOutcomeUnknown, nextTurn, toFailureJson } from '#kit'
import type { Json, Outcome } from '#kit'
import type { Caller, Clock, Intent, Log, SealedSecrets, Store, Vault } from './ports/index.ts'
import { createOwedEnds } from './owed-ends.ts'
import { createSharedWork } from './shared-work.ts'
import { createPerTenant } from './admin/per-tenant.ts'
import type { KeyedQuota } from './admin/quotas.ts'

/** Long enough that the retries of a caller over a day find what happened. */
const storedMs = 26 * 3_600_000
/** An identical create without a key is refused for this long after an unknown outcome. */
const suspectMs = 10 * 60_000
/** Of one tenant. */
const maxSuspects = 10_000

/** Between two looks at a key that another process is at: at first, and at most. */
const lookMs = { first: 20, most: 500 }
/** In characters. */
const largeFrom = 512 * 1024

/** What a run does with its key while it goes on. */
export type Keyed = { sending(): Promise<void> }

/** What a key is bound to. */
export type KeyedRequest = {
  /** Of everything that distinguishes it from other requests, its connection included. */
  hash: string
  /**
   * Rows stored before the connection was part of the hash expire 26 hours after the update. Whether this one was stored for the same request and
   * the same connection; throws `conflict` where that is unknown.
   */
  isFormer(intent: Intent): Promise<boolean>
  /** Whether a run that was cut off may go on: what it did is not done again. */
  resumes?: boolean
}

export type Intents = {
  /**
   * Runs `work` at most once per key: the same key and request gives the stored outcome, another request is refused,
   * a run in flight is waited for. `work` must call `sending` before the first byte of a write may leave.
   */
  once(caller: Caller, key: string, request: KeyedRequest, runId: string, work: (keyed: Keyed) => Promise<Outcome>): Promise<Outcome>
  /** Refuses a create that is identical to one whose outcome is unknown. The hashes it may be known by are only made when there is one. */
  requireNotSuspect(caller: Caller, requestHashes: () => string[]): void
  noteUnknown(caller: Caller, requestHash: string): void
  /** Another process noted it. */
  noteSuspect(tenant: string, requestHash: string): void
  /** Writes what could not be written of keys of this process, so that no other process waits for them. */
  settleOwed(): Promise<void>
  /** Settles what a process that died left behind, one of these where several share the store: planned was not sent, sending is unknown. */
  settle(of?: string[]): Promise<{ notSent: number; unknown: number }>
}

/** JSON with sorted keys: two inputs that mean the same hash the same. */
const canonical = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  let text = ''
  if (Array.isArray(value)) {
    for (const item of value) text += text === '' ? canonical(item) : `,${canonical(item)}`
    return `[${text}]`
  }
  const row = value as Record<string, unknown>
  for (const name of Object.keys(row).sort()) {
    if (row[name] !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonical(row[name])}`
  }
  return `{${text}}`
}

export const hashRequest = (parts: unknown[]) => createHash('sha256').update(canonical(parts)).digest('hex')

const unknownOutcome = (runId: string): Outcome => ({
  ok: false,
  failure: toFailureJson(
    fail(
      'outcome_unknown',
      'The server stopped while this was being sent, so it may have happened. Look at the provider before you repeat it (with another key).',
    ),
  ),
  meta: { runId, durationMs: 0, attempts: 1 },
})

/** Throws for a row whose connection is unknown: replaying it could show data of another one, running again could do it twice. */
export const refuseUnclearKey = (): never => {
  throw fail(
    'conflict',
    'This Idempotency-Key was stored by an earlier version of this server, which did not note for which account. Look at the provider for what it did; nothing was sent now. Use a new key to run it (again).',
  )
}

/** Gives the size of the row in bytes. */
type Put = (state: Intent['state'], outcome?: Json, evictable?: boolean) => Promise<number>

type Parts = {
  store: Store
  /** Seals what providers answered. */ vault?: Pick<Vault, 'seal' | 'open'>
  clock: Clock
  log: Log
  quota?: KeyedQuota | undefined
}

/** The stored form of outcomes: what a provider answered may be anybody's data, so it is sealed like a secret. */
const outcomesIn = (vault: Parts['vault']) => {
  const toStored = async (tenant: string, key: string, outcome: Outcome): Promise<Json> => {
    if (!vault) return outcome as unknown as Json
    const text = JSON.stringify(outcome)
    const isLarge = text.length >= largeFrom
    if (isLarge) await nextTurn()
    const sealed = vault.seal({ tenant, owner: `outcome:${key}` }, { outcome: text })
    if (isLarge) await nextTurn()
    return { sealed }
  }
  const fromStored = ({ tenant, key, outcome }: Intent): Outcome => {
    const { sealed } = outcome as { sealed?: SealedSecrets }
    // An earlier version stored it as it was.
    if (sealed === undefined || !vault) return outcome as unknown as Outcome
    try {
      return JSON.parse(vault.open({ tenant, owner: `outcome:${key}` }, sealed)['outcome']!) as Outcome
    } catch (cause) {
      throw fail(
        'unavailable',
        'The stored outcome of this Idempotency-Key does not open with the master keys that are here. Nothing was sent now. Look at the provider for what was done.',
        { cause, retryable: false },
      )
    }
  }
  return { toStored, fromStored }
}

const usedForAnother = () => fail('conflict', 'This Idempotency-Key was used for another request or another account. Use a new key for a new request.')

/** How a key goes from one state to the next. */
const keyedRunsIn = ({
  store,
  toStored,
  clock,
  log,
  quota,
}: Pick<Parts, 'store' | 'clock' | 'log' | 'quota'> & Pick<ReturnType<typeof outcomesIn>, 'toStored'>) => {
  /** Runs of this process that are over, though the rows of their keys say that they go on. */
  const owed = createOwedEnds()
  /** The row may be there although this process was told that the store was away. */
  const oweNotSent = (tenant: string, key: string, runId: string) =>
    owed.add(runId, () => store.intents.update(tenant, key, 'not_sent', undefined, false, runId))

  /**
   * Writes the state of a key. `absent`: its row, where there is none yet: it is inserted with the first state that has to last, which saves a
   * write a commit of its own.
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
  const finish = async (tenant: string, key: string, outcome: Outcome, wasSent: boolean, runId?: string, put = rowOf(tenant, key, runId)) => {
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
    await quota?.stored(tenant, bytes).catch((error: unknown) => log('warn', 'intents.no_room_made', { tenant, ...describeDefect(error) }))
    return outcome
  }

  /** `runId`: where several processes share the store, the run that the row belongs to. `absent`: the row, where there is none yet. */
  const perform = async ({ tenant, key }: Intent, work: (keyed: Keyed) => Promise<Outcome>, runId: string | undefined, absent: Intent | undefined) => {
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
  const awaitOther = async (wanted: Intent, present: Intent): Promise<{ inserted: boolean; intent: Intent }> => {
    let intent = present
    for (let waitMs = lookMs.first; !isEnded(intent) && !owed.has(intent.runId); waitMs = Math.min(lookMs.most, waitMs * 1.5)) {
      await clock.sleep(waitMs)
      const again = await store.intents.plan(wanted)
      if (again.inserted) return again
      // The key was free for a moment.
      if (again.intent.requestHash !== present.requestHash) throw usedForAnother()
      intent = again.intent
    }
    return { inserted: false, intent }
  }

  /** Of several processes that find a key that was not sent, one runs it. */
  const take = async (intent: Intent, runId: string): Promise<boolean> => {
    if (intent.state !== 'not_sent') await store.intents.update(intent.tenant, intent.key, 'not_sent', undefined, false, intent.runId).catch(() => undefined)
    return store.intents.claim(intent, runId)
  }

  return { finish, perform, awaitOther, take, oweNotSent, settleOwed: owed.settle }
}

export const createIntents = ({ store, vault, clock, log, quota }: Parts): Intents => {
  const underWay = createSharedWork<Outcome>()
  /** Hashes of requests with an unknown outcome. Bounded by size, since a bound by number takes the room for all entries at once. */
  const suspects = createPerTenant(
    () => new LRUCache<string, true>({ maxSize: maxSuspects, sizeCalculation: () => 1, ttl: suspectMs, perf: { now: () => clock.monotonic() } }),
  )

  const { toStored, fromStored } = outcomesIn(vault)
  const { cluster } = store
  const { finish, perform, awaitOther, take, oweNotSent, settleOwed } = keyedRunsIn({ store, toStored, clock, log, quota })

  /** Where the store belongs to this process, nobody else comes with the key meanwhile, so its row is written later. */
  const look = async (wanted: Intent): Promise<{ inserted: boolean; intent: Intent; absent?: Intent }> => {
    if (cluster) return store.intents.plan(wanted)
    const present = await store.intents.get(wanted.tenant, wanted.key)
    return present && present.expiresAt > wanted.createdAt ? { inserted: false, intent: present } : { inserted: true, intent: wanted, absent: wanted }
  }

  const plan = async (wanted: Intent, request: KeyedRequest) => {
    const planned = await look(wanted)
    const { inserted, intent } = planned
    if (inserted) return planned
    const isSame = intent.requestHash === request.hash
    if (!isSame && !(await request.isFormer({ ...intent, outcome: intent.outcome === null ? null : (fromStored(intent) as unknown as Json) })))
      throw usedForAnother()
    return cluster ? { ...(await awaitOther(wanted, intent)), absent: undefined } : planned
  }

  /** Takes the key for a run, or finds how its run has ended; gives how it goes on. */
  const claim = async (wanted: Intent, request: KeyedRequest, work: (keyed: Keyed) => Promise<Outcome>): Promise<() => Promise<Outcome>> => {
    const { tenant, key, runId } = wanted
    const { inserted, intent, absent } = await plan(wanted, request)
    if (!inserted) {
      if (intent.state === 'done') {
        const stored = fromStored(intent)
        if (!request.resumes || !isCutOff(stored)) return async () => replayed(stored)
      }
      // In flight here would have been found before; so the process that was sending has ended.
      if (intent.state === 'sending' && !request.resumes) return () => finish(tenant, key, unknownOutcome(intent.runId), true)
      if (cluster && !(await take(intent, runId))) return claim(wanted, request, work)
    }
    try {
      await quota?.admit(tenant)
    } catch (refusal) {
      if (inserted && !absent) await store.intents.drop(tenant, key)
      else if (cluster) await store.intents.update(tenant, key, 'not_sent', undefined, false, runId)
      throw refusal
    }
    return () => perform(wanted, work, cluster && runId, absent)
  }

  const decide = async (caller: Caller, key: string, request: KeyedRequest, runId: string, work: (keyed: Keyed) => Promise<Outcome>): Promise<Outcome> => {
    const now = clock.now()
    const wanted: Intent = {
      tenant: caller.tenant,
      key,
      requestHash: request.hash,
      runId,
      state: 'planned',
      outcome: null,
      createdAt: now,
      expiresAt: now + storedMs,
    }
    const goOn = await claim(wanted, request, work).catch((thrown: unknown) => {
      if (cluster && isUnavailable(thrown)) oweNotSent(caller.tenant, key, runId)
      throw thrown
    })
    return goOn()
  }

  const verbs: Intents = {
    settleOwed,
    async once(caller, key, request, runId, work) {
      if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw fail('invalid_input', 'The Idempotency-Key is 1 to 255 visible ASCII characters without spaces.')
      const name = `${caller.tenant}\u0000${key}`
      const running = underWay.find(name)
      if (running) {
        await running.catch(() => undefined)
        // Asked again from the start: of several that waited, only one may go on.
        return verbs.once(caller, key, request, runId, work)
      }
      return underWay.start(name, () => decide(caller, key, request, runId, work))
    },
    requireNotSuspect(caller, requestHashes) {
      const noted = suspects.find(caller.tenant)
      if (noted === undefined || noted.size === 0 || !requestHashes().some((hash) => noted.has(hash))) return
      throw fail(
        'conflict',
        'The same request ended minutes ago with an unknown outcome, so repeating it could do it twice. Check at the provider; if it is not there, run again with "force".',
        { mayHaveHappened: true },
      )
    },
    noteUnknown({ tenant }, requestHash) {
      suspects.of(tenant).set(requestHash, true)
      cluster?.tell({ kind: 'suspect', tenant, id: requestHash }).catch((error: unknown) => log('warn', 'intents.not_told', describeDefect(error)))
    },
    noteSuspect: (tenant, requestHash) => void suspects.of(tenant).set(requestHash, true),
    async settle(of) {
      let [notSent, unknown] = [0, 0]
      for (const intent of await store.intents.open(of)) {
        if (intent.state === 'sending') {
          unknown += 1
          suspects.of(intent.tenant).set(intent.requestHash, true)
          await store.intents.update(intent.tenant, intent.key, 'done', await toStored(intent.tenant, intent.key, unknownOutcome(intent.runId)))
        } else {
          notSent += 1
          await store.intents.update(intent.tenant, intent.key, 'not_sent')
        }
      }
      if (notSent + unknown > 0) log('warn', 'intents.settled', { notSent, unknown })
      return { notSent, unknown }
    },
  }
  return verbs
}

/** Ended by the end of its process, as far as anybody knows. */
const isCutOff = (outcome: Outcome) => !outcome.ok && isOutcomeUnknown(outcome.failure)

const isEnded = ({ state }: Intent) => state === 'done' || state === 'not_sent'

const replayed = (outcome: Outcome): Outcome => ({ ...outcome, meta: { ...outcome.meta, cached: true } }) as Outcome
