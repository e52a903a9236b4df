import { describeDefect, fail, toFailureJson } from '#kit'
import type { JobParts } from './parts.ts'
import { processJob } from './process-job.ts'

/** Maximum jobs that one process works on at a time, in total and per tenant; others wait. */
const maxJobs = 8
const maxOfTenant = 4
/** How often to look for jobs that another process left. */
const pollIntervalMs = 3_000
/** How long a stopping process waits for rows in progress; rows not sent by then are not sent. */
const drainMs = 10_000

type Active = { tenant: string; id: string; done: Promise<void> }

/** Works on the waiting jobs; each is processed by one process only. */
export const createRunner = (parts: JobParts) => {
  const { store, leases, clock, log } = parts
  const active = new Map<string, Active>()
  const stopping = new AbortController()
  const cutting = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let again = false

  const work = async (tenant: string, id: string): Promise<boolean> => {
    const workOn = () => processJob(parts, tenant, id, { signal: stopping.signal, cut: cutting.signal })
    try {
      return await leases.tryHold(`bulk-job ${id}`, () => (parts.trace ? parts.trace(tenant, id, workOn) : workOn()))
    } catch (thrown) {
      log('error', 'bulk_job.defect', { job: id, ...describeDefect(thrown) })
      const reason = toFailureJson(
        fail(
          'internal',
          'Something went wrong while this job was worked on. Resume it; if it stops again, please report it with the id of the job.',
        ),
      )
      await store.bulkJobs
        .patch(tenant, id, ['preparing', 'running'], { state: 'paused', reason })
        .catch(() => undefined)
      return false
    }
  }

  const look = async (): Promise<void> => {
    for (const { tenant, id } of await store.bulkJobs.waiting()) {
      if (stopping.signal.aborted || active.size >= maxJobs) return
      if (active.has(id) || [...active.values()].filter((job) => job.tenant === tenant).length >= maxOfTenant) continue
      const done = work(tenant, id).then((went) => {
        active.delete(id)
        // Another job may have waited for this one; after a failure, the next caller of `wake` tries again.
        if (went) wake()
      })
      active.set(id, { tenant, id, done })
    }
  }

  const wake = (): void => {
    if (stopping.signal.aborted) return
    again = true
    looking ??= (async () => {
      while (again) {
        again = false
        await look().catch((error: unknown) => log('warn', 'bulk_job.not_looked', describeDefect(error)))
      }
    })().finally(() => (looking = undefined))
  }

  return {
    /** Looks for jobs to work on. */
    wake,
    /** Continues unfinished jobs and, where several processes share the store, those that others leave. */
    start(): void {
      wake()
      if (store.cluster) timer ??= setInterval(wake, pollIntervalMs).unref()
    },
    async stop(): Promise<void> {
      stopping.abort()
      clearInterval(timer)
      await looking
      const all = Promise.all([...active.values()].map(({ done }) => done))
      const patience = new AbortController()
      await Promise.race([all, clock.sleep(drainMs, patience.signal).catch(() => undefined)])
      patience.abort()
      cutting.abort()
      await all
    },
  }
}
export type Runner = ReturnType<typeof createRunner>
