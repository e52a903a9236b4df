/** A process that can die in the middle of what it does, and a store that can be locked. */
import { fail } from '#kit'
import type { Store } from '../../../shared/runtime/ports/index.ts'

/** One for each: what waits for it goes with it. */
const never = () => new Promise<never>(() => {})
const reads = new Set([
  'get',
  'list',
  'all',
  'byId',
  'find',
  'nextDueAt',
  'load',
  'subscriptions',
  'of',
  'due',
  'instance',
  'merged',
  'byHash',
])

/** A store whose every function goes through `each`. */
const through = <T extends object>(
  original: T,
  each: (name: string, run: () => Promise<unknown>) => Promise<unknown>,
): T =>
  new Proxy(original, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown
      if (typeof value === 'function')
        return (...args: unknown[]) =>
          each(String(name), () => (value as (...args: unknown[]) => Promise<unknown>).apply(target, args))
      return typeof value === 'object' && value !== null ? through(value, each) : value
    },
  })

/** One process: what it does after its death has no effect and no answer. */
export const createLife = () => {
  let left = Infinity
  let end: () => void = () => {}
  const death = new Promise<void>((resolve) => (end = resolve))
  let isDead = false
  const die = () => {
    isDead = true
    end()
  }
  return {
    isDead: () => isDead,
    dieAfter(calls: number) {
      left = calls
      if (calls === 0) die()
    },
    /** What is done for it; undefined when it died over it. */
    during: <T>(work: Promise<T>): Promise<T | undefined> => Promise.race([work, death.then(() => undefined)]),
    fence: (store: Store): Store =>
      through(store, async (_, run) => {
        if (isDead) return never()
        left -= 1
        if (left <= 0) {
          // Died before or after the call took effect.
          const tookEffect = left % 2 === 0
          if (tookEffect) void run().catch(() => undefined)
          die()
          return never()
        }
        const result = await run()
        return isDead ? never() : result
      }),
  }
}

/** A store that can be read and refuses every write while it is locked. */
export const lockedWhile =
  (isLocked: () => boolean) =>
  (store: Store): Store =>
    through(store, (name, run) =>
      isLocked() && !reads.has(name)
        ? Promise.reject(fail('unavailable', 'The store cannot be used: the database is locked.'))
        : run(),
    )
