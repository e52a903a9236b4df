import type { RunMeta } from '#kit'

/** The whole of an answer that was cut, so that its rest can be had without doing or paying the same again. */
export type KeptAnswer = { output: unknown; run: RunMeta }
export type Kept = { get(key: string): KeptAnswer | undefined; keep(tenant: string, key: string, answer: KeptAnswer, bytes: number): void }

const keepMs = 10 * 60_000
const mostBytes = { all: 64 * 1024 * 1024, perTenant: 32 * 1024 * 1024 }

type Entry = { tenant: string; answer: KeptAnswer; bytes: number; until: number }

/** Keeps answers in memory for 10 minutes, the latest 32 MB of each tenant; where that is too much in all, of the one that has most. `now`: monotonic ms. */
export const createKept = (now: () => number): Kept => {
  const kept = new Map<string, Entry>()
  const bytesOf = new Map<string, number>()
  let total = 0
  const count = ({ tenant }: Entry, bytes: number) => {
    const own = (bytesOf.get(tenant) ?? 0) + bytes
    total += bytes
    if (own === 0) bytesOf.delete(tenant)
    else bytesOf.set(tenant, own)
  }
  const drop = (key: string) => {
    const entry = kept.get(key)
    if (!entry) return
    kept.delete(key)
    count(entry, -entry.bytes)
  }
  /** Drops the oldest of a tenant while that is wanted. */
  const dropOf = (tenant: string, isWanted: () => boolean) => {
    for (const [key, entry] of kept) {
      if (!isWanted()) return
      if (entry.tenant === tenant) drop(key)
    }
  }
  return {
    get(key) {
      const found = kept.get(key)
      if (found && found.until <= now()) drop(key)
      return kept.get(key)?.answer
    },
    keep(tenant, key, answer, bytes) {
      if (bytes > mostBytes.perTenant) return
      drop(key)
      // The order of the map is the order of age.
      for (const [oldest, { until }] of kept) {
        if (until > now()) break
        drop(oldest)
      }
      const entry = { tenant, answer, bytes, until: now() + keepMs }
      kept.set(key, entry)
      count(entry, bytes)
      dropOf(tenant, () => bytesOf.get(tenant)! > mostBytes.perTenant)
      while (total > mostBytes.all) {
        const [largest] = [...bytesOf].toSorted(([, one], [, other]) => other - one)[0]!
        dropOf(largest, () => total > mostBytes.all && bytesOf.get(largest) === Math.max(...bytesOf.values()))
      }
    },
  }
}
