import { fail, isConflict, isFailure, stopsPlanning, toFailureJson } from '#kit'
import type { FailureJson } from '#kit'
import type { BulkJob, BulkJobState } from '../ports/index.ts'
import { chunksOf } from './chunks.ts'
import { createDoubts } from './doubts.ts'
import { createJobBudget } from './job-budget.ts'
import { lookUpChunk } from './look-up.ts'
import type { JobContext } from './look-up.ts'
import { refreshList } from './list-rows.ts'
import { inputsOf } from './mapping.ts'
import { reasonToWait } from './hold-job.ts'
import { callerOf, tableOf } from './parts.ts'
import type { JobParts } from './parts.ts'
import { makePlan, mostOf } from './prepare.ts'
import { stopOf } from './rights.ts'
import { createResultSeal } from './seal-results.ts'
import { dropResults, writeResult } from './write-result.ts'

/** How often to check for a pause or cancel, which another process may have received. */
const lookMs = 1_000
/** Weight of the latest chunk in the displayed rate. */
const newest = 0.3

const working: BulkJobState[] = ['preparing', 'running']

/** Thrown internally: the job was paused or cancelled meanwhile, or this process is stopping. */
class JobStopped extends Error {}

/** `signal`: this process is stopping. `cut`: rows in progress are no longer waited for either. */
type Signals = { signal: AbortSignal; cut: AbortSignal }

/** Watches whether the job may go on: asked often, read from the store at intervals. */
const watchJob = ({ store, clock }: JobParts, job: BulkJob, signal: AbortSignal) => {
  let isGoing = true
  let lookedAt = clock.monotonic()
  const look = async () => {
    lookedAt = clock.monotonic()
    const present = await store.bulkJobs.get(job.tenant, job.id)
    isGoing &&= present !== undefined && present.state === job.state && present.cancelling === job.cancelling
  }
  const going = () => isGoing && !signal.aborted
  return {
    isGoing: going,
    look,
    async require() {
      if (clock.monotonic() - lookedAt >= lookMs) await look()
      if (!going()) throw new JobStopped()
    },
  }
}
type Watch = ReturnType<typeof watchJob>

/** Plans a job. Returns why it stopped before the end. */
const prepare = async (parts: JobParts, job: BulkJob, watch: Watch): Promise<FailureJson | undefined> => {
  const { store, leases, clock } = parts
  const stop = await stopOf(parts, job)
  if (stop) return stop
  const planned = await makePlan(parts, job, watch.require)
  if ('stop' in planned) return planned.stop
  const { plan } = planned
  const usable = plan.shapes.find(({ problem }) => problem === undefined)
  if (plan.rows === 0) throw fail('invalid_input', 'The file has no rows below its first line.')
  if (!usable) throw fail('invalid_input', `No row can be looked up. ${plan.shapes[0]?.problem ?? ''}`)
  const goesOn = job.confirmed || job.order.sample > 0
  const wait = goesOn ? await reasonToWait(parts, callerOf(job), job, plan) : undefined
  if (wait) {
    await store.bulkJobs.patch(job.tenant, job.id, ['preparing'], { plan }, leases.fence())
    return wait
  }
  await store.bulkJobs.patch(
    job.tenant,
    job.id,
    ['preparing'],
    { plan, state: goesOn ? 'running' : 'ready', ...(goesOn ? { startedAt: clock.now() } : {}) },
    leases.fence(),
  )
  return undefined
}

/** Looks up every row without a result. Returns why it stopped before the end, or `sampled`. */
const lookUpAll = async (
  parts: JobParts,
  job: BulkJob,
  watch: Watch,
  cut: AbortSignal,
): Promise<FailureJson | 'sampled' | undefined> => {
  const { store, leases, clock, vault } = parts
  const { tenant, id, order, plan, maxCredits, confirmed } = job
  const table = await tableOf(parts, job)
  const { credits } = await store.bulkJobs.counts(tenant, id)
  /** Rows that are sent together share one check. */
  let asking: ReturnType<typeof stopOf> | undefined
  const work: JobContext = {
    parts,
    job,
    seal: createResultSeal(vault, job),
    budget: createJobBudget(maxCredits, credits),
    doubts: createDoubts(order.kind),
    inputOf: inputsOf(order, table),
    mostOf: mostOf(plan!),
    isGoing: watch.isGoing,
    stop: () => (asking ??= stopOf(parts, job).finally(() => (asking = undefined))),
    signal: cut,
    fence: leases.fence,
  }
  const timer = setInterval(() => void watch.look().catch(() => undefined), lookMs).unref()
  let rate = job.rowsPerSecond
  try {
    for await (const rows of chunksOf(table, order.sample)) {
      const before = await store.bulkJobs.chunk(tenant, id, rows.number)
      if (before?.state === 'done') {
        if (before.error > 0 && before.results)
          work.doubts.learn(work.seal.open(rows.number, before.results), (place) => work.inputOf(rows.rows[place]!))
        continue
      }
      if (!confirmed && rows.number > 0) return 'sampled'
      if (!watch.isGoing()) throw new JobStopped()
      const began = clock.monotonic()
      const { isDone, stop } = await lookUpChunk(work, rows, before)
      if (stop) return stop
      if (!isDone) throw new JobStopped()
      const now = rows.rows.length / Math.max(0.001, (clock.monotonic() - began) / 1000)
      rate = rate === null ? now : rate + (now - rate) * newest
      await store.bulkJobs.patch(tenant, id, ['running'], { rowsPerSecond: rate }, leases.fence())
    }
  } finally {
    clearInterval(timer)
  }
  // The sample contained all of its rows.
  return undefined
}

const finish = async (parts: JobParts, job: BulkJob, watch: Watch): Promise<void> => {
  const { store, leases, clock, vault } = parts
  const { tenant, id } = job
  const seal = createResultSeal(vault, job)
  await refreshList(parts, job, seal, watch.require)
  const made = await writeResult(parts, job, seal, watch.require)
  const isOver = await store.bulkJobs.patch(
    tenant,
    id,
    ['running'],
    { state: job.cancelling ? 'cancelled' : 'done', result: made.id, endedAt: clock.now() },
    leases.fence(),
  )
  if (isOver) await dropResults(parts, job)
}

/**
 * Advances a job as far as possible: until it waits for consent, has ended, or this process is stopping. Its progress
 * is stored, so any process can continue it at any time.
 */
export const processJob = async (
  parts: JobParts,
  tenant: string,
  id: string,
  { signal, cut }: Signals,
): Promise<void> => {
  const { store, leases } = parts
  for (;;) {
    const job = await store.bulkJobs.get(tenant, id)
    if (!job || !working.includes(job.state) || signal.aborted) return
    const watch = watchJob(parts, job, signal)
    try {
      if (job.state === 'preparing') {
        const reason = await prepare(parts, job, watch)
        if (reason) await store.bulkJobs.patch(tenant, id, ['preparing'], { state: 'paused', reason }, leases.fence())
        continue
      }
      const stopped = job.cancelling ? undefined : await lookUpAll(parts, job, watch, cut)
      if (stopped === 'sampled') await store.bulkJobs.patch(tenant, id, ['running'], { state: 'ready' }, leases.fence())
      else if (stopped)
        await store.bulkJobs.patch(tenant, id, ['running'], { state: 'paused', reason: stopped }, leases.fence())
      else await finish(parts, job, watch)
    } catch (thrown) {
      if (thrown instanceof JobStopped) {
        if (signal.aborted) return
        continue
      }
      if (!isFailure(thrown)) throw thrown
      // Another process continues the job.
      if (isConflict(thrown)) return
      const reason = toFailureJson(thrown)
      const state = job.state === 'preparing' && !stopsPlanning(reason) ? 'failed' : 'paused'
      await store.bulkJobs.patch(tenant, id, [job.state], { state, reason }, leases.fence())
    }
  }
}
