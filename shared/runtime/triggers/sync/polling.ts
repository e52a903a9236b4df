import { describeDefect, isFailure } from '#kit'
import type { Json } from '#kit'
import type { PollState, Timer } from '../../ports/index.ts'
import { foundEvent } from '../admit.ts'
import type { Admit, Observation } from '../admit.ts'
import type { Found } from '../match.ts'
import type { MatchIndex, ActiveSubscription } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import type { ConnectionRef, ProviderSessions } from '../provider-session.ts'
import type { Backfill } from './backfill.ts'
import { connectionRefOf } from '../subscriptions/registry.ts'

type Parts = Pick<TriggerParts, 'registry' | 'store' | 'random' | 'log'> & {
  now(): number
  index: MatchIndex
  admit: Admit
  reach: ProviderSessions
  recovery: Backfill
  /** Base interval; jittered, and stretched where many scans share an account. */
  everyMs: number
}

/** One resource of one account, scanned for all subscriptions that ask for it. */
type Scan = {
  at: ConnectionRef
  resource: string
  /** Set where the scan reads the history of a watched thing. */
  model: string | undefined
  subscriptions: Set<string>
  dueAt: number
  failures: number
  /** Looked at since the process began, so that its timers are known to be true. */
  tried: boolean
}
/** Part of the provider's rate for an account that all scans together may take. */
const share = 0.1
/** What was left unused for so long may be caught up with. */
const sparedMs = 5_000
const maxWaitMs = 15 * 60_000
const timersAtOnce = 100
const historyPrefix = 'history:'

/** What a subscription wants scanned, by name. */
export const resourcesOf = ({ subscription, trigger, config, models }: ActiveSubscription): string[] => {
  if (subscription.delivery !== 'poll') return []
  return trigger.poll ? [...new Set(trigger.poll.resources(config))] : models.map((model) => historyPrefix + model)
}

const observationOf = (subscription: ActiveSubscription, found: Found): Observation => ({
  event: foundEvent(subscription.trigger.id, found),
  found: [{ subscription, found }],
})

/** Scans at intervals what cannot be told by webhooks, and fires what a scan found to be due later. */
export const createPolling = ({ registry, store, admit, random, log, now, index, reach, recovery, everyMs }: Parts) => {
  const scans = new Map<string, Scan>()
  const ofSubscription = new Map<string, string[]>()
  /** `tenant connection` → when its share of the rate allows the next scan. */
  const allowedAt = new Map<string, number>()
  /** Accounts that are being scanned: a round that finds one so leaves it alone. */
  const scanning = new Map<string, Promise<void>>()
  const nameOf = ({ tenant, connection }: ConnectionRef, resource: string) => `${tenant}\n${connection}\n${resource}`
  const accountOf = ({ tenant, connection }: ConnectionRef) => `${tenant}\n${connection}`
  const jittered = (ms: number) => Math.round(ms * (0.9 + 0.2 * random()))

  const msPerCall = ({ integration }: ConnectionRef) => {
    const rates = registry.integration(integration).wire.pace.limits.flatMap(({ per, max, windowMs }) => (per === 'connection' ? [max / windowMs] : []))
    return rates.length === 0 ? 0 : 1 / (Math.min(...rates) * share)
  }

  const spend = (at: ConnectionRef, calls: number) =>
    allowedAt.set(accountOf(at), Math.max(now() - sparedMs, allowedAt.get(accountOf(at)) ?? 0) + calls * msPerCall(at))

  const watchersOf = ({ at, subscriptions }: Scan): ActiveSubscription[] =>
    [...subscriptions].flatMap((id) => {
      const watcher = index.get(at.tenant, id)
      return watcher && watcher.subscription.state !== 'paused' ? [watcher] : []
    })

  const pick = (
    watcher: ActiveSubscription,
    items: Parameters<NonNullable<ActiveSubscription['trigger']['poll']>['pick']>[0],
    scannedAt: number | null,
  ): Found[] => {
    const time = { since: watcher.subscription.startMark, scanned: scannedAt ?? undefined, now: now() }
    return watcher.trigger.poll!.pick(items, watcher.config, time).map((found) => ({ ...found, data: watcher.trigger.data.parse(found.data) as Json }))
  }

  const timersFor = ({ at, resource }: Scan, { subscription }: ActiveSubscription, finds: Found[]): Timer[] =>
    finds.map(({ fireAt, ...found }) => ({
      tenant: at.tenant,
      subscription: subscription.id,
      key: found.key,
      connection: at.connection,
      resource,
      dueAt: fireAt!,
      data: found as Json,
    }))

  /** What was due later and is not found any more was called off. */
  const dropOthers = async ({ at, resource }: Scan, { subscription }: ActiveSubscription, kept: Set<string>) => {
    const present = await store.timers.of(at.tenant, subscription.id)
    const gone = present.filter((timer) => timer.resource === resource && !kept.has(timer.key)).map(({ key }) => key)
    if (gone.length > 0) await store.timers.drop(at.tenant, subscription.id, gone)
  }

  const scanResource = async (scan: Scan, state: PollState | undefined): Promise<number> => {
    const { at, resource } = scan
    const watchers = watchersOf(scan)
    const [first] = watchers
    if (!first) return 0
    const { value, calls } = await reach.use(at, 'read', (ctx) => first.trigger.poll!.fetch(ctx, resource, state?.cursor ?? undefined))
    const at0 = now()
    const found = []
    for (const watcher of watchers) {
      const finds = pick(watcher, value.items, state?.scannedAt ?? null)
      found.push({
        watcher,
        ahead: finds.filter(({ fireAt }) => fireAt !== undefined && fireAt > at0),
        ripe: finds.filter(({ fireAt }) => fireAt === undefined || fireAt <= at0),
      })
    }
    // Timers first: were the process to die in between, the next scan would find the same again.
    await store.timers.put(found.flatMap(({ watcher, ahead }) => timersFor(scan, watcher, ahead)))
    const observations = found.flatMap(({ watcher, ripe }) => ripe.map((find) => observationOf(watcher, find)))
    const alongside = { poll: rowOf(scan, { cursor: value.cursor ?? null, scannedAt: at0, failures: 0, reason: null }) }
    await admit({ ...at, observations, alongside })
    for (const { watcher, ahead } of found) await dropOthers(scan, watcher, new Set(ahead.map(({ key }) => key)))
    return calls
  }

  const rowOf = (scan: Scan, over: Pick<PollState, 'cursor' | 'scannedAt' | 'failures' | 'reason'>): PollState => {
    scan.failures = over.failures
    scan.dueAt = now() + (over.failures === 0 ? jittered(everyMs) : Math.min(maxWaitMs, jittered(everyMs * 2 ** Math.min(over.failures, 10))))
    return { ...scan.at, resource: scan.resource, dueAt: scan.dueAt, ...over }
  }

  const scanHistory = async (scan: Scan): Promise<number> => {
    const { calls } = await recovery.recover(scan.at, scan.model!, 'poll')
    await store.polls.put(rowOf(scan, { cursor: null, scannedAt: now(), failures: 0, reason: null }))
    return calls
  }

  const run = async (scan: Scan): Promise<void> => {
    const state = await store.polls.get(scan.at.tenant, scan.at.connection, scan.resource)
    try {
      spend(scan.at, scan.model === undefined ? await scanResource(scan, state) : await scanHistory(scan))
    } catch (thrown) {
      const reason = isFailure(thrown) ? thrown.message : 'The scan failed by a defect of ours.'
      log(isFailure(thrown) ? 'warn' : 'error', 'scan.failed', {
        connection: scan.at.connection,
        resource: scan.resource,
        reason: isFailure(thrown) ? thrown.code : describeDefect(thrown).message,
      })
      spend(scan.at, 1)
      await store.polls.put(rowOf(scan, { cursor: state?.cursor ?? null, scannedAt: state?.scannedAt ?? null, failures: scan.failures + 1, reason }))
    } finally {
      scan.tried = true
    }
  }

  const dropSubscription = (tenant: string, id: string) => {
    for (const name of ofSubscription.get(`${tenant}\n${id}`) ?? []) {
      const scan = scans.get(name)
      scan?.subscriptions.delete(id)
      if (scan?.subscriptions.size === 0) scans.delete(name)
    }
    ofSubscription.delete(`${tenant}\n${id}`)
  }

  const fire = async (timer: Timer): Promise<void> => {
    const { tenant, subscription, key } = timer
    const watcher = index.get(tenant, subscription)
    if (!watcher || watcher.subscription.state === 'paused') return store.timers.drop(tenant, subscription, [key])
    const scan = scans.get(nameOf(connectionRefOf(watcher.subscription), timer.resource))
    // After a restart a poll comes first: what was to be fired may have been called off or moved meanwhile.
    if (scan && !scan.tried) return
    const found = { ...(timer.data as unknown as Omit<Found, 'key'>), key }
    await admit({
      ...connectionRefOf(watcher.subscription),
      observations: [observationOf(watcher, found)],
      alongside: { fired: [{ tenant, subscription, key }] },
    })
  }

  return {
    /** Takes a subscription in, in place of what it wanted before; what it wants scanned is scanned soon. */
    put(watcher: ActiveSubscription) {
      const { tenant, id } = watcher.subscription
      const before = new Set(ofSubscription.get(`${tenant}\n${id}`))
      dropSubscription(tenant, id)
      const at = connectionRefOf(watcher.subscription)
      const names = resourcesOf(watcher).map((resource) => {
        const name = nameOf(at, resource)
        const known = scans.get(name)
        const model = resource.startsWith(historyPrefix) && !watcher.trigger.poll ? resource.slice(historyPrefix.length) : undefined
        const scan = known ?? { at, resource, model, subscriptions: new Set<string>(), dueAt: now(), failures: 0, tried: false }
        scan.subscriptions.add(id)
        if (!before.has(name)) scan.dueAt = Math.min(scan.dueAt, now())
        scans.set(name, scan)
        return name
      })
      if (names.length > 0) ofSubscription.set(`${tenant}\n${id}`, names)
    },
    drop: dropSubscription,
    /** Everything of an account is scanned soon, e.g. after it was reconnected. */
    hurry(tenant: string, connection: string) {
      for (const scan of scans.values()) if (scan.at.tenant === tenant && scan.at.connection === connection) scan.dueAt = Math.min(scan.dueAt, now())
    },
    /** Scans what is due, one after the other for each account; resolves when all of it is done, but may be called again before. Gives how many. */
    async tick(): Promise<number> {
      const at = now()
      const byAccount = Map.groupBy(
        [...scans.values()].filter(({ dueAt }) => dueAt <= at).sort((a, b) => a.dueAt - b.dueAt),
        (scan) => accountOf(scan.at),
      )
      let count = 0
      const scanAll = async (account: string, due: Scan[]) => {
        for (const scan of due) {
          if ((allowedAt.get(account) ?? 0) > now()) return
          count += 1
          await run(scan)
        }
      }
      const begun = [...byAccount].flatMap(([account, due]) => {
        if (scanning.has(account)) return []
        const mine = scanAll(account, due).finally(() => scanning.delete(account))
        scanning.set(account, mine)
        return [mine]
      })
      await Promise.all(begun)
      return count
    },
    /** Starts what a scan found to be due by now. */
    async fireTimers(): Promise<number> {
      const due = await store.timers.due(now(), timersAtOnce)
      for (const timer of due) await fire(timer)
      return due.length
    },
    size: () => scans.size,
  }
}
export type Polling = ReturnType<typeof createPolling>
