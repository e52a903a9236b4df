import { isAbsent, isFailure, toFailureJson } from '#kit'
import type { BulkJob, BulkJobState } from '../ports/index.ts'
import type { StoredItem, StoredPart } from '../privacy/stored-data.ts'
import type { JobParts } from './parts.ts'
import { createResultSeal } from './seal-results.ts'
import type { ResultSeal } from './seal-results.ts'

const live: BulkJobState[] = ['preparing', 'ready', 'running', 'paused']
const jobsAtOnce = 50
/** How many characters of the previous part are repeated, so that a match across two parts is found. */
const overlap = 512

type JobPersonalDataDependencies = Pick<JobParts, 'store' | 'files' | 'vault' | 'leases' | 'clock'>

/** Returns what `open` does; undefined where the content is damaged or its key is missing, which no repeat changes. */
const openable = <T>(open: () => T): T | undefined => {
  try {
    return open()
  } catch (thrown) {
    if (isLost(thrown)) return undefined
    throw thrown
  }
}
const isLost = (thrown: unknown) => isFailure(thrown) && !toFailureJson(thrown).retryable

/** The text of the file that a job reads; empty when the file no longer exists. */
async function* fileTexts({ files }: JobPersonalDataDependencies, job: BulkJob): AsyncGenerator<string | undefined> {
  try {
    const { read } = await files.open({ tenant: job.tenant }, job.order.file)
    const decoder = new TextDecoder()
    let before = ''
    for await (const bytes of read()) {
      const text = before + decoder.decode(bytes, { stream: true })
      yield text
      before = text.slice(-overlap)
    }
  } catch (thrown) {
    if (isAbsent(thrown)) return
    if (!isLost(thrown)) throw thrown
    yield undefined
  }
}

/** What a job contains about people: its order, its stored results and, while rows may still be looked up, its file. */
async function* textsOf(parts: JobPersonalDataDependencies, job: BulkJob): AsyncGenerator<string | undefined> {
  const { order, reason, state } = job
  yield JSON.stringify([order, reason])
  const seal = openable(() => createResultSeal(parts.vault, job))
  if (seal) yield* resultTexts(parts, job, seal)
  else yield undefined
  if (live.includes(state)) yield* fileTexts(parts, job)
}

/** The stored results of a job, by chunk. */
async function* resultTexts(
  { store }: JobPersonalDataDependencies,
  { tenant, id }: BulkJob,
  seal: ResultSeal,
): AsyncGenerator<string | undefined> {
  for (let number = 0; ; number += 1) {
    const chunk = await store.bulkJobs.chunk(tenant, id, number)
    if (!chunk) return
    const { results } = chunk
    if (results) yield openable(() => JSON.stringify(seal.open(number, results)))
  }
}

/**
 * The jobs in which to search for people. An erasure stops a job and removes it whole: what the provider has answered
 * about everybody else is stored by then, so the same file without the person costs nothing again.
 */
export const jobsOfPeople = (parts: JobPersonalDataDependencies): StoredPart => {
  const { store, leases, clock } = parts
  const itemOf = (job: BulkJob): StoredItem => ({
    kind: 'job',
    id: job.id,
    at: job.createdAt,
    label: job.order.name,
    texts: () => textsOf(parts, job),
    async erase() {
      await store.bulkJobs.patch(job.tenant, job.id, live, { state: 'cancelled', endedAt: clock.now(), reason: null })
      // A process that works on the job finishes only the rows in progress.
      await leases.hold(`bulk-job ${job.id}`, () => store.bulkJobs.remove(job.tenant, job.id))
      return true
    },
  })
  return {
    async *each(tenant) {
      for (let cursor: string | undefined; ;) {
        const { items, next } = await store.bulkJobs.list(tenant, {
          limit: jobsAtOnce,
          ...(cursor === undefined ? {} : { cursor }),
        })
        for (const job of items) yield itemOf(job)
        if (next === undefined) return
        cursor = next
      }
    },
  }
}
