import { describeDefect, fail } from '#kit'
import type { Approval, Clock, Log, Store } from '../ports/index.ts'
import { lookMs } from './ends.ts'
import type { Ends } from './ends.ts'

/** How much runs at a time: in all, and of one tenant. */
const atOnce = { all: 64, ofTenant: 4 }
const intervalMs = 2_000

type RunnerDependencies = {
  store: Pick<Store, 'approvals'> & { cluster?: unknown }
  ends: Pick<Ends, 'end' | 'settle' | 'tryLater'>
  /** Reads the rules again, which another process may have changed. */
  refresh(): Promise<void>
  /** Sends what was approved. */
  send(row: Approval): Promise<void>
  clock: Pick<Clock, 'now'>
  log: Log
}

/** Does what is due with held runs: sends, ends and settles them. */
export const createApprovalRunner = ({ store, ends, refresh, send, clock, log }: RunnerDependencies) => {
  const active = new Map<string, Promise<void>>()
  let isStopping = false
  let followsStart = store.cluster === undefined
  let again = false
  let looking: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  /** Whether it went as it should. */
  const work = async (row: Approval): Promise<boolean> => {
    try {
      if (row.state === 'approved') await send(row)
      else if (row.state === 'sending') await ends.settle(row)
      else await ends.end(row, fail('approval_expired', 'Nobody decided in time. Make the call again.'))
      return true
    } catch (thrown) {
      log('warn', 'approval.not_done', { approval: row.id, ...describeDefect(thrown) })
      await ends.tryLater(row, undefined).catch(() => undefined)
      return false
    }
  }

  const isFull = (tenant: string): boolean =>
    [...active.keys()].filter((name) => name.startsWith(`${tenant} `)).length >= atOnce.ofTenant

  const look = async (): Promise<void> => {
    await refresh()
    const now = clock.now()
    // After a restart nobody works on what this process had begun, so it is not waited for until all was looked at.
    const horizon = followsStart ? now + lookMs.lookup : now
    const rows = await store.approvals.due(horizon, atOnce.all, atOnce.ofTenant)
    followsStart &&= rows.some(({ state }) => state !== 'open')
    for (const row of rows) {
      if (isStopping) return
      const name = `${row.tenant} ${row.id}`
      const isDue = (row.nextAt ?? 0) <= now || row.attempt !== null
      // What only ends or is looked at takes no time.
      const isSent = row.state === 'approved'
      if (!isDue || active.has(name) || (isSent && (active.size >= atOnce.all || isFull(row.tenant)))) continue
      const done = work(row).then((isWell) => {
        active.delete(name)
        // Others may wait for the place. What went wrong is not tried again at once.
        if (isWell) wake()
      })
      active.set(name, done)
    }
  }

  const wake = (): void => {
    if (isStopping) return
    again = true
    looking ??= (async () => {
      while (again) {
        again = false
        await look().catch((error: unknown) => log('warn', 'approvals.not_looked', describeDefect(error)))
      }
    })().finally(() => (looking = undefined))
  }

  return {
    /** Looks for what is due. */
    wake,
    start(): void {
      wake()
      timer ??= setInterval(wake, intervalMs).unref()
    },
    /** What is being sent is waited for. */
    async stop(): Promise<void> {
      isStopping = true
      clearInterval(timer)
      await looking
      await Promise.all(active.values())
    },
  }
}
export type ApprovalRunner = ReturnType<typeof createApprovalRunner>
