import type { Clock, Log, Store } from '../ports/index.ts'
import type { Assembled } from './assemble.ts'
import { createScheduler } from './scheduler.ts'
import type { Scheduler } from './scheduler.ts'

/**
 * Intervals of tasks that look for due rows, in ms. Processes that share the store ask every second which of them have
 * anything to do. They look by themselves in case the database does not answer that question.
 */
const lookMs = { alone: 1000, shared: 10_000 }

type TasksDependencies = { store: Pick<Store, 'cluster'>; clock: Clock; log: Log }

/** What the background work does again and again, each task with its interval. */
export const createTasks = ({ store, clock, log }: TasksDependencies, assembled: Assembled) => {
  const { polling, followUps, dispatch, pending, hooks, health, maintenance, presence, intake, listWatches } = assembled

  const dispatchAll = async () => {
    while ((await dispatch.tick()).claimed > 0) continue
  }
  const pendingAll = async () => {
    while ((await pending.tick()) > 0) continue
  }
  /**
   * Runs a task without holding up the scheduler: its next round skips the tenants that this one is still busy with.
   */
  const beside = (event: string, work: () => Promise<unknown>) => async () => followUps.run(event, work())

  const { cluster } = store
  const wakeDue = async () => {
    // While agents work, their starts' leases are renewed in time, and ends that could not be recorded are tried again.
    if (dispatch.running() > 0) scheduler.wake('dispatch')
    for (const task of (await cluster?.dueWork()) ?? []) scheduler.wake(task)
  }
  const rowsMs = cluster ? lookMs.shared : lookMs.alone
  const scheduler: Scheduler = createScheduler(
    [
      ...(cluster ? [{ name: 'due', everyMs: lookMs.alone, run: wakeDue }] : []),
      { name: 'dispatch', everyMs: cluster ? lookMs.shared : 500, run: dispatchAll },
      { name: 'pending', everyMs: rowsMs, run: pendingAll },
      { name: 'unclaimed', everyMs: rowsMs, run: intake.claim },
      { name: 'timers', everyMs: rowsMs, run: polling.fireTimers },
      { name: 'polls', everyMs: 1000, run: beside('polls.failed', polling.tick) },
      { name: 'hooks', everyMs: 15_000, run: () => hooks.endDeleting() },
      { name: 'connections', everyMs: 10_000, run: health.sync },
      { name: 'heal', everyMs: 5_000, run: presence.heal },
      { name: 'maintenance', everyMs: 10_000, run: beside('maintenance.failed', maintenance.tick) },
      { name: 'lists', everyMs: 10_000, run: beside('lists.failed', listWatches.tick) },
      { name: 'heartbeat', everyMs: 30_000, run: presence.noteAlive },
    ],
    { clock, log },
  )
  return { scheduler, dispatchAll, pendingAll }
}
