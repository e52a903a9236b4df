import { createHash } from 'node:crypto'
import { describeDefect, fail, isUnavailable, isOutcomeUnknown } from '#kit'
import type { Json, Outcome } from '#kit'
import type { Caller, Clock, Intent, Log, Store, Vault } from './ports/index.ts'
import { createSharedWork } from './shared-work.ts'
import { keyedRunsIn, usedForAnother } from './keyed-runs.ts'
import type { Keyed } from './keyed-runs.ts'
import { outcomesIn, unknownOutcome } from './stored-outcomes.ts'
import { createSuspects } from './suspects.ts'
import type { KeyedQuota } from './admin/quotas.ts'

export type { Keyed } from './keyed-runs.ts'

/** Long enough that the retries of a caller over a day find what happened. */
const storedMs = 26 * 3_600_000
/** What a key is bound to. */
export type KeyedRequest = {
  /** Of everything that distinguishes it from other requests, its connection included. */
  hash: string
  /**
   * Rows stored before the connection was part of the hash expire 26 hours after the update. Whether this one was
   * stored for the same request and the same connection; throws `conflict` where that is unknown.
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
  once(
    caller: Caller,
    key: string,
    request: KeyedRequest,
    runId: string,
    work: (keyed: Keyed) => Promise<Outcome>,
  ): Promise<Outcome>
  /**
   * Refuses a create that is identical to one whose outcome is unknown. The hashes it may be known by are only made
   * when there is one.
   */
  requireNotSuspect(caller: Caller, requestHashes: () => string[]): void
  noteUnknown(caller: Caller, requestHash: string): void
  /** Another process noted it. */
  noteSuspect(tenant: string, requestHash: string): void
  /** Writes what could not be written of keys of this process, so that no other process waits for them. */
  settleOwed(): Promise<void>
  /**
   * Settles what a process that died left behind, one of these where several share the store: planned was not sent,
   * sending is unknown.
   */
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

/**
 * Throws for a row whose connection is unknown: replaying it could show data of another one, running again could do it
 * twice.
 */
export const refuseUnclearKey = (): never => {
  throw fail(
    'conflict',
    'This Idempotency-Key was stored by an earlier version of this server, which did not note for which account. Look at the provider for what it did; nothing was sent now. Use a new key to run it (again).',
  )
}

type IntentsDependencies = {
  store: Store
  /** Seals what providers answered. */ vault?: Pick<Vault, 'seal' | 'open'>
  clock: Clock
  log: Log
  quota?: KeyedQuota | undefined
}

const plannedIntent = (tenant: string, key: string, requestHash: string, runId: string, now: number): Intent => ({
  tenant,
  key,
  requestHash,
  runId,
  state: 'planned',
  outcome: null,
  createdAt: now,
  expiresAt: now + storedMs,
})

type Settling = Pick<IntentsDependencies, 'store' | 'log'> & {
  toStored: ReturnType<typeof outcomesIn>['toStored']
  suspects: ReturnType<typeof createSuspects>
}

const settleOpen = async ({ store, log, toStored, suspects }: Settling, of: string[] | undefined) => {
  let [notSent, unknown] = [0, 0]
  for (const intent of await store.intents.open(of)) {
    if (intent.state === 'sending') {
      unknown += 1
      suspects.note(intent.tenant, intent.requestHash)
      await store.intents.update(
        intent.tenant,
        intent.key,
        'done',
        await toStored(intent.tenant, intent.key, unknownOutcome(intent.runId)),
      )
    } else {
      notSent += 1
      await store.intents.update(intent.tenant, intent.key, 'not_sent')
    }
  }
  if (notSent + unknown > 0) log('warn', 'intents.settled', { notSent, unknown })
  return { notSent, unknown }
}

export const createIntents = ({ store, vault, clock, log, quota }: IntentsDependencies): Intents => {
  const underWay = createSharedWork<Outcome>()
  const suspects = createSuspects(clock)

  const { toStored, fromStored } = outcomesIn(vault)
  const { cluster } = store
  const { finish, perform, awaitOther, take, oweNotSent, settleOwed } = keyedRunsIn({
    store,
    toStored,
    clock,
    log,
    quota,
  })

  /** Where the store belongs to this process, nobody else comes with the key meanwhile, so its row is written later. */
  const look = async (newIntent: Intent): Promise<{ inserted: boolean; intent: Intent; absent?: Intent }> => {
    if (cluster) return store.intents.plan(newIntent)
    const present = await store.intents.get(newIntent.tenant, newIntent.key)
    return present && present.expiresAt > newIntent.createdAt
      ? { inserted: false, intent: present }
      : { inserted: true, intent: newIntent, absent: newIntent }
  }

  const plan = async (newIntent: Intent, request: KeyedRequest) => {
    const planned = await look(newIntent)
    const { inserted, intent } = planned
    if (inserted) return planned
    const isSame = intent.requestHash === request.hash
    if (
      !isSame &&
      !(await request.isFormer({
        ...intent,
        outcome: intent.outcome === null ? null : (fromStored(intent) as unknown as Json),
      }))
    )
      throw usedForAnother()
    return cluster ? { ...(await awaitOther(newIntent, intent)), absent: undefined } : planned
  }

  /** Takes the key for a run, or finds how its run has ended; gives how it goes on. */
  const claim = async (
    newIntent: Intent,
    request: KeyedRequest,
    work: (keyed: Keyed) => Promise<Outcome>,
  ): Promise<() => Promise<Outcome>> => {
    const { tenant, key, runId } = newIntent
    const { inserted, intent, absent } = await plan(newIntent, request)
    if (!inserted) {
      if (intent.state === 'done') {
        const stored = fromStored(intent)
        if (!request.resumes || !isCutOff(stored)) return async () => replayed(stored)
      }
      // In flight here would have been found before; so the process that was sending has ended.
      if (intent.state === 'sending' && !request.resumes)
        return () => finish(tenant, key, unknownOutcome(intent.runId), true)
      if (cluster && !(await take(intent, runId))) return claim(newIntent, request, work)
    }
    try {
      await quota?.admit(tenant)
    } catch (refusal) {
      if (inserted && !absent) await store.intents.drop(tenant, key)
      else if (cluster) await store.intents.update(tenant, key, 'not_sent', undefined, false, runId)
      throw refusal
    }
    return () => perform(newIntent, work, cluster && runId, absent)
  }

  const decide = async (
    caller: Caller,
    key: string,
    request: KeyedRequest,
    runId: string,
    work: (keyed: Keyed) => Promise<Outcome>,
  ): Promise<Outcome> => {
    const newIntent = plannedIntent(caller.tenant, key, request.hash, runId, clock.now())
    const goOn = await claim(newIntent, request, work).catch((thrown: unknown) => {
      if (cluster && isUnavailable(thrown)) oweNotSent(caller.tenant, key, runId)
      throw thrown
    })
    return goOn()
  }

  const verbs: Intents = {
    settleOwed,
    async once(caller, key, request, runId, work) {
      if (!/^[\x21-\x7e]{1,255}$/.test(key))
        throw fail('invalid_input', 'The Idempotency-Key is 1 to 255 visible ASCII characters without spaces.')
      const name = `${caller.tenant}\u0000${key}`
      const running = underWay.find(name)
      if (running) {
        await running.catch(() => undefined)
        // Asked again from the start: of several that waited, only one may go on.
        return verbs.once(caller, key, request, runId, work)
      }
      return underWay.start(name, () => decide(caller, key, request, runId, work))
    },
    requireNotSuspect: ({ tenant }, requestHashes) => suspects.requireNone(tenant, requestHashes),
    noteUnknown({ tenant }, requestHash) {
      suspects.note(tenant, requestHash)
      cluster
        ?.tell({ kind: 'suspect', tenant, id: requestHash })
        .catch((error: unknown) => log('warn', 'intents.not_told', describeDefect(error)))
    },
    noteSuspect: (tenant, requestHash) => suspects.note(tenant, requestHash),
    settle: (of) => settleOpen({ store, log, toStored, suspects }, of),
  }
  return verbs
}

/** Ended by the end of its process, as far as anybody knows. */
const isCutOff = (outcome: Outcome) => !outcome.ok && isOutcomeUnknown(outcome.failure)

const replayed = (outcome: Outcome): Outcome => ({ ...outcome, meta: { ...outcome.meta, cached: true } }) as Outcome
