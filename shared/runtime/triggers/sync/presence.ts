import type { Clock, Log, Store } from '../../ports/index.ts'
import type { Intake } from '../inbound/intake.ts'
import type { RefusedDeliveries } from '../inbound/refused-deliveries.ts'
import { putHeartbeat, readHeartbeat } from './heartbeat.ts'
import type { HookCache } from './hook-cache.ts'

type Parts = {
  store: Store
  clock: Clock
  log: Log
  now(): number
  cache: HookCache
  inbound: { intake: Intake; refusals: RefusedDeliveries }
  /** Fills in what was missed while no delivery could be taken. */
  fillDowntime(from: number, until: number, reason: string): Promise<void>
  /** Leaves what `fillDowntime` looks after to it: the rounds that come by themselves pass over it meanwhile. */
  postponeAll(): void
}

/** Remembers when this process was there to take deliveries, and has the times in between looked through. */
export const createPresence = ({ store, clock, log, now, cache, inbound: { intake, refusals }, fillDowntime, postponeAll }: Parts) => {
  let returning: Promise<void> | undefined
  let hasReturned = false

  const comeUp = async (): Promise<void> => {
    const { time, awayMs } = (await readHeartbeat(store, clock)) ?? { time: now(), awayMs: 0 }
    postponeAll()
    await fillDowntime(time, time + awayMs, 'This server was down.')
    // Last: were the process to die before, it would still be known since when it was away.
    await putHeartbeat(store, clock, now())
    hasReturned = true
  }

  /** After the process was away: what happened meanwhile is listed, and what cannot be is recorded. Once; tried again until it is done. */
  const returnFrom = (): Promise<void> => {
    returning ??= comeUp().catch((thrown: unknown) => {
      returning = undefined
      throw thrown
    })
    return returning
  }

  const flushDeliveryTimes = async (): Promise<void> => {
    for (const [id, at] of intake.takeDeliveryTimes()) {
      const hook = cache.get(id)
      if (hook) await cache.change(hook, { lastDeliveryAt: at })
    }
  }

  /** While deliveries cannot be stored the process counts as away, should it die before that is looked after. */
  const beat = async (): Promise<void> => {
    if (intake.unhealthySince() === undefined) await putHeartbeat(store, clock, now())
    await flushDeliveryTimes()
    await refusals.flush()
  }

  return {
    returnFrom,
    /** Deliveries could not be stored: once they can be again, what was missed is filled in. */
    async heal(): Promise<void> {
      const since = intake.unhealthySince()
      if (since === undefined) return
      await store.check()
      const until = now()
      await fillDowntime(since, until, 'Deliveries could not be stored.')
      intake.healed(until)
      log('info', 'intake.healed', { forMs: until - since })
    },
    /** Records that the process is there, and when the hooks were last delivered to. */
    async noteAlive(): Promise<void> {
      await returnFrom()
      await beat()
    },
    /** The last that is recorded of it. */
    async leave(): Promise<void> {
      if (hasReturned) await beat()
    },
  }
}
