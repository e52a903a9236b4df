import { fail, isFailure, toFailureJson } from '#kit'
import type { LookupResult } from '#kit'
import type { Answered, Session, SessionLookups } from '../session/session.ts'
import type { Cache, IdentifiedLookup } from './cache.ts'
import type { Claims } from './claims.ts'
import { endOf } from './lookups-under-way.ts'
import type { LookupUnderWay, LookupsUnderWay, SharedLookupResult } from './lookups-under-way.ts'

const asThrown = ({
  failed: { code, message, retryable, retryAfterMs, providerStatus, providerMessage, errors },
}: Extract<LookupResult, { failed: unknown }>) =>
  fail(code, message, { retryable, retryAfterMs, providerStatus, providerMessage, errors })

/** For others that wait for this lookup but try every set of identifiers: they send it themselves. */
const untried = () => fail('cancelled', 'Not all identifiers were tried.')

type Many = {
  session: Session
  cache: Cache
  claims: Claims
  lookupsUnderWay: LookupsUnderWay
  all: IdentifiedLookup[]
  onlyStrongest: string | undefined
  noteHit(session: Session, ageMs: number): void
  noteStored(session: Session, isStored: boolean): void
  send: Parameters<SessionLookups['many']>[4]
}

type Results = (LookupResult | undefined)[]
/** The positions that this run sends itself. */
type Own = Map<number, PromiseWithResolvers<SharedLookupResult>>

/** Answers positions from earlier results; the others stay in `own`. */
const takeCachedResults = async (
  { session, cache, all, onlyStrongest, noteHit }: Many,
  results: Results,
  own: Own,
): Promise<void> => {
  const open = [...own.keys()]
  const accepted = session.freshness ?? {}
  const hits = await cache.find(
    session.opened.connection.tenant,
    open.map((place) => all[place]!),
    accepted,
    onlyStrongest !== undefined,
  )
  open.forEach((place, at) => {
    const hit = hits[at]
    if (!hit) return
    noteHit(session, hit.ageMs)
    const isPartial = hit.onlyStrongest && onlyStrongest !== undefined
    results[place] = isPartial ? { matched: false, reason: onlyStrongest } : hit.result
    if (isPartial) own.get(place)!.reject(untried())
    else own.get(place)!.resolve({ result: hit.result, earlier: { ageMs: hit.ageMs, accepted } })
    own.delete(place)
  })
}

/**
 * Sends the positions that nobody else is sending. Each answer is durable, and passed to those waiting for it, before
 * the remaining ones are sent.
 */
const sendOwn = async (
  { session, cache, all, onlyStrongest, noteStored, send }: Many,
  results: Results,
  own: Own,
): Promise<void> => {
  if (own.size === 0) return
  const places = [...own.keys()]
  const answered = async (answers: Answered[]) => {
    noteStored(
      session,
      await cache.put(
        answers.map(({ record, result, onlyStrongest }) => ({ lookup: all[record]!, result, onlyStrongest })),
      ),
    )
    for (const { record, result, onlyStrongest } of answers) if (!onlyStrongest) own.get(record)?.resolve({ result })
  }
  const sentResults = await send(places, answered)
  places.forEach((place, at) => {
    const result = sentResults[at]!
    results[place] = result
    if ('failed' in result) own.get(place)!.reject(endOf(asThrown(result), all[place]!.isPending))
    else if (!result.matched && result.reason !== undefined && result.reason === onlyStrongest)
      own.get(place)!.reject(untried())
    else own.get(place)!.resolve({ result })
  })
}

/** Sends what no other process has claimed, then waits for what the others find. */
const sendClaimed = async (many: Many, results: Results, own: Own): Promise<void> => {
  const { all, claims, session } = many
  if (!claims.isShared) return sendOwn(many, results, own)
  const elsewhere: Own = new Map(own)
  for (;;) {
    const taken = await Promise.all(
      [...elsewhere.keys()].map(
        async (place) => [place, await claims.take(all[place]!.tenant, all[place]!.keys, session)] as const,
      ),
    )
    const ours = taken.filter(([, claim]) => claim !== undefined)
    try {
      const mine: Own = new Map(ours.map(([place]) => [place, elsewhere.get(place)!]))
      for (const place of mine.keys()) elsewhere.delete(place)
      // Finds what another process stored before it released its claim.
      await takeCachedResults(many, results, mine)
      await sendOwn(many, results, mine)
    } finally {
      // Claims also expire by themselves, so a failed release must not discard the results.
      await Promise.allSettled(ours.map(([, claim]) => claim!.release()))
    }
    if (elsewhere.size === 0) return
    await claims.pause(session)
    await takeCachedResults(many, results, elsewhere)
  }
}

/** Waits for lookups of other runs, or of other records of this one; returns the positions that they do not answer. */
const awaitOtherRuns = async (
  { session, lookupsUnderWay, all, noteHit }: Many,
  results: Results,
  otherLookups: Map<number, LookupUnderWay>,
): Promise<number[]> => {
  const left: number[] = []
  for (const [place, lookupUnderWay] of otherLookups) {
    try {
      const sharedResult = await lookupsUnderWay.follow(lookupUnderWay, all[place]!.keys, session)
      if (sharedResult) {
        noteHit(session, sharedResult.ageMs)
        results[place] = sharedResult.result
      } else left.push(place)
    } catch (thrown) {
      if (!isFailure(thrown) || session.signal?.aborted) throw thrown
      results[place] = { failed: toFailureJson(thrown) }
    }
  }
  return left
}

/** The lookups of one run, each answered by an earlier result, by an equal lookup in progress, or by sending it. */
export const answerMany = async (many: Many): Promise<LookupResult[]> => {
  const { all, lookupsUnderWay, session } = many
  const before = session.used.calls
  const results: Results = all.map(() => undefined)
  let open = all.map((_, place) => place)
  while (open.length > 0) {
    const own: Own = new Map()
    const otherLookups = new Map<number, LookupUnderWay>()
    const landings: (() => void)[] = []
    for (const place of open) {
      const { tenant, keys } = all[place]!
      const lookupUnderWay = lookupsUnderWay.find(tenant, keys)
      if (lookupUnderWay) {
        otherLookups.set(place, lookupUnderWay)
        continue
      }
      const settle = Promise.withResolvers<SharedLookupResult>()
      own.set(place, settle)
      landings.push(lookupsUnderWay.add(tenant, keys, settle.promise))
    }
    try {
      // Read while the lookups are registered as in progress, so that one that ends in between is not paid for twice.
      await takeCachedResults(many, results, own)
      await sendClaimed(many, results, own)
    } catch (thrown) {
      const mayBePaid = session.used.calls > before
      for (const [place, { reject }] of own) reject(endOf(thrown, mayBePaid && all[place]!.isPending))
      throw thrown
    } finally {
      for (const land of landings) land()
    }
    open = await awaitOtherRuns(many, results, otherLookups)
  }
  return results as LookupResult[]
}
