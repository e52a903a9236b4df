import { fail, isOverBudget, isRefusedForRecord } from '#kit'
import type { EndpointProfile, Lookup, LookupResult } from '#kit'
import type { Reply } from '../../wire/types.ts'
import type { FoundFor } from '../catalogue/price.ts'
import { noSpend } from '../gate/spend.ts'
import type { Certainty } from '../gate/spend.ts'
import type { Clock } from '../ports/index.ts'
import { exchangeWith, notUnderstood, requireAnswer } from './answers.ts'
import { answersOf, bulkRequest } from './bulk-request.ts'
import type { Bulk, Item } from './bulk-request.ts'
import { foundFor, readAnswer } from './bulk-answers.ts'
import { isItem, prepare } from './bulk-items.ts'
import { counted, countCredits } from '../gate/charge.ts'
import { endpointOf } from './endpoint-request.ts'
import { providerValues } from './endpoints.ts'
import type { Values } from './field-values.ts'
import { createGather } from './gather.ts'
import type { MemberOutcome } from './gather.ts'
import { bulkKey } from './proven-endpoints.ts'
import type { Session, SessionMerging } from '../session/session.ts'

type Member = { session: Session; name: string; bulk: Bulk; item: Item; along: readonly string[] }
/** Undefined: the lookup must be sent alone. */
type SharedLookup = Lookup | undefined
type MergeDependencies = { clock: Clock; isOn: boolean }

/**
 * Lookups closer to their deadline than this are sent alone: a shared request has the earliest deadline of its members.
 */
const leastLeftMs = 5000

/** The bulk form of an endpoint, where a single lookup may be sent with others. */
const bulkFor = ({ clock, isOn }: MergeDependencies, session: Session, name: string): Bulk | undefined => {
  const { bulk } = endpointOf(session.loaded.loaded, name)
  if (!bulk || bulk.path === null || bulk.max === null || bulk.max < 2 || !session.cost) return undefined
  if (session.noWait || session.policy || session.used.repeats || session.deadlineAt - clock.monotonic() < leastLeftMs)
    return undefined
  const isWanted = session.merge ?? (isOn && bulk.charge === 'match')
  return isWanted ? bulk : undefined
}

/** A signal that is aborted once all members are. */
const signalOfAll = (members: Member[], signal: AbortSignal) => {
  const all = new AbortController()
  const check = () => {
    if (members.every(({ session }) => session.signal?.aborted)) all.abort()
  }
  for (const { session } of members) session.signal?.addEventListener('abort', check, { signal })
  check()
  return all.signal
}

/**
 * Sends one bulk request for all members. Before its first byte, the row and the reservation of each member are
 * durable. Members for which that fails, or that are cancelled by then, are put in `left`, and nothing is sent.
 */
const sendTogether = async (members: Member[], left: Map<Member, unknown>): Promise<LookupResult[]> => {
  const [{ session: first, name, bulk }] = members as [Member]
  const ended = new AbortController()
  const onSending = async () => {
    await Promise.all(
      members.map(async (member) => {
        try {
          if (member.session.signal?.aborted)
            throw fail('cancelled', 'The call was cancelled before anything was sent for it.')
          await member.session.onSending?.()
        } catch (thrown) {
          left.set(member, thrown)
        }
      }),
    )
    if (left.size > 0) throw fail('cancelled', 'Not all that were to be sent together can be.')
  }
  const carrier: Session = {
    ...first,
    signal: signalOfAll(members, ended.signal),
    deadlineAt: Math.min(...members.map(({ session }) => session.deadlineAt)),
    progress: undefined,
    spend: noSpend,
    onSending,
    used: { ...first.used, attempts: 0, waitedMs: 0, refused: 0, tried: [], calls: 0 },
    audit: { exchanged: (done) => members.forEach(({ session }) => session.audit?.exchanged(done)) },
  }
  const items = members.map(({ item }) => item)
  const key = bulkKey(name)
  try {
    const reply = await exchangeWith(carrier, key, {
      ...bulkRequest(first.loaded.loaded, name, bulk, items),
      isQuoted: true,
    })
    await requireAnswer(carrier, key, { method: bulk.method ?? 'POST' }, reply)
    const answers = answersOf(bulk, reply, items)
    if (!answers) {
      const why = `The provider answered a bulk request of ${items.length} records with something else than ${items.length} answers, so they cannot be assigned to records.`
      throw notUnderstood(carrier, key, why, `endpoints.${key}.answers`, reply.body)
    }
    const results = members.map(({ session, along, item }, at) =>
      readAnswer({ session, name, along }, bulk, reply, answers[at], item.sets),
    )
    charge(members, bulk, reply, answers, results)
    return results
  } finally {
    ended.abort()
    noteUse(members, carrier)
  }
}

/**
 * Notes the use of the request with each member; attempts and exchanges are counted only with the first, so that one
 * request counts once.
 */
const noteUse = (members: Member[], { used }: Session) => {
  members.forEach(({ session }, at) => {
    session.used.calls += used.calls
    if (at === 0) {
      session.used.attempts += used.attempts
      session.used.refused += used.refused
      session.used.tried.push(...used.tried)
    }
    session.used.waitedMs += used.waitedMs
    session.used.lastStatus = used.lastStatus
    session.used.proven ||= used.proven
    if (used.attempts > 0) session.notes.merged = members.length
  })
}

/** Divides a sum by weights into parts that add up to it; whole numbers if the sum is whole. */
export const divide = (sum: number, weights: number[]): number[] => {
  const all = weights.reduce((total, weight) => total + weight, 0)
  const shares = all > 0 ? weights.map((weight) => weight / all) : weights.map(() => 1 / weights.length)
  const round = Number.isInteger(sum) ? Math.round : (credits: number) => Math.round(credits * 1e6) / 1e6
  let [upTo, distributedCredits] = [0, 0]
  return shares.map((share, at) => {
    upTo += share
    const until = at === shares.length - 1 ? sum : round(sum * upTo)
    const part = round(until - distributedCredits)
    distributedCredits = until
    return part
  })
}

type RecordCharge = { credits: number; certainty: Certainty }

/** What a reply charges for some of its records. */
const countedFor = (
  session: Session,
  bulk: Bulk,
  endpoint: EndpointProfile,
  reply: Reply,
  records: { answer: unknown; foundRecord: FoundFor | undefined }[],
) => {
  const total: RecordCharge = { credits: 0, certainty: 'exact' }
  const spend = {
    ...noSpend,
    count: (credits: number, certainty: Certainty) => Object.assign(total, { credits, certainty }),
  }
  const foundRecords = records.flatMap((entry) => entry.foundRecord ?? [])
  countCredits({ ...session, spend, used: { ...session.used } }, endpoint, reply, {
    usage: { calls: 1, recordCount: records.length, foundRecords },
    charged: bulk.charge === 'record' ? records.length : foundRecords.length,
    answers: records,
  })
  return total
}

/**
 * Divides what the whole request was charged in proportion to what each record would have cost alone: a price may be
 * per so many records or part thereof.
 */
const charge = (members: Member[], bulk: Bulk, reply: Reply, answers: unknown[], results: LookupResult[]) => {
  const [{ session: first, name }] = members as [Member]
  const endpoint = endpointOf(first.loaded.loaded, name)
  const records = results.map((result, at) => ({
    answer: answers[at],
    foundRecord: foundFor(members[at]!.item.values, result),
  }))
  const { credits: total, certainty } = countedFor(first, bulk, endpoint, reply, records)
  const { credits: _, ...priced } = endpoint
  const { credits: __, ...bulkPriced } = bulk
  const signal = bulk.credits ?? endpoint.credits
  // A total reported by the provider says nothing about a single record.
  const byRecord = signal && !('flag' in signal) ? { ...priced, bulk: bulkPriced } : endpoint
  const weights = members.map(({ session }, at) => countedFor(session, bulk, byRecord, reply, [records[at]!]).credits)
  divide(total, weights).forEach((credits, at) => {
    if (credits === 0) return
    const { session } = members[at]!
    session.used.credits += credits
    session.used.estimated ||= certainty !== 'exact'
    session.spend.count(credits, certainty)
  })
}

const asSettled = (result: LookupResult): MemberOutcome<SharedLookup> => {
  if (!('failed' in result)) return { value: result }
  const { code, message, retryable, retryAfterMs, providerStatus, providerMessage, errors } = result.failed
  return { thrown: fail(code, message, { retryable, retryAfterMs, providerStatus, providerMessage, errors }) }
}

/**
 * A member without budget for a place in the request, which has not asked for one, may still afford a request of its
 * own.
 */
const refusedFor = ({ session, bulk }: Member, why: unknown): MemberOutcome<SharedLookup> => {
  if (bulk.price === undefined || session.merge === true || !isOverBudget(why)) return { thrown: why }
  session.merge = false
  return { value: undefined }
}

/**
 * The outcome of each member. Members that cannot be sent are removed, and the others are sent without them; a single
 * remaining member is sent alone.
 */
const sendAll = async (members: Member[]): Promise<MemberOutcome<SharedLookup>[]> => {
  const settled = new Map<Member, MemberOutcome<SharedLookup>>()
  let going = members
  while (going.length > 1) {
    const left = new Map<Member, unknown>()
    try {
      const results = await sendTogether(going, left)
      going.forEach((member, at) => settled.set(member, asSettled(results[at]!)))
      break
    } catch (thrown) {
      for (const [member, why] of left) settled.set(member, refusedFor(member, why))
      going = going.filter((member) => !left.has(member))
      if (left.size > 0) continue
      // Perhaps refused because of one member, which then fails alone. A refusal is not charged.
      if (isRefusedForRecord(thrown)) break
      for (const member of going) settled.set(member, { thrown })
      break
    }
  }
  return members.map((member) => settled.get(member) ?? { value: undefined })
}

/**
 * Sends single lookups that arrive on one connection within a few milliseconds as one bulk request, where the provider
 * charges for matches or the caller asks for it. Each caller keeps its own reservation, row, deadline and charge.
 */
export const createMerging = (parts: MergeDependencies): SessionMerging => {
  const gather = createGather<Member, SharedLookup>(parts.clock, sendAll)
  const numbers = new WeakMap<object, number>()
  let last = 0
  /** Numbers each loaded profile, so that one loaded anew differs from the one before. */
  const numberOf = (loaded: object) => {
    const number = numbers.get(loaded) ?? (last += 1)
    numbers.set(loaded, number)
    return number
  }
  return {
    isMerged: (session, name) => bulkFor(parts, session, name) !== undefined,
    hasOwnPrice(session, name) {
      const bulk = bulkFor(parts, session, name)
      return bulk !== undefined && (bulk.charge === 'record' || bulk.price !== undefined)
    },
    async send(session, name, values: Values, along) {
      const bulk = bulkFor(parts, session, name)
      if (!bulk) return undefined
      const item = await prepare(providerValues(session), name, bulk, [values])
      // A record that cannot be sent in a bulk request may still be sent in a single one.
      if (!isItem(item)) return undefined
      const { loaded, opened, priority } = session
      const key = [opened.connection.id, numberOf(loaded.loaded), opened.keyId ?? '', name, priority, item.group].join(
        '\n',
      )
      const limit = { values: [item.values], max: 1, many: true }
      return counted(session, endpointOf(loaded.loaded, name), limit, () =>
        gather(key, bulk.max!, { session, name, bulk, item, along }, session.signal),
      )
    },
  }
}
