import type { Clock, Log, Store, Subscription } from '../ports/index.ts'
import { textOf } from './follow-ups.ts'
import type { Assembled } from './assemble.ts'
import { readHeartbeat } from './sync/heartbeat.ts'
import { createTasks } from './tasks.ts'

type LifecycleDependencies = { store: Store; clock: Clock; log: Log }

/** How long a stopping process waits for agent calls in progress. */
const drainMs = 25_000
/** Longer than setting up a subscription can take, whatever the provider does. */
const maxSetUpMs = 10 * 60_000

/** Starts and stops the background work. */
export const createLifecycle = ({ store, clock, log }: LifecycleDependencies, assembled: Assembled) => {
  const { now, connections, hookCache, index, polling, attachment, followUps } = assembled
  const { dispatch, pending, hooks, health, maintenance, presence, intake } = assembled

  const { scheduler, dispatchAll, pendingAll } = createTasks({ store, clock, log }, assembled)

  followUps.handleWith({
    'task-due': ({ task }) => scheduler.wake(task),
    'availability-changed': async ({ ref, model, isOpen }) => {
      await health.noteAvailability(ref, model, isOpen)
      if (isOpen) await maintenance.sweep(ref, model)
    },
    charged: ({ ref }) => maintenance.pauseWhereDue(ref),
    suppressed: async ({ ref }) => {
      if ((await hooks.releaseSuppressed(ref)) > 0) scheduler.wake('hooks')
    },
    'hooks-left': async ({ ref }) => void (await maintenance.reconcile(ref)),
    reconnected: ({ ref }) => {
      polling.hurry(ref.tenant, ref.connection)
      return maintenance.comeBack(ref)
    },
    // A failure here is repaired when `health.sync` next updates all subscriptions.
    'agent-changed': ({ subscription }) => health.follow(subscription),
  })

  let isLoaded = false
  let loading: Promise<void> | undefined
  const load = async () => {
    now.resumeFrom((await readHeartbeat(store, clock))?.time)
    await connections.load()
    await hookCache.load()
    const unfinished = await assembled.registered.load()
    for (const active of index.all()) polling.put(active, true)
    // Another process may still be setting up a younger one.
    const isAbandoned = ({ createdAt }: Subscription) => store.cluster === undefined || createdAt < now() - maxSetUpMs
    for (const row of unfinished.filter(isAbandoned)) await attachment.detach(row)
    isLoaded = true
  }
  /** Loads the stored rows once, when they are first needed. */
  const ready = (): Promise<void> => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }

  const endJobs: (() => Promise<void>)[] = []
  let returning: Promise<unknown> = Promise.resolve()
  return {
    scheduler,
    dispatchAll,
    pendingAll,
    ready,
    isLoaded: () => isLoaded,
    hasBegun: () => loading !== undefined,
    /** Starts the background work, and concurrently the search for events missed during the downtime. */
    async start(): Promise<void> {
      await ready()
      returning = presence.returnFrom().catch((error: unknown) => log('error', 'return.failed', textOf(error)))
      scheduler.start()
      const jobs = store.cluster?.jobs
      if (!jobs) return
      endJobs.push(jobs.work('starts', async () => scheduler.wake('dispatch')))
      endJobs.push(jobs.work('polls', async (keys) => followUps.run('polls.failed', polling.pollConnections(keys))))
    },
    /** Claims no more starts and takes no more jobs. */
    async leave(): Promise<void> {
      dispatch.stop()
      await Promise.all(endJobs.splice(0).map((end) => end()))
    },
    /** Ends the background work and waits up to `drainMs` for deliveries and calls in progress. */
    async stop(): Promise<void> {
      dispatch.stop()
      const patience = new AbortController()
      // A round in progress may begin further calls, so the calls are collected only after it has ended.
      const done = Promise.all([
        ...endJobs.splice(0).map((end) => end()),
        scheduler.stop(),
        intake.settled(),
        returning,
      ]).then(() => Promise.all([dispatch.idle(), pending.idle(), followUps.idle()]))
      await Promise.race([done, clock.sleep(drainMs, patience.signal).catch(() => undefined)])
      patience.abort()
      if (loading) await presence.leave().catch((error: unknown) => log('warn', 'heartbeat.not_noted', textOf(error)))
    },
  }
}
