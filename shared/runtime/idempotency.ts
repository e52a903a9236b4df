import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { describeDefect, fail, nextTurn, toFailureJson } from '#kit'
import type { Json, Outcome } from '#kit'
import type { Caller, Clock, Intent, Log, SealedSecrets, Store, Vault } from './ports/index.ts'
import { createPerTenant } from './admin/per-tenant.ts'
import type { KeyedQuota } from './admin/quotas.ts'

/** Long enough that the retries of a caller over a day find what happened. */
const storedMs = 26 * 3_600_000
/** An identical create without a key is refused for this long after an unknown outcome. */
const suspectMs = 10 * 60_000
/** Of one tenant. */
const maxSuspects = 10_000

/** In characters. */
const largeFrom = 512 * 1024

/** Failures after which the same key may try again, since nothing can have happened at the provider. */
const nothingHappened = new Set([
  'rate_limited',
  'unreachable',
  'cancelled',
  'unavailable',
  'not_connected',
  'wire_unset',
  'budget_exceeded',
  'not_allowed',
  'invalid_input',
])

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
  /** Settles what a process that died left behind: planned was not sent, sending is unknown. */
  settle(): Promise<{ notSent: number; unknown: number }>
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

type Parts = { store: Store; /** Seals what providers answered. */ vault?: Pick<Vault, 'seal' | 'open'>; clock: Clock; log: Log; quota?: KeyedQuota }

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

export const createIntents = ({ store, vault, clock, log, quota }: Parts): Intents => {
  const inFlight = new Map<string, Promise<Outcome>>()
  /** Hashes of requests with an unknown outcome. Bounded by size, since a bound by number takes the room for all entries at once. */
  const suspects = createPerTenant(
    () => new LRUCache<string, true>({ maxSize: maxSuspects, sizeCalculation: () => 1, ttl: suspectMs, perf: { now: () => clock.monotonic() } }),
  )

  const { toStored, fromStored } = outcomesIn(vault)

  /** `wasSent`: something that changes or costs something may have left, so the outcome stays until it expires. */
  const finish = async (tenant: string, key: string, outcome: Outcome, wasSent: boolean) => {
    const mayRepeat = !outcome.ok && nothingHappened.has(outcome.failure.code)
    const bytes = await store.intents.update(
      tenant,
      key,
      mayRepeat ? 'not_sent' : 'done',
      mayRepeat ? undefined : await toStored(tenant, key, outcome),
      !wasSent,
    )
    if (bytes >= largeFrom) await nextTurn()
    // Making room may fail; the run is done all the same, and its caller must learn that.
    await quota?.stored(tenant, bytes).catch((error: unknown) => log('warn', 'intents.no_room_made', { tenant, ...describeDefect(error) }))
    return outcome
  }

  const perform = async (caller: Caller, key: string, work: (keyed: Keyed) => Promise<Outcome>) => {
    let marked = false
    const outcome = await work({
      async sending() {
        if (marked) return
        marked = true
        await store.intents.update(caller.tenant, key, 'sending')
      },
    })
    return finish(caller.tenant, key, outcome, marked)
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
    const { inserted, intent } = await store.intents.plan(wanted)
    if (!inserted) {
      if (
        intent.requestHash !== request.hash &&
        !(await request.isFormer({ ...intent, outcome: intent.outcome === null ? null : (fromStored(intent) as unknown as Json) }))
      )
        throw fail('conflict', 'This Idempotency-Key was used for another request or another account. Use a new key for a new request.')
      if (intent.state === 'done') return replayed(fromStored(intent))
      // In flight here would have been found before; so the process that was sending has ended.
      if (intent.state === 'sending') return finish(caller.tenant, key, unknownOutcome(intent.runId), true)
    }
    try {
      await quota?.admit(caller.tenant)
    } catch (refusal) {
      if (inserted) await store.intents.drop(caller.tenant, key)
      throw refusal
    }
    return perform(caller, key, work)
  }

  const verbs: Intents = {
    async once(caller, key, request, runId, work) {
      if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw fail('invalid_input', 'The Idempotency-Key is 1 to 255 visible ASCII characters without spaces.')
      const name = `${caller.tenant}\u0000${key}`
      const running = inFlight.get(name)
      if (running) {
        await running.catch(() => undefined)
        // Asked again from the start: of several that waited, only one may go on.
        return verbs.once(caller, key, request, runId, work)
      }
      const run = decide(caller, key, request, runId, work).finally(() => inFlight.delete(name))
      inFlight.set(name, run)
      return run
    },
    requireNotSuspect(caller, requestHashes) {
      const noted = suspects.find(caller.tenant)
      if (noted === undefined || noted.size === 0 || !requestHashes().some((hash) => noted.has(hash))) return
      throw fail(
        'conflict',
        'The same request ended minutes ago with an unknown outcome, so repeating it could do it twice. Check at the provider; if it is not there, run again with "force".',
      )
    },
    noteUnknown(caller, requestHash) {
      suspects.of(caller.tenant).set(requestHash, true)
    },
    async settle() {
      let [notSent, unknown] = [0, 0]
      for (const intent of await store.intents.open()) {
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

const replayed = (outcome: Outcome): Outcome => ({ ...outcome, meta: { ...outcome.meta, cached: true } }) as Outcome
