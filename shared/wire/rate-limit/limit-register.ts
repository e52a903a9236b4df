import { LRUCache } from 'lru-cache'
import type { PaceLimit, WireProfile } from '#kit'
import { createBucketSet } from './buckets.ts'
import type { BucketSet, Concurrency, Provider } from './buckets.ts'
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

const limitKey = (name: string, account: Account, limit: PaceLimit, index: number) =>
  `${name} ${limit.per} ${limit.per === 'app' ? account.appKey : account.key} ${index} ${limit.max}/${limit.windowMs}`

/** The limits that several processes count together. */
const sharedWindows = (
  name: string,
  profile: WireProfile,
  account: Account,
  routes: readonly number[],
): SharedWindow[] =>
  profile.pace.limits.flatMap((limit, index) => {
    if (limit.per === 'route' && !routes.includes(index)) return []
    return [{ key: limitKey(name, account, limit, index), max: limit.max, windowMs: limit.windowMs, per: limit.per }]
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
    if (limit && window.max === Infinity) Object.assign(window, createWindow(limit.max, limit.windowMs))
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
    routes: readonly number[],
    families: readonly string[],
  ) => {
    const kinds: BucketSet['kinds'] = { connection: [], app: [], route: [] }
    profile.pace.limits.forEach((limit, index) => {
      if (limit.per === 'route' && !routes.includes(index)) return
      const key = limitKey(name, account, limit, index)
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
     * although the profile has no limit for them.
     */
    bucketsFor(
      integration: string,
      origin: string,
      profile: WireProfile,
      account: Account,
      routes: readonly number[],
      families: readonly string[],
    ): BucketSet {
      const name = `${integration} ${origin}`
      const { concurrency, remaining = [] } = profile.pace
      const ofAccount = concurrencies.get(`${name} account ${account.key}`)
      const ofTenant = concurrencies.get(`${name} tenant ${account.tenant}`)
      ofAccount.max = concurrency
      ofTenant.max = Math.min(maxCallsPerTenant, concurrency * accountsPerTenant)
      const kinds = kindsFor(name, profile, account, routes, families)
      const reportedKinds = remaining.map(({ per }) => per)
      const shared = options.slots && { windows: sharedWindows(name, profile, account, routes), tenant: account.tenant }
      return createBucketSet(
        providers.get(name),
        { account: ofAccount, tenant: ofTenant },
        kinds,
        reportedKinds,
        shared,
      )
    },
    /** What is used and what waits now. Creates nothing, so that reading costs calls nothing. */
    read(integration: string, origin: string, { pace }: WireProfile, account: Account, families: readonly string[]) {
      const name = `${integration} ${origin}`
      const now = options.monotonic()
      const windows = pace.limits.map((limit, index) => {
        const key = limitKey(name, account, limit, index)
        return readWindow(limit, peek(key), limit.per === 'app' ? peek(`${key} of ${account.tenant}`) : undefined, now)
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
