import type { RunMeta } from '#kit'

/** The whole of an answer that was cut, so that its rest can be had without doing or paying the same again. */
export type KeptAnswer = { output: unknown; run: RunMeta }
export type Kept = { get(key: string): KeptAnswer | undefined; keep(key: string, answer: KeptAnswer, bytes: number): void }

const keepMs = 10 * 60_000
const mostBytes = 32 * 1024 * 1024

/** Keeps answers in memory for 10 minutes, the latest 32 MB of them. `now`: monotonic ms. */
export const createKept = (now: () => number): Kept => {
  const kept = new Map<string, { answer: KeptAnswer; bytes: number; until: number }>()
  let total = 0
  const drop = (key: string) => {
    total -= kept.get(key)?.bytes ?? 0
    kept.delete(key)
  }
  return {
    get(key) {
      const found = kept.get(key)
      if (found && found.until <= now()) drop(key)
      return kept.get(key)?.answer
    },
    keep(key, answer, bytes) {
      if (bytes > mostBytes) return
      drop(key)
      kept.set(key, { answer, bytes, until: now() + keepMs })
      total += bytes
      for (const [oldest, { until }] of kept) {
        if (total <= mostBytes && until > now()) break
        drop(oldest)
      }
    },
  }
}
