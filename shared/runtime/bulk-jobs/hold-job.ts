import { fail, isFailure, isHeld, toFailureJson } from '#kit'
import type { Json, Outcome } from '#kit'
import { readCaller } from '../approvals/store-approval.ts'
import type { Sender } from '../approvals/senders.ts'
import { hashRequest } from '../idempotency.ts'
import type { BulkJob, BulkPlan, Caller } from '../ports/index.ts'
import type { JobParts } from './parts.ts'
import { quoteOf } from './prepare.ts'

/** What a job waits with. */
type StoredJob = { job: string; maxCredits: number; confirmed: boolean }

/** The most that the rows of a job may cost. */
const mostOf = (plan: BulkPlan, maxCredits: number | null): number =>
  Math.min(quoteOf(plan).most, maxCredits ?? Infinity)

/**
 * Holds a job as a whole, with its total, before its first row is looked up. One that was approved goes on within what
 * was approved.
 * @throws Failure `approval_pending`, `approval_denied`, `approval_expired`
 */
const holdJob = async (
  { holds, registry, store }: Pick<JobParts, 'holds' | 'registry' | 'store'>,
  caller: Caller,
  { id, order, confirmed, maxCredits }: Pick<BulkJob, 'id' | 'order' | 'confirmed' | 'maxCredits'>,
  plan: BulkPlan,
): Promise<void> => {
  if (!holds?.hold.tenants.has(caller.tenant)) return
  const most = mostOf(plan, maxCredits)
  const { integration, step, connection, name, kind } = order
  const loadedStep = registry.step(integration, step)
  const stored: StoredJob = { job: id, maxCredits: most, confirmed }
  let approvedCredits = order.approvedCredits
  while (most > (approvedCredits ?? -1)) {
    const outcome = await holds.hold.require({
      caller,
      kind: 'job',
      requestHash: hashRequest(['job', id, most, approvedCredits ?? null]),
      integration,
      step,
      connection,
      startId: null,
      effect: 'read',
      person: caller.person ?? null,
      facts: [{ caller, loadedStep, effect: 'read', connection }],
      call: stored as unknown as Json,
      title: `The job that looks up ${plan.rows} rows of "${name}"`,
      input: { job: id, file: name, kind, rows: plan.rows },
      fingerprint: () => holds.fingerprint(caller, order),
      plan: async () => ({
        requests: [],
        shown: [],
        state: '',
        complete: false,
        credits: most,
        matters: most > 0,
        containers: async () => undefined,
      }),
    })
    if (!outcome) return
    // Somebody approved it, perhaps with a smaller limit: what is above that waits again.
    approvedCredits = (await store.bulkJobs.get(caller.tenant, id))?.order.approvedCredits
    if (!outcome.ok) throw fail(outcome.failure.code, outcome.failure.message)
  }
}

/** Whether a job waits for this decision: not for a later one, nor because somebody paused it. */
const waitsFor = ({ state, reason }: BulkJob, id: string): boolean =>
  (state === 'paused' || state === 'ready') && reason !== null && isHeld(reason) && reason.approval?.id === id

/** Whether a later decision took the place of this one. */
const waitsForAnother = ({ reason }: BulkJob): boolean => reason !== null && isHeld(reason)

/** Starts a job that was approved, and tells one that was not. */
export const createJobSender = (
  { store, clock, holds }: Pick<JobParts, 'store' | 'clock' | 'holds'>,
  wake: () => void,
): Sender => ({
  async send({ id, caller, content, runId }): Promise<Outcome> {
    const stored = content.call as unknown as StoredJob
    const meta = { runId, durationMs: 0, attempts: 0 }
    const started: Outcome = { ok: true, value: { job: stored.job }, meta }
    const job = await store.bulkJobs.get(caller.tenant, stored.job)
    // A former attempt may have started it, and not have lived to say so.
    if (job?.order.approval === id) return started
    const limit = Math.min(content.maxCredits ?? Infinity, stored.maxCredits)
    if (job && waitsFor(job, id)) {
      const changes: Partial<BulkJob> = {
        state: 'running',
        reason: null,
        confirmed: stored.confirmed,
        caller: readCaller(caller),
        maxCredits: limit,
        order: { ...job.order, approvedCredits: limit, approval: id },
        ...(job.startedAt === null ? { startedAt: clock.now() } : {}),
      }
      if (await store.bulkJobs.patch(caller.tenant, job.id, ['paused', 'ready'], changes)) {
        wake()
        return started
      }
    }
    // Its row may be about to say what it waits for. One that somebody paused meanwhile is not started.
    const mayWait = job !== undefined && ['preparing', 'paused', 'ready'].includes(job.state) && !waitsForAnother(job)
    const failure = mayWait
      ? fail('unavailable', 'The job does not wait for this decision.')
      : fail('conflict', `The job is ${job?.state ?? 'gone'}, so it was not started.`)
    return { ok: false, failure: toFailureJson(failure), meta }
  },
  fingerprint: async (caller, { call }) => {
    const job = await store.bulkJobs.get(caller.tenant, (call as unknown as StoredJob).job)
    if (!job) throw fail('approval_expired', 'The job is gone.')
    return holds!.fingerprint(caller, job.order)
  },
  async ended({ tenant, id }, content, failure) {
    const stored = content?.call as StoredJob | undefined
    const job = stored && (await store.bulkJobs.get(tenant, stored.job))
    if (job && waitsFor(job, id))
      await store.bulkJobs.patch(tenant, job.id, ['paused', 'ready'], { reason: toFailureJson(failure) })
  },
})

/** Holds a job that somebody resumes; a paused one says what it waits for. @throws Failure */
export const holdResumed = async (...[parts, caller, job, plan]: Parameters<typeof holdJob>): Promise<void> => {
  const reason = await reasonToWait(parts, caller, job, plan)
  if (!reason) return
  await parts.store.bulkJobs.patch(caller.tenant, job.id, ['paused', 'ready'], { reason })
  const { code, message, ...details } = reason
  throw fail(code, message, details)
}

/** Why a job that was planned does not go on; undefined: it does. */
export const reasonToWait = async (
  ...[parts, caller, job, plan]: Parameters<typeof holdJob>
): Promise<BulkJob['reason'] | undefined> => {
  try {
    await holdJob(parts, caller, job, plan)
    return undefined
  } catch (thrown) {
    if (!isFailure(thrown)) throw thrown
    return toFailureJson(thrown)
  }
}
