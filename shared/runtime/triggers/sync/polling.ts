import { describeDefect, isFailure } from '#kit'
import type { Json, PollFound } from '#kit'
import type { PollState, Start, StoredEvent, Timer } from '../../ports/index.ts'
import type { AccountBook } from '../connection-cache.ts'
import { mayStart, newStart, startKey } from '../match.ts'
import type { MatchIndex, Watcher } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import type { At, Reach } from '../provider-session.ts'
import type { Recovery } from './backfill.ts'
import { atOf } from '../subscriptions/registry.ts'

type Parts = Pick<TriggerParts, 'registry' | 'store' | 'own' | 'random' | 'log'> & {
  now(): number
  index: MatchIndex
  accounts: AccountBook
  reach: Reach
  recovery: Recovery
  /** Base interval; jittered, and stretched where many scans share an account. */
  everyMs: number
  onStarts(starts: Start[]): void
}

/** One resource of one account, scanned for all subscriptions that ask for it. */
type Scan = {
  at: At
  resource: string
  /** Set where the scan reads the history of a watched thing. */
  model: string | undefined
  subscriptions: Set<string>
  dueAt: number
  failures: number
  /** Looked at since the process began, so that its timers are known to be true. */
  tried: boolean
}
/** With what caused it, as far as that can be told. */
type Find = PollFound<Json> & Partial<Pick<StoredEvent, 'causedByUs' | 'runId' | 'depth'>>

/** Part of the provider's rate for an account that all scans together may take. */
const share = 0.1
/** What was left unused for so long may be caught up with. */
const sparedMs = 5_000
const longestWaitMs = 15 * 60_000
const timersAtOnce = 100
const historyPrefix = 'history:'

/** What a subscription wants scanned, by name. */
export const resourcesOf = ({ subscription, trigger, config, models }: Watcher): string[] => {
  if (subscription.delivery !== 'poll') return []
  return trigger.poll ? [...new Set(trigger.poll.resources(config))] : models.map((model) => historyPrefix + model)
}

/** The card a find is about, where it names one. */
const cardOf = (data: Json): string | null => {
  const card = typeof data === 'object' && data !== null && !Array.isArray(data) ? data['card'] : undefined
  const id = typeof card === 'object' && card !== null && !Array.isArray(card) ? card['id'] : undefined
  return typeof id === 'string' ? id : null
}

const startOf = (watcher: Watcher, { key, at, data, late, missed, causedByUs = 'unknown', depth = 0 }: Find, now: number): Start => {
  const { tenant, id, options } = watcher.subscription
  const start = newStart(watcher, startKey(tenant, id, key), now)
  return {
    ...start,
    event: key,
    subject: cardOf(data),
    serial: options.serial ?? false,
    eventAt: Date.parse(at),
    via: 'poll',
    causedByUs,
    depth,
    late: late ?? false,
    data,
    ...(missed ? { state: 'missed' as const, endedAt: now } : {}),
  }
}

const eventOf = (
  at: At,
  { trigger }: Watcher,
  { key, at: happened, data, causedByUs = 'unknown', runId = null, depth = 0 }: Find,
  now: number,
): StoredEvent => ({
  ...at,
  id: key,
  hook: null,
  type: trigger.id,
  at: Date.parse(happened),
  receivedAt: now,
  via: 'poll',
  causedByUs,
  runId,
  depth,
  board: null,
  card: cardOf(data),
  state: 'matched',
  attempts: 0,
  dueAt: now,
  raw: Buffer.from(JSON.stringify({ found: data })),
})

/** Scans at intervals what cannot be told by webhooks, and fires what a scan found to be due later. */
export const createScans = ({ registry, store, own, accounts, random, log, now, index, reach, recovery, everyMs, onStarts }: Parts) => {
  const scans = new Map<string, Scan>()
  const ofSubscription = new Map<string, string[]>()
  /** `tenant connection` → when its share of the rate allows the next scan. */
  const allowedAt = new Map<string, number>()
  /** Accounts that are being scanned: a round that finds one so leaves it alone. */
  const scanning = new Map<string, Promise<void>>()
  const nameOf = ({ tenant, connection }: At, resource: string) => `${tenant}\n${connection}\n${resource}`
  const accountOf = ({ tenant, connection }: At) => `${tenant}\n${connection}`
  const jittered = (ms: number) => Math.round(ms * (0.9 + 0.2 * random()))

  const msPerCall = ({ integration }: At) => {
    const rates = registry.integration(integration).wire.pace.limits.flatMap(({ per, max, windowMs }) => (per === 'connection' ? [max / windowMs] : []))
    return rates.length === 0 ? 0 : 1 / (Math.min(...rates) * share)
  }

  const spend = (at: At, calls: number) => allowedAt.set(accountOf(at), Math.max(now() - sparedMs, allowedAt.get(accountOf(at)) ?? 0) + calls * msPerCall(at))

  const watchersOf = ({ at, subscriptions }: Scan): Watcher[] =>
    [...subscriptions].flatMap((id) => {
      const watcher = index.get(at.tenant, id)
      return watcher && watcher.subscription.state !== 'paused' ? [watcher] : []
    })

  const pick = (watcher: Watcher, items: Parameters<NonNullable<Watcher['trigger']['poll']>['pick']>[0], scannedAt: number | null): Find[] => {
    const time = { since: watcher.subscription.startMark, scanned: scannedAt ?? undefined, now: now() }
    return watcher.trigger.poll!.pick(items, watcher.config, time).map((found) => ({ ...found, data: watcher.trigger.data.parse(found.data) as Json }))
  }

  const timersFor = ({ at, resource }: Scan, { subscription }: Watcher, finds: Find[]): Timer[] =>
    finds.map(({ key, at: happened, data, fireAt }) => ({
      tenant: at.tenant,
      subscription: subscription.id,
      key,
      connection: at.connection,
      resource,
      dueAt: fireAt!,
      data: { at: happened, data },
    }))

  /** What was due later and is not found any more was called off. */
  const dropOthers = async ({ at, resource }: Scan, { subscription }: Watcher, kept: Set<string>) => {
    const present = await store.timers.of(at.tenant, subscription.id)
    const gone = present.filter((timer) => timer.resource === resource && !kept.has(timer.key)).map(({ key }) => key)
    if (gone.length > 0) await store.timers.drop(at.tenant, subscription.id, gone)
  }

  /** Of finds that say who made them and what they are; the others stay unknown. */
  const withCauses = (at: At, finds: Find[]): Promise<Find[]> =>
    Promise.all(
      finds.map(async (find): Promise<Find> => {
        if (find.actor === undefined) return find
        const { tenant, connection } = at
        const event = { at: find.at, actor: { id: find.actor }, objects: find.objects ?? [] }
        const cause = await own.ofListed({ tenant, connection, event, account: accounts.accountId(tenant, connection) ?? null })
        return { ...find, ...cause, depth: await own.depthOf(tenant, connection, cause, cardOf(find.data)) }
      }),
    )

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
        ripe: await withCauses(
          at,
          finds.filter(({ fireAt }) => fireAt === undefined || fireAt <= at0),
        ),
      })
    }
    // Timers first: were the process to die in between, the next scan would find the same again.
    await store.timers.put(found.flatMap(({ watcher, ahead }) => timersFor(scan, watcher, ahead)))
    const starts = found.flatMap(({ watcher, ripe }) => ripe.map((find) => startOf(watcher, find, at0)).filter((start) => mayStart(watcher, start)))
    const events = found.flatMap(({ watcher, ripe }) => ripe.map((find) => eventOf(at, watcher, find, at0)))
    const arrived = await store.ingest({ events, starts, poll: rowOf(scan, { cursor: value.cursor ?? null, scannedAt: at0, failures: 0, reason: null }) })
    onStarts(starts.filter(({ id, state: made }) => made !== 'missed' && arrived.starts.includes(id)))
    for (const { watcher, ahead } of found) await dropOthers(scan, watcher, new Set(ahead.map(({ key }) => key)))
    return calls
  }

  const rowOf = (scan: Scan, over: Pick<PollState, 'cursor' | 'scannedAt' | 'failures' | 'reason'>): PollState => {
    scan.failures = over.failures
    scan.dueAt = now() + (over.failures === 0 ? jittered(everyMs) : Math.min(longestWaitMs, jittered(everyMs * 2 ** Math.min(over.failures, 10))))
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
    const scan = scans.get(nameOf(atOf(watcher.subscription), timer.resource))
    // After a restart a scan comes first: the card may have been done or dated anew meanwhile.
    if (scan && !scan.tried) return
    const { at, data } = timer.data as { at: string; data: Json }
    const at0 = now()
    const start = startOf(watcher, { key, at, data }, at0)
    const arrived = await store.ingest({
      events: [eventOf(atOf(watcher.subscription), watcher, { key, at, data }, at0)],
      starts: [start],
      fired: [{ tenant, subscription, key }],
    })
    if (arrived.starts.length > 0) onStarts([start])
  }

  return {
    /** Takes a subscription in, in place of what it wanted before; what it wants scanned is scanned soon. */
    put(watcher: Watcher) {
      const { tenant, id } = watcher.subscription
      const before = new Set(ofSubscription.get(`${tenant}\n${id}`))
      dropSubscription(tenant, id)
      const at = atOf(watcher.subscription)
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
export type Scans = ReturnType<typeof createScans>
