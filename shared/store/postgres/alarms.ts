import type { Clock, JobKind } from '../../runtime/ports/index.ts'

/** Jobs that are due later are found by looking, so that the number of alarms is limited. */
const maxMs = 3_600_000
/** The database must agree that the job is due. */
const lateMs = 20

/** Calls back when a job of a kind is due. Jobs of one second become one call. */
export const createAlarms = (clock: Pick<Clock, 'now'>, onDue: (kind: JobKind) => void) => {
  const alarms = new Map<string, NodeJS.Timeout>()
  return {
    set(kind: JobKind, at: number): void {
      const second = Math.ceil(at / 1000)
      const name = `${kind} ${second}`
      const ms = second * 1000 - clock.now()
      if (ms <= 0 || ms > maxMs || alarms.has(name)) return
      const ring = () => {
        alarms.delete(name)
        onDue(kind)
      }
      alarms.set(name, setTimeout(ring, ms + lateMs).unref())
    },
    clear(): void {
      for (const alarm of alarms.values()) clearTimeout(alarm)
      alarms.clear()
    },
  }
}
