export type Clock = {
  /** Wall clock, ms since epoch. */
  now(): number
  /** Monotonic clock in ms, for waits and durations. */
  monotonic(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}
/** Field names that the logger sets itself. */
type OwnFields = { event?: never; level?: never; time?: never }
export type Log = (
  level: 'debug' | 'info' | 'warn' | 'error',
  event: string,
  fields?: Record<string, string | number | boolean | null | undefined> & OwnFields,
) => void
