import type { Clock, Log, Store } from '../../ports/index.ts'
import type { Intake } from '../inbound/intake.ts'
import type { RefusedDeliveries } from '../inbound/refused-deliveries.ts'
import type { Leases } from '../../leases.ts'
import { putHeartbeat, readHeartbeat } from './heartbeat.ts'
import type { HookCache } from './hook-cache.ts'
import type { Maintenance } from './maintenance.ts'

type PresenceDependencies = {
  store: Store
  clock: Clock
  log: Log
  now(): number
  cache: HookCache
  leases: Pick<Leases, 'hold'>
  inbound: { intake: Intake; refusals: RefusedDeliveries }
  maintenance: Pick<Maintenance, 'fillDowntime' | 'postponeAll'>
}

/** How often it is looked whether another process is still there. */
const lookMs = 500

/** Remembers when this process was there to take deliveries, and has the times in between looked through. */
export const createPresence = ({
  store,
  clock,
  log,
  now,
  cache,
  leases,
  inbound: { intake, refusals },
  maintenance,
}: PresenceDependencies) => {
  const { fillDowntime, postponeAll } = maintenance
  let returning: Promise<void> | undefined
  let hasReturned = false

  /** Whether another process was there all the time, seen since this one began: then nothing was missed. */
  const isCovered = async (): Promise<boolean> => {
    for (;;) {
      const members = (await store.cluster?.members()) ?? []
      const begunAt = members.find(({ node }) => node === store.cluster?.node)?.startedAt ?? Infinity
      const otherMembers = members.filter(
        ({ node, hasCaughtUp, isAlive }) => node !== store.cluster?.node && hasCaughtUp && isAlive,
      )
      if (otherMembers.length === 0) return false
      if (otherMembers.some(({ seenAt }) => seenAt > begunAt)) return true
      await clock.sleep(lookMs)
    }
  }

  const fillAway = async (): Promise<void> => {
    const { time, awayMs } = (await readHeartbeat(store, clock)) ?? { time: now(), awayMs: 0 }
    postponeAll()
    await fillDowntime(time, time + awayMs, 'This server was down.')
    // Last: were the process to die before, it would still be known since when it was away.
    await putHeartbeat(store, clock, now())
  }

  const comeUp = async (): Promise<void> => {
    // Of several that begin at once, the first one fills in what was missed, and the others find it there.
    await leases.hold('return', async () => {
      if (await isCovered()) postponeAll()
      else await fillAway()
      await store.cluster?.caughtUp()
    })
    hasReturned = true
  }

  /**
   * After the process was away: what happened meanwhile is listed, and what cannot be is recorded. Once; tried again
   * until it is done.
   */
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
