import { endsBatch, isAboutRecord, isFailure, isRefusedForRecord } from '#kit'
import type { Failure, LookupResult } from '#kit'
import type { Answered, Session } from '../session/session.ts'
import { counted, countCredits } from '../gate/charge.ts'
import { failed, foundFor, readAnswer } from './bulk-answers.ts'
import type { BulkContext } from './bulk-answers.ts'
import { attempt, isItem, partsOf, prepareAll, requireSendable, usableRecords } from './bulk-items.ts'
import { answersOf, bulkRequest, hasBulk } from './bulk-request.ts'
import type { Bulk, Item } from './bulk-request.ts'
import { endpointOf, unset, usableSets } from './endpoint-request.ts'
import type { Values } from './field-values.ts'
import { exchangeWith, notUnderstood, requireAnswer } from './answers.ts'
import { lookupSets, mostIfUnreported, providerValues } from './endpoints.ts'
import { bulkKey } from './proven-endpoints.ts'
import { planLookups, quote } from './quote.ts'

type RecordBatch = {
  max: number
  /** Position of each record of the round among all records. */ places: number[]
  /** What a no match of a record would cover; undefined when the next set of identifiers follows. */ ends(
    record: number,
  ): 'all' | 'onlyStrongest' | undefined
  /** Failures of whole requests stay with their records, since earlier rounds were answered. */ keepsFailures: boolean
}

/**
 * Sends the records in parts. A failed part fails only its own records; a failure of the connection ends the batch.
 * Throws when no part was answered and all failed with the same code, so that the caller sees the failure itself.
 */
const inParts = async <T>(
  session: Session,
  parts: T[][],
  { max, keepsFailures }: Pick<RecordBatch, 'max' | 'keepsFailures'>,
  send: (part: T[]) => Promise<LookupResult[]>,
): Promise<LookupResult[]> => {
  const count = parts.reduce((sum, part) => sum + part.length, 0)
  const results: LookupResult[] = []
  const failures: Failure[] = []
  let answered = false
  for (const part of parts) {
    try {
      results.push(...(await send(part)))
      answered = true
    } catch (thrown) {
      if (!isFailure(thrown)) throw thrown
      failures.push(thrown)
      const ends = endsBatch(thrown)
      results.push(...Array.from({ length: ends ? count - results.length : part.length }, () => failed(thrown)))
      if (ends) break
    }
    session.progress?.(results.length, count)
  }
  const [first] = failures
  const isSameCode = failures.every(({ code }) => code === first?.code)
  if (first && !answered && isSameCode && !keepsFailures && (max > 1 || !isAboutRecord(first))) throw first
  return results
}

/** Sends one bulk request; returns a result for every item, in order. Throws when the whole request failed. */
const sendChunk = async (work: BulkContext, bulk: Bulk, items: Item[]): Promise<LookupResult[]> => {
  const { session } = work
  const endpoint = endpointOf(session.loaded.loaded, work.name)
  const values = items.map((item) => item.values)
  const most = mostIfUnreported(session, endpoint, values)
  return counted(session, endpoint, { values, max: items.length, many: true, most }, async () => {
    const key = bulkKey(work.name)
    const reply = await exchangeWith(session, key, {
      ...bulkRequest(session.loaded.loaded, work.name, bulk, items),
      isQuoted: true,
    })
    await requireAnswer(session, key, { method: bulk.method ?? 'POST' }, reply)
    const answers = answersOf(bulk, reply, items)
    if (!answers) {
      const why = `The provider answered a bulk request of ${items.length} records with something else than ${items.length} answers, so they cannot be assigned to records.`
      throw notUnderstood(session, key, why, `endpoints.${key}.answers`, reply.body)
    }
    const results = answers.map((answer, index) => readAnswer(work, bulk, reply, answer, items[index]!.sets))
    const all = results.map((result, index) => foundFor(values[index]!, result))
    const foundRecords = all.filter((foundRecord) => foundRecord !== undefined)
    countCredits(session, endpoint, reply, {
      usage: { calls: 1, recordCount: items.length, foundRecords },
      charged: bulk.charge === 'record' ? items.length : foundRecords.length,
      most,
      answers: answers.map((answer, index) => ({ answer, foundRecord: all[index] })),
    })
    return results
  })
}

/**
 * Like `sendChunk`, but when the provider refuses the whole request because of one record, each record is sent alone. A
 * refusal is not charged.
 */
const sendChunkOrEach = async (work: BulkContext, bulk: Bulk, items: Item[]): Promise<LookupResult[]> => {
  try {
    return await sendChunk(work, bulk, items)
  } catch (thrown) {
    if (items.length < 2 || !isRefusedForRecord(thrown)) throw thrown
    return oneByOne(
      { ...work, session: { ...work.session, progress: undefined } },
      items.map(({ sets }) => sets),
    )
  }
}

/** Reports the final results of answered records. */
const noteAnswers = async (
  { answered }: BulkContext,
  { ends }: RecordBatch,
  places: number[],
  results: LookupResult[],
) => {
  if (!answered) return
  const newAnswers = results.flatMap((result, at): Answered[] => {
    const record = places[at]!
    const end = ends(record)
    if ('failed' in result || (!result.matched && end === undefined)) return []
    return [{ record, result, onlyStrongest: !result.matched && end === 'onlyStrongest' }]
  })
  if (newAnswers.length > 0) await answered(newAnswers)
}

/** Sends all records once, in bulk requests of at most `max`. A record that cannot be sent fails alone. */
const bulkRound = async (
  work: BulkContext,
  bulk: Bulk,
  round: RecordBatch,
  records: (Values[] | Failure)[],
): Promise<LookupResult[]> => {
  const { session, name } = work
  const prepared = await prepareAll(providerValues(session), name, bulk, records)
  if (!round.keepsFailures) requireSendable(prepared)
  const parts = partsOf(prepared.filter(isItem), round.max)
  const placeOf = new Map(
    prepared.flatMap((preparedItem, at) => (isItem(preparedItem) ? [[preparedItem, round.places[at]!] as const] : [])),
  )
  const sent = await inParts(session, parts, round, async (part) => {
    const results = await sendChunkOrEach(work, bulk, part)
    await noteAnswers(
      work,
      round,
      part.map((item) => placeOf.get(item)!),
      results,
    )
    return results
  })
  const byItem = new Map(parts.flat().map((item, index) => [item, sent[index]!] as const))
  return prepared.map((preparedItem) =>
    isFailure(preparedItem) ? failed(preparedItem) : isItem(preparedItem) ? byItem.get(preparedItem)! : preparedItem,
  )
}

const onlyStrongest =
  'Only the strongest identifier was sent, since every record of a bulk request is charged. Send this record alone to try the others.'

/** Sends the strongest identifiers first, and where a no match is free, the next ones for records not found. */
const inBulk = async (work: BulkContext, bulk: Bulk, setsByRecord: Values[][]): Promise<LookupResult[]> => {
  const { session, name } = work
  const { loaded } = session.loaded
  const { max } = bulk
  if (max === null) throw unset(loaded, 'endpoints', name, 'bulk', 'max')
  const records = usableRecords(loaded, name, setsByRecord)
  const every = records.map((_, index) => index)
  if (endpointOf(loaded, name).identifiers === 'all')
    return bulkRound(work, bulk, { max, keepsFailures: false, places: every, ends: () => 'all' }, records)
  const othersOf = (index: number, round: number) => {
    const sets = records[index]
    return sets === undefined || isFailure(sets) ? undefined : sets[round]
  }
  const endsAfter = (round: number) => (index: number) =>
    othersOf(index, round + 1) === undefined ? 'all' : bulk.charge === 'record' ? 'onlyStrongest' : undefined
  const results = await bulkRound(
    work,
    bulk,
    { max, keepsFailures: false, places: every, ends: endsAfter(0) },
    records.map((sets) => (isFailure(sets) ? sets : sets.slice(0, 1))),
  )
  for (let round = 1; ; round += 1) {
    const missed = results.flatMap((result, index) =>
      'matched' in result && !result.matched && othersOf(index, round) ? [index] : [],
    )
    if (missed.length === 0) return results
    if (bulk.charge === 'record') {
      for (const index of missed) results[index] = { matched: false, reason: onlyStrongest }
      return results
    }
    const laterResults = await bulkRound(
      work,
      bulk,
      { max, keepsFailures: true, places: missed, ends: endsAfter(round) },
      missed.map((index) => [othersOf(index, round)!]),
    )
    missed.forEach((index, at) => (results[index] = laterResults[at]!))
  }
}

const oneByOne = async (work: BulkContext, records: Values[][]): Promise<LookupResult[]> => {
  const { session, name, along } = work
  return inParts(
    session,
    records.map((sets, record) => [{ sets, record }]),
    { max: 1, keepsFailures: false },
    async ([entry]) => {
      const { sets, record } = entry!
      const result = await lookupSets(session, name, usableSets(session.loaded.loaded, name, sets), along)
      await work.answered?.([{ record, result }])
      return [result]
    },
  )
}

/** The sets by which a single lookup of the record would be stored. */
const knownSets = ({ session, name }: BulkContext, sets: Values[]): Values[] => {
  const usable = attempt(() => usableSets(session.loaded.loaded, name, sets))
  return isFailure(usable) ? sets : usable
}

/** Sends the records that no earlier lookup answers. */
const sendMissing = (
  work: BulkContext,
  records: Values[][],
  send: (work: BulkContext, records: Values[][]) => Promise<LookupResult[]>,
): Promise<LookupResult[]> => {
  const { session, name, along } = work
  const { bulk, identifiers } = endpointOf(session.loaded.loaded, name)
  if (!session.lookups) return send(work, records)
  const isPartial = hasBulk(bulk) && bulk.charge === 'record' && identifiers !== 'all' && records.length > 1
  const recordSets = records.map((sets) => knownSets(work, sets))
  return session.lookups.many(
    session,
    name,
    recordSets,
    { along, onlyStrongest: isPartial ? onlyStrongest : undefined },
    (places, answered) =>
      send(
        {
          ...work,
          answered: (answers) => answered(answers.map((answer) => ({ ...answer, record: places[answer.record]! }))),
        },
        places.map((place) => records[place]!),
      ),
  )
}

/**
 * Many lookups, with results in input order; one bad record never fails the others. A record given twice is sent, and
 * paid for, once.
 */
export const lookupMany = async (
  session: Session,
  name: string,
  records: Values[][],
  along: readonly string[] = [],
): Promise<LookupResult[]> => {
  const { bulk } = endpointOf(session.loaded.loaded, name)
  const keys = records.map((sets) => JSON.stringify(sets))
  const distinct = new Map(keys.map((key, index) => [key, records[index]!] as const))
  const distinctRecords = [...distinct.values()]
  const work: BulkContext = { session, name, along }
  const results = await sendMissing(work, distinctRecords, (sending, some) => {
    // Records answered from earlier results cost nothing. A single lookup is quoted where it is sent.
    if (some.length > 1) quote(session, name, planLookups(session, name, some))
    return some.length > 1 && hasBulk(bulk) ? inBulk(sending, bulk, some) : oneByOne(sending, some)
  })
  const byKey = new Map([...distinct.keys()].map((key, index) => [key, results[index]!] as const))
  return keys.map((key) => byKey.get(key)!)
}
