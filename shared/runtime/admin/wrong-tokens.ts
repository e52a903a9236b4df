import { fail } from '#kit'
import type { Clock } from '../ports/index.ts'

const windowMs = 60_000
/** Networks that are counted separately; all further ones share one count. */
const maxNetworks = 10_000

/**
 * The network of an address: for IPv6 the /64 prefix, since whoever has one address has at least all of that network.
 */
export const networkOf = (address: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address
  const [head = '', tail] = address.toLowerCase().split('::')
  const [first, last] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':')))
  const zeros = Array.from({ length: Math.max(0, 8 - first!.length - last!.length) }, () => '0')
  return [...first!, ...zeros, ...last!].slice(0, 4).join(':')
}

/**
 * Counts what is tried out per network and minute. The returned function throws a Failure `rate_limited` with `message`
 * when a network has sent more than `max`. It returns a function that takes the count back, for what turned out to be
 * right.
 */
export const createWrongTokens = (clock: Pick<Clock, 'monotonic'>, max: number, message: string) => {
  let counts = new Map<string, number>()
  let since = clock.monotonic()
  return (address: string): (() => void) => {
    const now = clock.monotonic()
    if (now - since >= windowMs) {
      counts = new Map()
      since = now
    }
    const network = networkOf(address)
    const counted = counts.has(network) || counts.size < maxNetworks ? network : 'others'
    const count = (counts.get(counted) ?? 0) + 1
    counts.set(counted, count)
    const ofThen = counts
    if (count <= max) return () => void ofThen.set(counted, (ofThen.get(counted) ?? 1) - 1)
    throw fail('rate_limited', message, { retryAfterMs: Math.ceil(since + windowMs - now) })
  }
}
