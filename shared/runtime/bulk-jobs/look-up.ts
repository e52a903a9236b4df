import { fail, isOverBudget, isOutcomeUnknown, toFailureJson } from '#kit'
import type { EndpointProfile, FailureJson, Outcome } from '#kit'
import type { BulkChunk, BulkJob, Fence } from '../ports/index.ts'
import type { RowChunk } from './chunks.ts'
import type { Doubts } from './doubts.ts'
import type { JobBudget } from './job-budget.ts'
import { callerOf } from './parts.ts'
import type { JobParts, RowCall } from './parts.ts'
import { callFor } from './prepare.ts'
import { countsOf, resultOf } from './results.ts'
import type { Looked, RowResult } from './results.ts'
import type { Results, ResultSeal } from './seal-results.ts'

/** Waits in ms before a row is tried again after a failure that may pass; their number limits the retries. */
const waitsMs = [500, 2_000, 10_000, 30_000, 60_000]

export type JobContext = {
  parts: JobParts
  job: BulkJob
  seal: ResultSeal
  budget: JobBudget
  doubts: Doubts
  inputOf(row: RowChunk['rows'][number]): Record<string, unknown>
  mostOf(input: object): number
  /** False: the job was paused, cancelled or is stopping, so nothing more may be sent. */
  isGoing(): boolean
  /** Why no row of the job may be sent any more; undefined when rows may be sent. */
  stop(): Promise<FailureJson | undefined>
  signal: AbortSignal
  fence(): Fence | undefined
}

/** One row to look up, and what it may cost. */
type RowLookup = {
  place: number
  /** Number of the row in the file, from 0. */
  at: number
  input: Record<string, unknown>
  most: number
  /** An earlier attempt may have been charged. */
  isDoubtful: boolean
  /** Another row asked for the same, and may have been charged. */
  isRepeat: boolean
  /** Number of attempts that earlier processes made. */
  attempts: number
}

const runIdOf = ({ id }: BulkJob, row: number, attempt: number) => `${id}-${row}-${attempt}`

const lost = (credits: number): RowResult => ({
  status: 'error',
  credits,
  ...(credits > 0 ? { estimated: true as const } : {}),
  reason:
    'outcome_unknown: The process ended while this row was looked up, so it may have been charged. It is not sent again. See: toolyard ledger',
})

const repeated: RowResult = {
  status: 'error',
  credits: 0,
  reason:
    'outcome_unknown: An earlier row asked for the same and its answer was lost, so it may have been charged. This one was not sent. See: toolyard ledger',
}

/** Whether the provider charges nothing for repeating a lookup. */
const hasFreeRepeats = ({ registry }: JobParts, { order: { integration, step } }: BulkJob): boolean => {
  const { step: lookupStep, loaded } = registry.step(integration, step)
  const endpoints = (lookupStep.endpoints ?? []).map(
    (name) => loaded.wire.endpoints?.[name] as (EndpointProfile & { repeats?: unknown }) | undefined,
  )
  return endpoints.length > 0 && endpoints.every((endpoint) => endpoint?.repeats !== undefined)
}

/** Positions of rows that a process may have sent before it died: a run of the row did not end, or was charged. */
const findDoubtful = async (
  { parts: { store, flush }, job }: JobContext,
  { rows }: RowChunk,
  results: Results,
  attempts: number,
): Promise<Set<number>> => {
  const doubtful = new Set<number>()
  if (attempts > 0) await flush()
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    await Promise.all(
      rows.map(async ({ at }, place) => {
        if (results[place]) return
        const run = await store.runs.get(job.tenant, runIdOf(job, at, attempt))
        if (run && (run.state === 'sending' || run.state === 'unknown' || run.credits > 0)) doubtful.add(place)
      }),
    )
  }
  return doubtful
}

/** Which earlier results a row accepts; in a job that wants fresh ones, only those that the job made itself. */
const freshnessOf = (
  { parts: { clock }, job }: JobContext,
  isDoubtful: boolean,
): Pick<RowCall, 'maxAge' | 'refresh'> => {
  const { maxAge, refresh } = job.order
  const own = Math.ceil((clock.now() - (job.startedAt ?? job.createdAt)) / 1000) + 1
  if (refresh) return isDoubtful ? { maxAge: own } : { refresh }
  if (maxAge === undefined) return {}
  return { maxAge: isDoubtful ? Math.max(maxAge, own) : maxAge }
}

/**
 * Settles the earlier attempt of a row once a stored result shows what it was charged, so that nobody needs to look it
 * up. Only one of the attempts can have been sent: the next was held back while its outcome was unknown.
 */
const settleEarlier = async (
  { parts: { resolve }, job }: JobContext,
  { at, attempts }: RowLookup,
  charged: number | undefined,
): Promise<void> => {
  if (charged === undefined) return
  for (let attempt = attempts; attempt >= 1; attempt -= 1)
    if (await resolve(job.tenant, runIdOf(job, at, attempt), charged)) return
}

/** A row may wait long for its turn, so whether it may be sent is checked again just before. */
const checkBefore =
  ({ isGoing, stop }: JobContext) =>
  async () => {
    if (!isGoing()) throw fail('cancelled', 'The job does not go on now. Nothing was sent for this row.')
    const why = await stop()
    if (why) throw fail(why.code, why.message)
  }

/**
 * Looks one row up. A row that may have been charged before is answered only from earlier results, unless repeats are
 * free.
 */
const lookUpRow = async (work: JobContext, row: RowLookup, runId: string, repeatsAreFree: boolean): Promise<Looked> => {
  const { parts, job, signal } = work
  const mayBePaid = row.isDoubtful || row.isRepeat
  const call = {
    ...callFor(job.order, row.input),
    priority: 'bulk' as const,
    signal,
    job: job.id,
    checkBeforeSending: checkBefore(work),
    ...freshnessOf(work, mayBePaid),
  }
  const looked = (outcome: Outcome) =>
    resultOf(outcome, job.order.columns, { provider: job.order.integration, now: parts.clock.now() })
  const answer = mayBePaid ? await parts.run(callerOf(job), { ...call, maxCredits: 0 }) : undefined
  if (row.isDoubtful && answer?.ok && answer.meta.cached) await settleEarlier(work, row, answer.meta.cachedCharge)
  const storedResult = answer && looked(answer)
  if (storedResult && !('stop' in storedResult && isOverBudget(storedResult.stop))) return storedResult
  if (storedResult && !repeatsAreFree) return { result: row.isDoubtful ? lost(row.most) : repeated }
  const outcome = await parts.run(callerOf(job), {
    ...call,
    runId,
    ...(job.maxCredits === null ? {} : { maxCredits: row.most }),
  })
  if (!outcome.ok && isOutcomeUnknown(outcome.failure) && repeatsAreFree) return { retry: outcome.failure }
  return looked(outcome)
}

type RoundOutcome = { results: Results; retries: Map<number, FailureJson>; stop?: FailureJson }

const noRoom = (max: number | null) =>
  toFailureJson(
    fail(
      'budget_exceeded',
      `The next row might cost more than is left of the budget of ${max} credits. Nothing was sent for it. Give the job a larger budget, and resume it.`,
    ),
  )

/**
 * Looks up all rows without a result once, concurrently, so that they are sent together where the provider accepts many
 * per request.
 */
const round = async (
  work: JobContext,
  openRows: RowLookup[],
  attempt: number,
  chunk: RowChunk,
  { results }: RoundOutcome,
): Promise<RoundOutcome> => {
  const { parts, job, budget, isGoing } = work
  const retries = new Map<number, FailureJson>()
  const repeatsAreFree = hasFreeRepeats(parts, job)
  let stop = await work.stop()
  const looking: Promise<void>[] = []
  for (const row of openRows) {
    if (stop || !isGoing()) break
    if (!(await budget.take(row.most))) {
      stop = noRoom(job.maxCredits)
      break
    }
    parts.leases.require()
    const look = async () => {
      const looked = await lookUpRow(work, row, runIdOf(job, chunk.rows[row.place]!.at, attempt), repeatsAreFree)
      if ('result' in looked) results[row.place] = looked.result
      else if ('retry' in looked) retries.set(row.place, looked.retry)
      else if ('stop' in looked) stop ??= looked.stop
      budget.settle(row.most, 'result' in looked ? looked.result.credits : 0)
    }
    looking.push(look())
  }
  await Promise.all(looking)
  return { results, retries, ...(stop ? { stop } : {}) }
}

/** A failure that all rows had: it comes from the provider or the connection, not from the rows. */
const commonFailure = (retries: Map<number, FailureJson>, rows: number): FailureJson | undefined => {
  const [first, ...otherFailures] = retries.values()
  return first && retries.size === rows && otherFailures.every(({ code }) => code === first.code) ? first : undefined
}

export type ChunkOutcome = { chunk: BulkChunk; isDone: boolean; stop?: FailureJson }

/** Looks up the rows of a chunk that have no result yet, and stores their results. */
export const lookUpChunk = async (
  work: JobContext,
  rows: RowChunk,
  before: BulkChunk | undefined,
): Promise<ChunkOutcome> => {
  const { parts, job, seal, doubts, fence, isGoing, signal } = work
  const { store, clock } = parts
  const { number } = rows
  const earlier = before?.attempt ?? 0
  let results: Results = before?.results ? seal.open(number, before.results) : rows.rows.map(() => null)
  const doubtful = await findDoubtful(work, rows, results, earlier)
  let stop: FailureJson | undefined
  let attempt = earlier
  const save = async (state: BulkChunk['state']): Promise<BulkChunk> => {
    const chunk: BulkChunk = {
      tenant: job.tenant,
      job: job.id,
      number,
      state,
      attempt,
      results: seal.seal(number, results),
      ...countsOf(results),
    }
    await store.bulkJobs.putChunk(chunk, fence())
    return chunk
  }
  const inputOf = (place: number) => work.inputOf(rows.rows[place]!)
  doubts.learn(results, inputOf)
  for (const place of doubtful) doubts.add(inputOf(place))
  for (let tried = 0; ; tried += 1) {
    const openRows = rows.rows.flatMap((row, place): RowLookup[] => {
      if (results[place]) return []
      const input = inputOf(place)
      const isDoubtful = doubtful.has(place)
      return [
        {
          place,
          at: row.at,
          input,
          most: work.mostOf(input),
          isDoubtful,
          isRepeat: !isDoubtful && doubts.has(input),
          attempts: earlier,
        },
      ]
    })
    if (openRows.length === 0 || stop || !isGoing()) break
    attempt += 1
    // Stored before anything is sent, so that a later process knows which runs to look for.
    await save('running')
    const done = await round(work, openRows, attempt, rows, { results, retries: new Map() })
    results = done.results
    doubts.learn(results, inputOf)
    stop = done.stop
    if (done.retries.size === 0) continue
    const waitMs = waitsMs[tried]
    if (waitMs === undefined) {
      stop ??= commonFailure(done.retries, openRows.length)
      if (!stop)
        for (const [place, { code, message }] of done.retries)
          results[place] = {
            status: 'error',
            credits: 0,
            provider: job.order.integration,
            reason: `${code}: ${message}`,
          }
    } else await clock.sleep(waitMs, signal).catch(() => undefined)
  }
  const isDone = results.every((result) => result !== null)
  return { chunk: await save(isDone ? 'done' : 'partial'), isDone, ...(stop ? { stop } : {}) }
}
