import { fail } from '#kit'
import type { Clock } from '../ports/index.ts'

const windowMs = 60_000
/** Counted separately; the others are counted together. */
const maxNetworks = 10_000

/** Whoever has one IPv6 address has at least the 2^64 of its network. */
const networkOf = (address: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address
  const [head = '', tail] = address.toLowerCase().split('::')
  const [first, last] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':')))
  const zeros = Array.from({ length: Math.max(0, 8 - first!.length - last!.length) }, () => '0')
  return [...first!, ...zeros, ...last!].slice(0, 4).join(':')
}

/** Counts wrong tokens by network within a minute. Throws `rate_limited` when one sent more than `max`. */
export const createWrongTokens = (clock: Pick<Clock, 'monotonic'>, max: number) => {
  let counts = new Map<string, number>()
  let since = clock.monotonic()
  return (address: string): void => {
    const now = clock.monotonic()
    if (now - since >= windowMs) {
      counts = new Map()
      since = now
    }
    const network = networkOf(address)
    const counted = counts.has(network) || counts.size < maxNetworks ? network : 'others'
    const count = (counts.get(counted) ?? 0) + 1
    counts.set(counted, count)
    if (count <= max) return
    throw fail(
      'rate_limited',
      'Too many wrong tokens came from this address. Wait a minute, then use a token made on this server.',
      {
        retryAfterMs: Math.ceil(since + windowMs - now),
      },
    )
  }
}
