import { fail } from '#kit'
import type { Clock, TenantLimits } from '../ports/index.ts'
import { createWrongTokens } from './wrong-tokens.ts'

export type TenantSettings = Required<Omit<TenantLimits, 'requestsPerSecond' | 'burst'>> & Pick<TenantLimits, 'requestsPerSecond' | 'burst'>
export type LimitSettings = {
  /** Step runs of all tenants going on at once. */
  running: number
  /** What a tenant may do, where the operator set nothing for it. */
  tenant: TenantSettings
  /** Wrong tokens from one address within a minute, after which further wrong ones are answered with `rate_limited`. */
  wrongTokens: number
}

/** Above what a tenant needs, so that only one that floods the process notices. */
export const defaultLimits: LimitSettings = {
  running: 1024,
  tenant: { running: 512, waiting: 2_000, connections: 1_000, subscriptions: 2_000, labels: 50, keyedMegabytes: 256 },
  wrongTokens: 30,
}

type Waiter = { start(): void; refuse(failure: Error): void }
type Lane = { limits: TenantLimits; running: number; waiting: Waiter[]; tokens: number; at: number }

export type Limits = {
  /** What the operator set for a tenant; undefined: the server's own. */
  set(tenant: string, limits: TenantLimits | undefined): void
  /** What holds for a tenant. */
  of(tenant: string): TenantSettings
  /** Counts one request of a tenant. Throws `rate_limited` with how long to wait. */
  admit(tenant: string): void
  /** Runs work when it is its turn: at once, or tenant by tenant in order. Throws `rate_limited` when the tenant has too much waiting. */
  run<T>(tenant: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>
  /** Counts a wrong token from an address. Throws `rate_limited` when there were too many. */
  wrongToken(address: string): void
  waiting(): number
}

export const createLimits = (clock: Pick<Clock, 'monotonic'>, settings: LimitSettings = defaultLimits): Limits => {
  const lanes = new Map<string, Lane>()
  /** Tenants with something waiting, the next one first. */
  let turns: string[] = []
  let running = 0

  const laneOf = (tenant: string): Lane => {
    let lane = lanes.get(tenant)
    if (!lane) {
      lane = { limits: {}, running: 0, waiting: [], tokens: Number.POSITIVE_INFINITY, at: clock.monotonic() }
      lanes.set(tenant, lane)
    }
    return lane
  }
  /** Tenants with something going on. */
  let active = 0
  /** All places may be taken, but by whoever has more than an even share: a tenant below it never waits for others. */
  const hasShare = (lane: Lane) => lane.running < Math.floor(settings.running / Math.max(1, active + (lane.running === 0 ? 1 : 0)))
  const mayRun = (lane: Lane) => (running < settings.running || hasShare(lane)) && lane.running < (lane.limits.running ?? settings.tenant.running)
  const enter = (lane: Lane) => {
    running += 1
    lane.running += 1
    if (lane.running === 1) active += 1
  }

  const leave = (lane: Lane) => {
    running -= 1
    lane.running -= 1
    if (lane.running === 0) active -= 1
    if (turns.length > 0) startNext()
  }

  /** One of each tenant in turn, so that who has much waiting does not hold up who has little. */
  const startNext = () => {
    for (let tried = 0; tried < turns.length;) {
      const tenant = turns[tried]!
      const lane = laneOf(tenant)
      if (!mayRun(lane)) {
        tried += 1
        continue
      }
      turns.splice(tried, 1)
      const waiter = lane.waiting.shift()
      if (lane.waiting.length > 0) turns.push(tenant)
      if (!waiter) continue
      enter(lane)
      waiter.start()
    }
  }

  /** Without a promise of its own around the work: every layer costs each run a turn. */
  const perform = <T>(lane: Lane, work: () => Promise<T>): Promise<T> => {
    const result = work()
    const done = () => leave(lane)
    result.then(done, done)
    return result
  }

  const queue = (tenant: string, lane: Lane, signal: AbortSignal | undefined) =>
    new Promise<void>((resolve, reject) => {
      const waiter: Waiter = {
        start() {
          signal?.removeEventListener('abort', gone)
          resolve()
        },
        refuse: reject,
      }
      const gone = () => {
        lane.waiting = lane.waiting.filter((other) => other !== waiter)
        if (lane.waiting.length === 0) turns = turns.filter((other) => other !== tenant)
        reject(fail('cancelled', 'The call was cancelled before anything was sent.'))
      }
      if (signal?.aborted) return gone()
      signal?.addEventListener('abort', gone, { once: true })
      lane.waiting.push(waiter)
      if (lane.waiting.length === 1) turns.push(tenant)
    })

  return {
    set(tenant, limits) {
      const lane = laneOf(tenant)
      lane.limits = limits ?? {}
      lane.tokens = Number.POSITIVE_INFINITY
      startNext()
    },

    of: (tenant) => ({ ...settings.tenant, ...lanes.get(tenant)?.limits }),

    admit(tenant) {
      const lane = laneOf(tenant)
      const perSecond = lane.limits.requestsPerSecond ?? settings.tenant.requestsPerSecond
      if (perSecond === undefined) return
      const burst = lane.limits.burst ?? settings.tenant.burst ?? perSecond
      const now = clock.monotonic()
      lane.tokens = Math.min(burst, lane.tokens + ((now - lane.at) / 1000) * perSecond)
      lane.at = now
      if (lane.tokens < 1) {
        throw fail(
          'rate_limited',
          `This tenant may make ${perSecond} requests per second to this server. Repeat after retryAfterMs, or ask the operator to raise the limit "requestsPerSecond".`,
          {
            retryAfterMs: Math.ceil(((1 - lane.tokens) / perSecond) * 1000),
          },
        )
      }
      lane.tokens -= 1
    },

    run(tenant, signal, work) {
      const lane = laneOf(tenant)
      if (lane.waiting.length === 0 && mayRun(lane)) {
        enter(lane)
        return perform(lane, work)
      }
      const most = lane.limits.waiting ?? settings.tenant.waiting
      if (lane.waiting.length >= most) {
        return Promise.reject(
          fail('rate_limited', `This tenant has ${most} runs waiting, which is its limit. Repeat later, or ask the operator to raise the limit "waiting".`, {
            retryAfterMs: 1_000,
          }),
        )
      }
      return queue(tenant, lane, signal).then(() => perform(lane, work))
    },

    wrongToken: createWrongTokens(clock, settings.wrongTokens),

    waiting: () => [...lanes.values()].reduce((sum, { waiting }) => sum + waiting.length, 0),
  }
}
