import { createHash } from 'node:crypto'
import type { EndpointProfile, Lookup } from '#kit'
import type { TenantKey, TenantKeys } from '../admin/tenant-keys.ts'
import type { Clock, Log, Store } from '../ports/index.ts'
import type { Session, SessionLookups } from '../session/session.ts'
import { createCache, lookupDefaults } from './cache.ts'
import type { IdentifiedLookup, LookupSettings } from './cache.ts'
import { createClaims } from './claims.ts'
import { createLookupsUnderWay, endOf } from './lookups-under-way.ts'
import type { SharedLookupResult } from './lookups-under-way.ts'
import { keysOf } from './identity.ts'
import type { Values } from './identity.ts'
import { answerMany } from './many.ts'
import { createTurns } from './turns.ts'

type LookupsDependencies = {
  store: Pick<Store, 'lookups' | 'cluster'>
  tenantKeys: TenantKeys
  clock: Clock
  log: Log
  settings?: Partial<LookupSettings> | undefined
}

const forms = new WeakMap<EndpointProfile, string>()
const formOf = (endpoint: EndpointProfile): string => {
  let form = forms.get(endpoint)
  if (form === undefined)
    forms.set(endpoint, (form = createHash('sha256').update(JSON.stringify(endpoint)).digest('base64url')))
  return form
}

const knownBy = (
  key: TenantKey,
  { loaded: { loaded }, opened: { connection } }: Session,
  endpoint: string,
  sets: Values[],
  along: readonly string[],
): IdentifiedLookup => {
  const { wire, integration } = loaded
  const asking = wire.endpoints![endpoint]!
  const { kind = '', identifiers } = asking
  const query = {
    connection: connection.id,
    profile: wire.profile,
    endpoint,
    kind,
    sets,
    along,
    isTogether: identifiers === 'all',
    form: formOf(asking),
  }
  return {
    tenant: connection.tenant,
    integration: integration.id,
    key,
    query,
    keys: keysOf(key, query),
    isPending: asking.pending !== undefined,
    isFreeAgain: asking.repeats === 'free',
    freshMs: asking.freshMs,
  }
}

/** Notes in the run's meta data that a result came from an earlier lookup. */
const noteHit = ({ notes }: Session, ageMs: number) => {
  notes.cachedResults = (notes.cachedResults ?? 0) + 1
  notes.cachedAgeSeconds = Math.max(notes.cachedAgeSeconds ?? 0, Math.floor(ageMs / 1000))
}

const notStored =
  'This server could not store what was found, so the same lookup will be sent, and perhaps paid, again.'
const noteStored = ({ notes }: Session, isStored: boolean) => {
  if (!isStored && !notes.warnings?.includes(notStored)) notes.warnings = [...(notes.warnings ?? []), notStored]
}

/**
 * Lookups that are never paid for twice: answered from fresh earlier results, from an equal lookup in progress, or
 * sent.
 */
export const createLookups = ({ store, tenantKeys, clock, log, settings }: LookupsDependencies): SessionLookups => {
  const cache = createCache({ store, clock, log, settings: { ...lookupDefaults, ...settings } })
  const lookupsUnderWay = createLookupsUnderWay(clock)
  const claims = createClaims(store.cluster, clock)
  const turns = createTurns(store.cluster, clock)

  /** Whether a stored match, though too old for this run, was charged to the same account. */
  const wasPaid = async (lookup: IdentifiedLookup): Promise<boolean> =>
    (await cache.find(lookup.tenant, [lookup], {}))[0]?.result.matched === true

  /**
   * Uses an earlier result; otherwise sends the lookup, and stores its result before anybody gets it, so that a crash
   * does not make it cost twice. The lookup is registered before earlier results are read: otherwise one that ends in
   * between would be missed both times, and paid for twice.
   */
  const fly = async (session: Session, lookup: IdentifiedLookup, send: () => Promise<Lookup>): Promise<Lookup> => {
    const { promise, resolve, reject } = Promise.withResolvers<SharedLookupResult>()
    const land = lookupsUnderWay.add(lookup.tenant, lookup.keys, promise)
    const accepted = session.freshness ?? {}
    const before = session.used.calls
    const { endpoint, connection } = lookup.query
    let claim: Awaited<ReturnType<typeof claims.take>>
    let leave: (() => Promise<void>) | undefined
    try {
      for (;;) {
        const [hit] = await cache.find(lookup.tenant, [lookup], accepted)
        if (hit) {
          noteHit(session, hit.ageMs)
          if (hit.charged !== undefined) session.notes.cachedCharge = (session.notes.cachedCharge ?? 0) + hit.charged
          resolve({ result: hit.result, earlier: { ageMs: hit.ageMs, accepted } })
          return hit.result
        }
        // The second read finds what another process stored before it released its claim.
        if (!claims.isShared || claim) break
        if (session.merging?.isMerged(session, endpoint)) leave ??= await turns.enter(`${connection} ${endpoint}`)
        claim = await claims.take(lookup.tenant, lookup.keys, session)
        if (claim) continue
        await leave?.()
        leave = async () => {}
        await claims.pause(session)
      }
      const spent = session.used.credits
      session.used.repeats = lookup.isFreeAgain && (await wasPaid(lookup))
      const result = await send()
      noteStored(session, await cache.put([{ lookup: lookup, result, charged: session.used.credits - spent }]))
      resolve({ result })
      return result
    } catch (thrown) {
      reject(endOf(thrown, lookup.isPending && session.used.calls > before))
      throw thrown
    } finally {
      land()
      // Claim and turn also expire by themselves, so a failed release must not discard the result.
      await claim?.release().catch(() => undefined)
      await leave?.().catch(() => undefined)
    }
  }

  return {
    async lookUpOne(session, endpoint, sets, along, send) {
      const lookup = knownBy(await tenantKeys.of(session.opened.connection.tenant), session, endpoint, sets, along)
      for (;;) {
        const lookupUnderWay = lookupsUnderWay.find(lookup.tenant, lookup.keys)
        if (!lookupUnderWay) return fly(session, lookup, send)
        const sharedResult = await lookupsUnderWay.follow(lookupUnderWay, lookup.keys, session)
        if (sharedResult) {
          noteHit(session, sharedResult.ageMs)
          return sharedResult.result
        }
      }
    },
    async many(session, endpoint, records, { along, onlyStrongest }, send) {
      const key = await tenantKeys.of(session.opened.connection.tenant)
      const all = records.map((sets) => knownBy(key, session, endpoint, sets, along))
      return answerMany({ session, cache, claims, lookupsUnderWay, all, onlyStrongest, noteHit, noteStored, send })
    },
  }
}
