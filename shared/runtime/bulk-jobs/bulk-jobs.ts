import { createHash, randomUUIDv7 } from 'node:crypto'
import { fail, failField, fromFailureJson, isInvalidInput } from '#kit'
import { actFor } from '../people/act-for.ts'
import { readCaller } from '../approvals/store-approval.ts'
import { keyOf, requireStep } from '../bounds.ts'
import type { LoadedStep } from '../catalogue/registry.ts'
import type { BulkJob, BulkJobOrder, BulkJobState, Caller, Listed, Page } from '../ports/index.ts'
import { createJobSender, holdResumed } from './hold-job.ts'
import { columnsOf } from './results.ts'
import { findStep, inputsOf, resolveMap } from './mapping.ts'
import type { Kind } from './mapping.ts'
import { openSource } from './list-rows.ts'
import type { OpenedSource } from './list-rows.ts'
import { openTable } from '../tables/open-table.ts'
import type { JobParts } from './parts.ts'
import { previewJob } from './preview.ts'
import type { BulkPreview } from './preview.ts'
import { isVisible } from './rights.ts'
import { jobsOfPeople } from './personal-data.ts'
import { createRunner } from './runner.ts'
import { jobOwner, newJobKey } from './seal-results.ts'
import { viewJob } from './view.ts'
import type { BulkJobView } from './view.ts'

export type { BulkPreview } from './preview.ts'
export type { BulkJobView } from './view.ts'

/** The input of a new job. */
export type NewBulkJob = {
  /** Id of a stored file. Either this or `list`, the id or name of a stored list, is required. */
  file?: string | undefined
  list?: string | undefined
  /** Looks up only rows of the list that have not been checked for this many days, and stores the results in the list. */
  olderThanDays?: number | undefined
  kind?: Kind | undefined
  integration?: string | undefined
  connection?: string | undefined
  /** The person whom the job acts for. */
  person?: string | undefined
  /** Column by field; absent: guessed from the names of the columns. */
  map?: { [field: string]: string } | undefined
  /** Values to use for every row, by field. */
  values?: { [field: string]: unknown } | undefined
  /** Paths in found records, one per column; absent: the usual ones. */
  columns?: string[] | undefined
  format?: 'csv' | 'jsonl' | undefined
  delimiter?: string | undefined
  maxAge?: number | undefined
  refresh?: boolean | undefined
  /** How many rows to look up, and pay for, before the job waits for consent. */
  sample?: number | undefined
  /** A budget in credits; without it or `confirm`, only the rows of the sample are looked up. */
  maxCredits?: number | undefined
  confirm?: boolean | undefined
  idempotencyKey?: string | undefined
}
export type Consent = { maxCredits?: number | undefined; confirm?: boolean | undefined }
export type BulkJobs = {
  create(caller: Caller, newJob: NewBulkJob): Promise<BulkJobView>
  list(caller: Caller, page: Page): Promise<Listed<BulkJobView>>
  get(caller: Caller, id: string): Promise<BulkJobView>
  /** The first rows as they would be looked up, with their prices. Sends nothing. */
  preview(caller: Caller, id: string): Promise<BulkPreview>
  /** Rows in progress are finished; no other row is sent. */
  pause(caller: Caller, id: string): Promise<BulkJobView>
  /**
   * Continues a job, with a larger budget if one is given; also gives the consent that a job waits for. From here on
   * its rows are looked up as this caller, within the budgets and until the caller's token ends.
   */
  resume(caller: Caller, id: string, consent: Consent): Promise<BulkJobView>
  /** Ends a job. Rows that were looked up are in its result; the others are marked as skipped. */
  cancel(caller: Caller, id: string): Promise<BulkJobView>
}

const maxSample = 100
const daySeconds = 86_400

const checkNumbers = ({ maxCredits, sample }: NewBulkJob) => {
  if (maxCredits !== undefined && !(Number.isFinite(maxCredits) && maxCredits >= 0))
    throw failField('maxCredits', 'maxCredits is a number of credits, 0 or more.')
  if (sample !== undefined && !(Number.isInteger(sample) && sample >= 0 && sample <= maxSample))
    throw failField('sample', `sample is a number of rows, 0 to ${maxSample}.`)
}

/**
 * @throws Failure `not_allowed` before the file is opened; `invalid_input` naming the field, column or row;
 * `not_connected`
 */
const readOrder = async (
  parts: JobParts,
  caller: Caller,
  newJob: NewBulkJob,
  loadedStep: LoadedStep,
  source: Pick<OpenedSource, 'file' | 'list' | 'refreshesList'>,
): Promise<BulkJobOrder> => {
  const { kind = 'person', values = {}, sample = 0 } = newJob
  const { name, read } = await parts.files.open(caller, source.file)
  const table = await openTable(read, name, newJob)
  const map = resolveMap(loadedStep, table, {
    map: newJob.map,
    values,
    identifiersOnly: source.list !== undefined,
  })
  const integration = loadedStep.loaded.integration.id
  const order = { integration, step: loadedStep.step.id, connection: newJob.connection ?? '', map, values }
  const connection = await findConnection(parts, caller, order, inputsOf(order, table), table.rows())
  return {
    ...order,
    connection,
    file: source.file,
    ...(source.list === undefined ? {} : { list: source.list }),
    ...(source.refreshesList ? { refreshesList: true as const, maxAge: newJob.olderThanDays! * daySeconds } : {}),
    name,
    format: table.format,
    kind,
    columns: columnsOf(kind, newJob.columns),
    sample,
    ...(caller.token === undefined ? {} : { token: caller.token }),
    ...(newJob.delimiter === undefined ? {} : { delimiter: newJob.delimiter }),
    ...(newJob.maxAge === undefined ? {} : { maxAge: newJob.maxAge }),
    ...(newJob.refresh === undefined ? {} : { refresh: newJob.refresh }),
  }
}

/** `discard` removes what was made for the order. @throws Failure as `readOrder`; then nothing is kept */
const openOrder = async (parts: JobParts, caller: Caller, newJob: NewBulkJob) => {
  const loadedStep = findStep(parts.registry, newJob.kind ?? 'person', newJob.integration)
  requireStep(caller, loadedStep)
  const { discard, ...source } = await openSource(parts, caller, newJob)
  try {
    return { order: await readOrder(parts, caller, newJob, loadedStep, source), discard }
  } catch (error) {
    await discard()
    throw error
  }
}

/**
 * Finds the connection that the rows use by dry runs of the first rows, so that a caller who may not run the step, or
 * has no account, learns it at once.
 */
const findConnection = async (
  { run }: JobParts,
  caller: Caller,
  { integration, step, connection }: Pick<BulkJobOrder, 'integration' | 'step' | 'connection'>,
  inputOf: ReturnType<typeof inputsOf>,
  rows: ReturnType<Awaited<ReturnType<typeof openTable>>['rows']>,
): Promise<string> => {
  let problem = fail('invalid_input', 'The file has no rows below its first line.')
  let tried = 0
  for await (const row of rows) {
    const call = { integration, step, input: inputOf(row), dryRun: true, ...(connection === '' ? {} : { connection }) }
    const outcome = await run(caller, call)
    if (outcome.meta.connection) return outcome.meta.connection.id
    if (outcome.ok) break
    problem = fromFailureJson(outcome.failure)
    // A row without identifiers says nothing about the connection.
    if (!isInvalidInput(outcome.failure) || (tried += 1) >= 1_000) break
  }
  throw problem
}

/** @throws Failure `conflict` for a job that another request made */
const requireSame = (job: BulkJob, requestHash: string): BulkJob => {
  if (job.requestHash !== requestHash)
    throw fail('conflict', 'This Idempotency-Key was used for another job. Use a new key.')
  return job
}

/** The job of its key, or a new one. @throws Failure `conflict` where the key belongs to another request */
const storeJob = async (
  parts: JobParts,
  requestedBy: Caller,
  { idempotencyKey, person, ...newJob }: NewBulkJob,
): Promise<BulkJob> => {
  const { store, vault, clock } = parts
  const caller = actFor(requestedBy, person)
  const { tenant } = caller
  checkNumbers(newJob)
  const requestHash = createHash('sha256').update(JSON.stringify(newJob)).digest('base64url')
  const key = idempotencyKey === undefined ? null : await parts.digestKey(tenant, keyOf(caller, idempotencyKey))
  // What the first request read may be gone or checked by now.
  const former = key === null ? undefined : await store.bulkJobs.byKey(tenant, key)
  if (former) return requireSame(former, requestHash)
  const id = `job_${randomUUIDv7()}`
  const now = clock.now()
  const unordered = {
    tenant,
    id,
    state: 'preparing' as const,
    caller: readCaller(caller),
    plan: null,
    maxCredits: newJob.maxCredits ?? null,
    confirmed: newJob.maxCredits !== undefined || newJob.confirm === true,
    cancelling: false,
    reason: null,
    result: null,
    rowsPerSecond: null,
    key,
    requestHash,
    secrets: vault.seal({ tenant, owner: jobOwner(id) }, { key: newJobKey() }),
    createdAt: now,
    startedAt: null,
    endedAt: null,
    expiresAt: now + parts.keptMs,
  }
  const { order, discard } = await openOrder(parts, caller, newJob)
  const job = await store.bulkJobs.add({ ...unordered, order }).catch(async (error: unknown) => {
    // The job may be stored where only the answer was lost.
    if (!(await store.bulkJobs.get(tenant, id))) await discard()
    throw error
  })
  // A request at the same time was first, and has its own copy of the rows.
  if (job.id !== id) await discard()
  return requireSame(job, requestHash)
}

/** Whether the rows of a job may cost something. @throws Failure `invalid_input` where somebody has to say so first */
const requireConsent = (job: BulkJob, { maxCredits, confirm }: Consent): boolean => {
  // What is not quoted yet cannot be agreed to, only bounded.
  const confirmed = job.confirmed || maxCredits !== undefined || (confirm === true && job.plan !== null)
  if (!confirmed && job.plan)
    throw failField(
      'maxCredits',
      'Looking up the rows of this job costs credits. Give maxCredits, the most it may spend, or confirm: true for as much as its rows cost.',
    )
  return confirmed
}

/**
 * Returns the changes that resume a job as this caller.
 * @throws Failure `invalid_input` without the consent it waits for; `approval_pending`
 */
const resumptionOf = async (
  parts: JobParts,
  requestedBy: Caller,
  job: BulkJob,
  consent: Consent,
): Promise<Partial<BulkJob>> => {
  const { maxCredits } = consent
  const confirmed = requireConsent(job, consent)
  const isStarted = job.startedAt !== null || !job.plan
  const caller = actFor(requestedBy, job.caller.person)
  const bounds = { ...job, confirmed, maxCredits: maxCredits ?? job.maxCredits }
  if (job.plan) await holdResumed(parts, caller, bounds, job.plan)
  return {
    state: job.plan ? 'running' : 'preparing',
    confirmed,
    reason: null,
    caller: readCaller(caller),
    ...(maxCredits === undefined ? {} : { maxCredits }),
    ...(isStarted ? {} : { startedAt: parts.clock.now() }),
  }
}

/** Returns the changes that cancel a job. What it has found so far is still written to its result. */
const cancellationOf = ({ startedAt, plan }: BulkJob, now: number): Partial<BulkJob> =>
  startedAt !== null && plan !== null
    ? { state: 'running', cancelling: true, reason: null }
    : { state: 'cancelled', endedAt: now }

export const createBulkJobs = (parts: JobParts) => {
  const { store, clock } = parts
  const runner = createRunner(parts)

  const find = async (caller: Caller, id: string): Promise<BulkJob> => {
    const job = await store.bulkJobs.get(caller.tenant, id)
    if (!job || !isVisible(parts, caller, job))
      throw fail('not_found', `There is no job "${id.slice(0, 60)}". GET /v1/jobs lists the jobs.`)
    return job
  }
  const view = async (job: BulkJob): Promise<BulkJobView> =>
    viewJob(job, await store.bulkJobs.counts(job.tenant, job.id))
  const change = async (
    caller: Caller,
    job: BulkJob,
    from: BulkJobState[],
    changes: Partial<BulkJob>,
    verb: string,
  ): Promise<BulkJobView> => {
    if (!(await store.bulkJobs.patch(caller.tenant, job.id, from, changes))) {
      const { state } = await find(caller, job.id)
      throw fail('conflict', `The job is ${state}, so it cannot be ${verb}.`)
    }
    runner.wake()
    return view(await find(caller, job.id))
  }

  const verbs: BulkJobs = {
    async create(requestedBy, newJob) {
      const job = await storeJob(parts, requestedBy, newJob)
      runner.wake()
      return view(job)
    },
    async list(caller, page) {
      const { items, next } = await store.bulkJobs.list(caller.tenant, page)
      const views = await Promise.all(items.filter((job) => isVisible(parts, caller, job)).map(view))
      return { items: views, ...(next === undefined ? {} : { next }) }
    },
    get: async (caller, id) => view(await find(caller, id)),
    preview: async (caller, id) => previewJob(parts, await find(caller, id), caller),
    async pause(caller, id) {
      const job = await find(caller, id)
      return change(caller, job, ['running', 'preparing'], { state: 'paused', reason: null }, 'paused')
    },
    async resume(caller, id, consent) {
      checkNumbers({ maxCredits: consent.maxCredits })
      const job = await find(caller, id)
      if (job.state === 'running' || job.state === 'preparing') {
        runner.wake()
        return view(job)
      }
      const changes = await resumptionOf(parts, caller, job, consent)
      return change(caller, job, ['ready', 'paused'], changes, 'resumed')
    },
    async cancel(caller, id) {
      const job = await find(caller, id)
      const changes = cancellationOf(job, clock.now())
      return change(caller, job, ['preparing', 'ready', 'running', 'paused'], changes, 'cancelled')
    },
  }
  return { verbs, runner, ofPeople: jobsOfPeople(parts), sender: createJobSender(parts, runner.wake) }
}
