import { fail } from '#kit'
import type { Clock, TenantLimits } from '../ports/index.ts'
import { createPersonRates, createRequestRate } from './request-rate.ts'
import type { PersonRates, RequestRate } from './request-rate.ts'
import { createWrongTokens } from './wrong-tokens.ts'

type Rates = 'requestsPerSecond' | 'burst' | 'personRunsPerMinute'
export type TenantSettings = Required<Omit<TenantLimits, Rates>> & Pick<TenantLimits, Rates>
export type LimitSettings = {
  /** Concurrent step runs of all tenants. */
  running: number
  /** Limits of a tenant, unless the operator set other ones for it. */
  tenant: TenantSettings
  /** Wrong tokens from one address within a minute, after which further wrong ones are answered with `rate_limited`. */
  wrongTokens: number
}

/** Far above what a tenant needs, so that only one that floods the process reaches them. */
export const defaultLimits: LimitSettings = {
  running: 1024,
  tenant: {
    running: 512,
    waiting: 2_000,
    connections: 1_000,
    subscriptions: 2_000,
    labels: 50,
    keyedMegabytes: 256,
    files: 1_000,
    filesMegabytes: 1_000,
    fileMegabytes: 100,
  },
  wrongTokens: 30,
}

type Waiter = { start(): void }
type TenantQueue = { limits: TenantLimits; rate: RequestRate; people?: PersonRates; running: number; waiting: Waiter[] }

export type Limits = {
  /** Sets what the operator chose for a tenant; undefined: the server's own limits. */
  set(tenant: string, limits: TenantLimits | undefined): void
  /** Returns the limits that hold for a tenant. */
  of(tenant: string): TenantSettings
  /**
   * Counts one request of a tenant.
   * @throws Failure `rate_limited` with the time to wait
   */
  admit(tenant: string): void
  /**
   * Counts one run of a person of a tenant.
   * @throws Failure `rate_limited` with the time to wait
   */
  admitPerson(tenant: string, person: string): void
  /**
   * Runs work immediately, or after waiting its turn, tenant by tenant.
   * @throws Failure `rate_limited` when too many runs of the tenant are waiting
   */
  run<T>(tenant: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>
  /**
   * Counts a wrong token from an address.
   * @throws Failure `rate_limited` when there were too many
   */
  wrongToken(address: string): void
  /**
   * Counts an answer to a sign-in before it is known whether it is right, since many may be tried out at once. Wrong
   * tokens do not count, so that none keeps people at the same address from signing in. Returns a function that takes
   * the count back.
   * @throws Failure `rate_limited` when too many were wrong
   */
  signInAnswer(address: string): () => void
  waiting(): number
}

/** Starts runs, or makes them wait for their turn, tenant by tenant. */
const createTurns = (settings: LimitSettings, queueOf: (tenant: string) => TenantQueue) => {
  /** Tenants with waiting runs, the next one first. */
  let waitingTenants: string[] = []
  let running = 0
  /** Tenants with running work. */
  let active = 0

  /**
   * A tenant below its even share runs even when the server is full, so that it never waits for tenants above theirs.
   */
  const hasShare = (queue: TenantQueue) =>
    queue.running < Math.floor(settings.running / Math.max(1, active + (queue.running === 0 ? 1 : 0)))
  /** Counts a run of the tenant; false when none may run now. */
  const enter = (queue: TenantQueue): boolean => {
    if (queue.running >= (queue.limits.running ?? settings.tenant.running)) return false
    if (running >= settings.running && !hasShare(queue)) return false
    running += 1
    queue.running += 1
    if (queue.running === 1) active += 1
    return true
  }

  const leave = (queue: TenantQueue) => {
    running -= 1
    queue.running -= 1
    if (queue.running === 0) active -= 1
    if (waitingTenants.length > 0) startNext()
  }

  /**
   * Starts one run of each tenant in turn, so that a tenant with a long queue does not delay one with a short queue.
   */
  const startNext = () => {
    for (let tried = 0; tried < waitingTenants.length;) {
      const tenant = waitingTenants[tried]!
      const queue = queueOf(tenant)
      if (!enter(queue)) {
        tried += 1
        continue
      }
      waitingTenants.splice(tried, 1)
      // A tenant whose last waiter leaves is no longer among these.
      const waiter = queue.waiting.shift()!
      if (queue.waiting.length > 0) waitingTenants.push(tenant)
      waiter.start()
    }
  }

  /** Resolves when the run may start; it then counts as running. */
  const wait = (tenant: string, queue: TenantQueue, signal: AbortSignal | undefined) =>
    new Promise<void>((resolve, reject) => {
      const waiter: Waiter = {
        start() {
          signal?.removeEventListener('abort', onAbort)
          resolve()
        },
      }
      const onAbort = () => {
        queue.waiting = queue.waiting.filter((other) => other !== waiter)
        if (queue.waiting.length === 0) waitingTenants = waitingTenants.filter((other) => other !== tenant)
        reject(fail('cancelled', 'The call was cancelled before anything was sent.'))
      }
      if (signal?.aborted) return onAbort()
      signal?.addEventListener('abort', onAbort, { once: true })
      queue.waiting.push(waiter)
      if (queue.waiting.length === 1) waitingTenants.push(tenant)
    })

  return { enter, leave, startNext, wait }
}

export const createLimits = (clock: Pick<Clock, 'monotonic'>, settings: LimitSettings = defaultLimits): Limits => {
  const queues = new Map<string, TenantQueue>()
  const queueOf = (tenant: string): TenantQueue => {
    let queue = queues.get(tenant)
    if (!queue) {
      queue = { limits: {}, rate: createRequestRate(clock), running: 0, waiting: [] }
      queues.set(tenant, queue)
    }
    return queue
  }
  const turns = createTurns(settings, queueOf)

  return {
    set(tenant, limits) {
      const queue = queueOf(tenant)
      queue.limits = limits ?? {}
      queue.rate.reset()
      delete queue.people
      turns.startNext()
    },

    of: (tenant) => ({ ...settings.tenant, ...queues.get(tenant)?.limits }),

    admit(tenant) {
      const queue = queueOf(tenant)
      const perSecond = queue.limits.requestsPerSecond ?? settings.tenant.requestsPerSecond
      if (perSecond === undefined) return
      queue.rate.admit(perSecond, queue.limits.burst ?? settings.tenant.burst ?? perSecond)
    },

    admitPerson(tenant, person) {
      const queue = queueOf(tenant)
      const perMinute = queue.limits.personRunsPerMinute ?? settings.tenant.personRunsPerMinute
      if (perMinute === undefined) return
      queue.people ??= createPersonRates(clock)
      queue.people.admit(person, perMinute)
    },

    async run(tenant, signal, work) {
      const queue = queueOf(tenant)
      if (queue.waiting.length > 0 || !turns.enter(queue)) {
        const max = queue.limits.waiting ?? settings.tenant.waiting
        if (queue.waiting.length >= max)
          throw fail(
            'rate_limited',
            `This tenant has ${max} runs waiting, which is its limit. Repeat later, or ask the operator to raise the limit "waiting".`,
            { retryAfterMs: 1_000 },
          )
        await turns.wait(tenant, queue, signal)
      }
      try {
        return await work()
      } finally {
        turns.leave(queue)
      }
    },

    wrongToken: createWrongTokens(
      clock,
      settings.wrongTokens,
      'Too many wrong tokens came from this address. Wait a minute, then use a token made on this server.',
    ),
    signInAnswer: createWrongTokens(
      clock,
      settings.wrongTokens,
      'Too many wrong answers to a sign-in came from this address. Wait a minute, then sign in again.',
    ),

    waiting: () => [...queues.values()].reduce((sum, { waiting }) => sum + waiting.length, 0),
  }
}
