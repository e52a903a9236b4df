import { LRUCache } from 'lru-cache'
import type { PaceLimit, WireProfile } from '#kit'
import { createBucketSet } from './buckets.ts'
import type { BucketSet, Concurrency, Provider } from './buckets.ts'
import { toUnits, requireAffordable } from './points.ts'
import { readPause, readQueue, readWindow } from './headroom.ts'
import { createWeakRegistry } from './weak-registry.ts'
import { createWindow, isIdle } from './window.ts'
import type { RateWindow } from './window.ts'
import type { Account, SharedWindow, WireOptions } from '../types.ts'

/** How many accounts of a tenant may use their whole concurrency at once; each call holds a socket. */
const accountsPerTenant = 4
const maxCallsPerTenant = 256
/** The share of an app's limit that one tenant leaves to the others. */
const reservedShare = 0.1

/** The value of a field for which a limit, named by its index, is counted. */
export type FieldValue = { index: number; value: string }

/** How many values of an account have their bucket set at hand; it is made anew for another one. */
const maxValues = 500
export const createSetsByValue = () => new LRUCache<string, BucketSet>({ max: maxValues })
export type SetsByValue = ReturnType<typeof createSetsByValue>

const limitKey = (name: string, account: Account, limit: PaceLimit, index: number, value = '') =>
  `${name} ${limit.per} ${limit.per === 'app' ? account.appKey : account.key} ${index} ${limit.max}/${limit.windowMs}${limit.counts === 'points' ? ' points' : ''}${limit.per === 'field' ? ` ${value}` : ''}`

/** What decides in which limits a call counts, and how much. */
type Members = { routes: readonly number[]; values: readonly FieldValue[]; cost: number }

/** The value that a limit is counted for; undefined: the call does not belong to the limit. */
const memberOf = ({ per }: PaceLimit, index: number, { routes, values }: Members): string | undefined => {
  if (per === 'field') return values.find((member) => member.index === index)?.value
  return per === 'route' && !routes.includes(index) ? undefined : ''
}

const sharedValues = 1024
/**
 * Stands for a value among processes, which keep what they share: values are without number, so several may stand
 * together, and share their limit then.
 */
const sharedValue = (value: string): string => {
  let sum = 0
  for (let at = 0; at < value.length; at += 1) sum = (sum * 31 + value.charCodeAt(at)) % 1_000_003
  return String(sum % sharedValues)
}

/** The limits that several processes count together. */
const sharedWindows = (name: string, profile: WireProfile, account: Account, members: Members): SharedWindow[] =>
  profile.pace.limits.flatMap((limit, index) => {
    const value = memberOf(limit, index, members)
    if (value === undefined) return []
    return [
      {
        key: limitKey(name, account, limit, index, sharedValue(value)),
        windowMs: limit.windowMs,
        per: limit.per,
        ...(limit.counts === 'points' ? toUnits(limit, members.cost) : { max: limit.max }),
      },
    ]
  })

/** The window of each limit, and each tenant's share of an app's limit. */
const createWindows = ({ monotonic }: Pick<WireOptions, 'monotonic'>) => {
  const windows = createWeakRegistry<RateWindow>(
    () => createWindow(),
    (window) => isIdle(window, monotonic()),
  )
  /**
   * By the key of an app's limit: the tenant that uses it, or none once there are several. A limit is divided only when
   * it is shared.
   */
  const onlyTenants = new LRUCache<string, { tenant: string | undefined }>({
    maxSize: 10_000,
    sizeCalculation: () => 1,
  })

  const windowFor = (key: string, limit?: PaceLimit) => {
    const window = windows.get(key)
    if (limit && window.max === Infinity)
      Object.assign(window, createWindow(limit.max, limit.windowMs, limit.counts === 'points'))
    return window
  }

  return {
    windowFor,
    /**
     * What one tenant may take of an app's limit: all of it, or all but the reserve once another tenant uses the same
     * app.
     */
    shareFor(key: string, limit: PaceLimit, tenant: string): RateWindow {
      const shareOf = (tenantId: string) => windowFor(`${key} of ${tenantId}`, limit)
      const max = Math.max(1, Math.floor(limit.max * (1 - reservedShare)))
      let only = onlyTenants.get(key)
      if (only === undefined) onlyTenants.set(key, (only = { tenant }))
      else if (only.tenant !== undefined && only.tenant !== tenant) {
        shareOf(only.tenant).max = max
        only.tenant = undefined
      }
      const share = shareOf(tenant)
      if (only.tenant === undefined) share.max = max
      return share
    },
    peek: windows.peek,
  }
}

/** Finds the limits and concurrency of accounts, and holds them as long as they matter. */
export const createLimitRegister = (options: Pick<WireOptions, 'monotonic' | 'slots'>) => {
  const { windowFor, shareFor, peek } = createWindows(options)
  const concurrencies = createWeakRegistry<Concurrency>(
    () => ({ busy: 0, max: Infinity, servedAt: 0 }),
    ({ busy }) => busy === 0,
  )
  const providers = createWeakRegistry<Provider>(
    () => ({ waiting: [], turn: 0, waker: undefined }),
    ({ waiting }) => waiting.length === 0,
  )

  /** The windows in which a call takes a place, by the kind of their limit. */
  const kindsFor = (
    name: string,
    profile: WireProfile,
    account: Account,
    members: Members,
    families: readonly string[],
  ) => {
    const kinds: BucketSet['kinds'] = { connection: [], app: [], route: [], field: [] }
    profile.pace.limits.forEach((limit, index) => {
      const value = memberOf(limit, index, members)
      if (value === undefined) return
      const key = limitKey(name, account, limit, index, value)
      kinds[limit.per].push(windowFor(key, limit))
      // With several processes, the limit is divided where they count it together.
      if (limit.per === 'app' && !options.slots) kinds.app.push(shareFor(key, limit, account.tenant))
    })
    // A 429 may name a limit that the profile does not have.
    if (kinds.connection.length === 0) kinds.connection.push(windowFor(`${name} connection ${account.key}`))
    if (kinds.app.length === 0) kinds.app.push(windowFor(`${name} app ${account.appKey}`))
    for (const family of families) kinds.route.push(windowFor(`${name} route ${account.key} ${family}`))
    return kinds
  }

  return {
    /**
     * `routes`: indexes of the path-family limits that the call belongs to. `families`: path families that a 429 named
     * although the profile has no limit for them. `values`: of the fields whose values have limits of their own.
     * `cost`: of the call, in points.
     * @throws Failure when it costs more than a limit ever allows
     */
    bucketsFor(
      integration: string,
      origin: string,
      profile: WireProfile,
      account: Account,
      routes: readonly number[],
      families: readonly string[],
      values: readonly FieldValue[] = [],
      cost = 1,
    ): BucketSet {
      const name = `${integration} ${origin}`
      const { concurrency, remaining = [] } = profile.pace
      const ofAccount = concurrencies.get(`${name} account ${account.key}`)
      const ofTenant = concurrencies.get(`${name} tenant ${account.tenant}`)
      ofAccount.max = concurrency
      ofTenant.max = Math.min(maxCallsPerTenant, concurrency * accountsPerTenant)
      const members = { routes, values, cost }
      profile.pace.limits.forEach((limit, index) => {
        if (memberOf(limit, index, members) !== undefined) requireAffordable(integration, limit, cost)
      })
      const kinds = kindsFor(name, profile, account, members, families)
      const reportedKinds = remaining.map(({ per }) => per)
      const shared = options.slots && {
        windows: sharedWindows(name, profile, account, members),
        tenant: account.tenant,
      }
      return createBucketSet(
        providers.get(name),
        { account: ofAccount, tenant: ofTenant },
        kinds,
        reportedKinds,
        shared,
        cost,
      )
    },
    /** What is used and what waits now. Creates nothing, so that reading costs calls nothing. */
    read(integration: string, origin: string, { pace }: WireProfile, account: Account, families: readonly string[]) {
      const name = `${integration} ${origin}`
      const now = options.monotonic()
      const windows = pace.limits.flatMap((limit, index) => {
        const { per } = limit
        if (per === 'field') return []
        const key = limitKey(name, account, limit, index)
        return readWindow(
          { ...limit, per },
          peek(key),
          limit.per === 'app' ? peek(`${key} of ${account.tenant}`) : undefined,
          now,
        )
      })
      const pauses = [
        ...readPause('connection', null, peek(`${name} connection ${account.key}`), now),
        ...readPause('app', null, peek(`${name} app ${account.appKey}`), now),
        ...families.flatMap((family) =>
          readPause('route', family, peek(`${name} route ${account.key} ${family}`), now),
        ),
      ]
      const queue = readQueue(
        providers.peek(name),
        concurrencies.peek(`${name} account ${account.key}`),
        pace.concurrency,
      )
      return { windows: [...windows, ...pauses], queue }
    },
    providers: () => providers.values(),
  }
}
