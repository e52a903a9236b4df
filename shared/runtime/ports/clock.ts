export type Clock = {
  /** Wall clock, ms since epoch. */
  now(): number
  /** Monotonic ms; waits and durations use it. */
  monotonic(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}
/** Names that a line of the log has itself. */
type OwnFields = { event?: never; level?: never; time?: never }
export type Log = (
  level: 'debug' | 'info' | 'warn' | 'error',
  event: string,
  fields?: Record<string, string | number | boolean | null | undefined> & OwnFields,
) => void
