import { createHash, randomUUIDv7 } from 'node:crypto'
import { fail, failField, isInvalidInput } from '#kit'
import { actFor } from '../people/act-for.ts'
import { readCaller } from '../approvals/store-approval.ts'
import { keyOf, requireStep } from '../bounds.ts'
import type { BulkJob, BulkJobOrder, BulkJobState, Caller, Listed, Page } from '../ports/index.ts'
import { createJobSender, holdResumed } from './hold-job.ts'
import { columnsOf } from './results.ts'
import { findStep, inputsOf, resolveMap } from './mapping.ts'
import type { Kind } from './mapping.ts'
import { openTable } from './open-table.ts'
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
  /** Id of a stored file. */
  file: string
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
const readOrder = async (parts: JobParts, caller: Caller, newJob: NewBulkJob): Promise<BulkJobOrder> => {
  const { kind = 'person', values = {}, sample = 0 } = newJob
  const loadedStep = findStep(parts.registry, kind, newJob.integration)
  requireStep(caller, loadedStep)
  const { name, read } = await parts.files.open(caller, newJob.file)
  const table = await openTable(read, name, newJob)
  const map = resolveMap(loadedStep, table, { map: newJob.map, values })
  const integration = loadedStep.loaded.integration.id
  const order = { integration, step: loadedStep.step.id, connection: newJob.connection ?? '', map, values }
  const connection = await findConnection(parts, caller, order, inputsOf(order, table), table.rows())
  return {
    ...order,
    connection,
    file: newJob.file,
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
    const { code, message, ...details } = outcome.failure
    problem = fail(code, message, details)
    // A row without identifiers says nothing about the connection.
    if (!isInvalidInput(outcome.failure) || (tried += 1) >= 1_000) break
  }
  throw problem
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

export const createBulkJobs = (parts: JobParts) => {
  const { store, vault, clock } = parts
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
    async create(requestedBy, { idempotencyKey, person, ...newJob }) {
      const caller = actFor(requestedBy, person)
      checkNumbers(newJob)
      const requestHash = createHash('sha256').update(JSON.stringify(newJob)).digest('base64url')
      const key = idempotencyKey === undefined ? null : keyOf(caller, idempotencyKey)
      const order = await readOrder(parts, caller, newJob)
      const { tenant } = caller
      const id = `job_${randomUUIDv7()}`
      const now = clock.now()
      const job = await store.bulkJobs.add({
        tenant,
        id,
        state: 'preparing',
        order,
        caller: readCaller(caller),
        plan: null,
        maxCredits: newJob.maxCredits ?? null,
        confirmed: newJob.maxCredits !== undefined || newJob.confirm === true,
        cancelling: false,
        reason: null,
        result: null,
        rowsPerSecond: null,
        key: key === null ? null : await parts.digestKey(tenant, key),
        requestHash,
        secrets: vault.seal({ tenant, owner: jobOwner(id) }, { key: newJobKey() }),
        createdAt: now,
        startedAt: null,
        endedAt: null,
        expiresAt: now + parts.keptMs,
      })
      if (job.requestHash !== requestHash)
        throw fail('conflict', 'This Idempotency-Key was used for another job. Use a new key.')
      runner.wake()
      return view(job)
    },
    async list(caller, page) {
      const { items, next } = await store.bulkJobs.list(caller.tenant, page)
      const views = await Promise.all(items.filter((job) => isVisible(parts, caller, job)).map(view))
      return { items: views, ...(next === undefined ? {} : { next }) }
    },
    get: async (caller, id) => view(await find(caller, id)),
    preview: async (caller, id) => previewJob(parts, await find(caller, id)),
    async pause(caller, id) {
      return change(
        caller,
        await find(caller, id),
        ['running', 'preparing'],
        { state: 'paused', reason: null },
        'paused',
      )
    },
    async resume(caller, id, { maxCredits, confirm }) {
      checkNumbers({ file: '', maxCredits })
      const job = await find(caller, id)
      if (job.state === 'running' || job.state === 'preparing') {
        runner.wake()
        return view(job)
      }
      const confirmed = requireConsent(job, { maxCredits, confirm })
      const isStarted = job.startedAt !== null || !job.plan
      const resumedBy = actFor(caller, job.caller.person)
      const bounds = { ...job, confirmed, maxCredits: maxCredits ?? job.maxCredits }
      if (job.plan) await holdResumed(parts, resumedBy, bounds, job.plan)
      return change(
        caller,
        job,
        ['ready', 'paused'],
        {
          state: job.plan ? 'running' : 'preparing',
          confirmed,
          reason: null,
          caller: readCaller(resumedBy),
          ...(maxCredits === undefined ? {} : { maxCredits }),
          ...(isStarted ? {} : { startedAt: clock.now() }),
        },
        'resumed',
      )
    },
    async cancel(caller, id) {
      const job = await find(caller, id)
      const hasResults = job.startedAt !== null && job.plan !== null
      const changes: Partial<BulkJob> = hasResults
        ? { state: 'running', cancelling: true, reason: null }
        : { state: 'cancelled', endedAt: clock.now() }
      return change(caller, job, ['preparing', 'ready', 'running', 'paused'], changes, 'cancelled')
    },
  }
  return { verbs, runner, ofPeople: jobsOfPeople(parts), sender: createJobSender(parts, runner.wake) }
}
