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

/** Interval at which other processes are checked for being alive. */
const lookMs = 500

/** Remembers when this process could receive deliveries, and recovers what happened in the times between. */
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

  /** Whether another process was running throughout and was seen since this one began: then nothing was missed. */
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
    // Last: if the process dies before, the stored heartbeat still says since when it was away.
    await putHeartbeat(store, clock, now())
  }

  const comeUp = async (): Promise<void> => {
    // When several processes start at once, the first one recovers what was missed, and the others find that done.
    await leases.hold('return', async () => {
      if (await isCovered()) postponeAll()
      else await fillAway()
      await store.cluster?.caughtUp()
    })
    hasReturned = true
  }

  /**
   * After the process was away: admits what happened meanwhile, and records gaps for what no history lists. Runs once;
   * after a failure, the next call tries again.
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

  /**
   * While deliveries cannot be stored, the heartbeat stops: if the process dies before they are recovered, that time
   * counts as downtime.
   */
  const beat = async (): Promise<void> => {
    if (intake.unhealthySince() === undefined) await putHeartbeat(store, clock, now())
    await flushDeliveryTimes()
    await refusals.flush()
  }

  return {
    returnFrom,
    /** After an outage: once deliveries can be stored again, recovers what was missed. */
    async heal(): Promise<void> {
      const since = intake.unhealthySince()
      if (since === undefined) return
      await store.check()
      const until = now()
      await fillDowntime(since, until, 'Deliveries could not be stored.')
      intake.healed(until)
      log('info', 'intake.healed', { forMs: until - since })
    },
    /** Records the heartbeat and the times of the last deliveries. */
    async noteAlive(): Promise<void> {
      await returnFrom()
      await beat()
    },
    /** Records the last heartbeat of a stopping process. */
    async leave(): Promise<void> {
      if (hasReturned) await beat()
    },
  }
}
