import { hash } from 'node:crypto'
import { describeDefect, fail, failField, isUnavailable, isOutcomeUnknown } from '#kit'
import type { Json, Outcome } from '#kit'
import type { Caller, Clock, Intent, Log, Store, Vault } from './ports/index.ts'
import { createSharedWork } from './shared-work.ts'
import { keyedRunsIn, usedForAnother } from './keyed-runs.ts'
import type { Keyed } from './keyed-runs.ts'
import { outcomesIn, unknownOutcome } from './stored-outcomes.ts'
import { createUnknownOutcomes } from './unknown-outcomes.ts'
import type { KeyedQuota } from './admin/quotas.ts'

export type { Keyed } from './keyed-runs.ts'

/** Long enough for a caller that retries over a whole day to get the stored outcome. */
const storedMs = 26 * 3_600_000
/** The request that an idempotency key belongs to. */
export type KeyedRequest = {
  /** Hash of everything that distinguishes this request from others, including its connection. */
  hash: string
  /**
   * Rows stored before the connection was part of the hash expire 26 hours after the update. Tells whether such a row
   * was stored for the same request and connection; throws `conflict` when that is unknown.
   */
  isFormer(intent: Intent): Promise<boolean>
  /** Whether a run that was cut off may be continued, without repeating what it has already done. */
  resumes?: boolean
}

export type Intents = {
  /**
   * Runs `work` at most once per key. The same key and request returns the stored outcome, or waits for a run in
   * flight; another request is refused. `work` must call `sending` before the first byte of a write may leave.
   */
  once(
    caller: Caller,
    key: string,
    request: KeyedRequest,
    runId: string,
    work: (keyed: Keyed) => Promise<Outcome>,
  ): Promise<Outcome>
  /** Returns the keys under which a run sent something or stored its outcome, in the order in which the runs began. */
  startedKeys(caller: Caller, keys: readonly string[]): Promise<string[]>
  /**
   * Refuses a create that is identical to one whose outcome is unknown. `requestHashes`, the hashes the request may be
   * recorded under, is called only when there is a suspect.
   */
  requireNotSuspect(caller: Caller, requestHashes: () => string[]): void
  noteUnknown(caller: Caller, requestHash: string): void
  /** Records a suspect that another process reported. */
  noteSuspect(tenant: string, requestHash: string): void
  /** Retries writes that failed for keys of this process, so that no other process waits for them. */
  settleOwed(): Promise<void>
  /**
   * Settles keys left open by processes that died; `of`: only these nodes, where several share the store. Planned runs
   * count as not sent, runs being sent as unknown.
   */
  settle(of?: string[]): Promise<{ notSent: number; unknown: number }>
}

/** @throws Failure `invalid_input` for a text that is no idempotency key */
export const requireKeyFormat = (key: string): void => {
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw failField('/headers/idempotency-key', 'An Idempotency-Key has 1 to 255 visible ASCII characters, no spaces.')
}

/** JSON with sorted property names, so that equal inputs have equal hashes. */
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

export const hashRequest = (parts: unknown[]) => hash('sha256', canonical(parts))

/**
 * Throws for a row whose connection is unknown: replaying it could show another connection's data, and running it again
 * could repeat it.
 */
export const refuseUnclearKey = (): never => {
  throw fail(
    'conflict',
    'This Idempotency-Key was stored by an earlier version of this server, which did not note for which account. Look at the provider for what it did; nothing was sent now. Use a new key to run it (again).',
  )
}

type IntentsDependencies = {
  store: Store
  /** Seals stored outcomes. */ vault?: Pick<Vault, 'seal' | 'open'>
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
  suspects: ReturnType<typeof createUnknownOutcomes>
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

/** Each person has keys of their own, so that nobody receives the outcome of another's run. */
const keyForPerson = ({ person }: Caller, key: string): string =>
  person === undefined ? key : `${key} ${hashRequest([{ person }])}`

export const createIntents = ({ store, vault, clock, log, quota }: IntentsDependencies): Intents => {
  const underWay = createSharedWork<Outcome>()
  const suspects = createUnknownOutcomes(clock)

  const { toStored, fromStored } = outcomesIn(vault)
  const { cluster } = store
  const { finish, perform, awaitOther, take, oweNotSent, settleOwed } = keyedRunsIn({
    store,
    toStored,
    clock,
    log,
    quota,
  })

  /** Where the store belongs to this process, nobody else can use the key meanwhile, so its row is written later. */
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

  /** Takes the key for a run, or finds out how its run ended. Returns how to continue. */
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
      // A run in flight in this process would have been found earlier, so the process that was sending has ended.
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
    async once(caller, sentKey, request, runId, work) {
      requireKeyFormat(sentKey)
      const key = keyForPerson(caller, sentKey)
      const name = `${caller.tenant}\u0000${key}`
      const running = underWay.find(name)
      if (running) {
        await running.catch(() => undefined)
        // Starts over, because of several waiting callers only one may run.
        return verbs.once(caller, sentKey, request, runId, work)
      }
      return underWay.start(name, () => decide(caller, key, request, runId, work))
    },
    async startedKeys(caller, keys) {
      const rows = await Promise.all(
        keys.map(async (key) => ({ key, intent: await store.intents.get(caller.tenant, keyForPerson(caller, key)) })),
      )
      return rows
        .flatMap(({ key, intent }) => (intent && hasBegun(intent, clock.now()) ? [{ key, intent }] : []))
        .toSorted((left, right) => compareStart(left.intent, right.intent))
        .map(({ key }) => key)
    },
    requireNotSuspect: suspects.requireNone,
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

const hasBegun = ({ state, expiresAt }: Intent, now: number) =>
  (state === 'sending' || state === 'done') && expiresAt > now
/** Ids of runs grow with time, also within a millisecond. */
const compareStart = (left: Intent, right: Intent) =>
  left.createdAt - right.createdAt || (left.runId < right.runId ? -1 : 1)

/** Whether the outcome is unknown because the process ended during the run. */
const isCutOff = (outcome: Outcome) => !outcome.ok && isOutcomeUnknown(outcome.failure)

const replayed = (outcome: Outcome): Outcome => ({ ...outcome, meta: { ...outcome.meta, cached: true } }) as Outcome
