import type { Leases } from '../../leases.ts'
import type { ConnectionRef } from '../provider-session.ts'
import { createTimes } from './times.ts'

type DueTimesDependencies = { now(): number; random(): number; leases: Pick<Leases, 'claim'> }

/**
 * Tracks when each connection and model is due again, jittered so that not all are due at once. `what`: the kind of
 * work, which names it across the processes that share it.
 */
export const createDueTimes = ({ now, random, leases }: DueTimesDependencies, what: string, everyMs: number) => {
  const dueAt = createTimes(now)
  const nameOf = ({ tenant, connection }: ConnectionRef, model: string) => `${tenant}\n${connection}\n${model}`
  const postpone = (ref: ConnectionRef, model = '') =>
    dueAt.set(nameOf(ref, model), now() + Math.round(everyMs * (0.8 + 0.4 * random())))
  return {
    /** Whether the work is due, and this process is the one to do it. */
    async claim(ref: ConnectionRef, model = ''): Promise<boolean> {
      if (dueAt.get(nameOf(ref, model)) > now()) return false
      postpone(ref, model)
      // Shorter than the shortest jittered interval, so that the process that did it last may do it again.
      return leases.claim(`${what} ${ref.tenant} ${ref.connection} ${model}`, everyMs * 0.75)
    },
    postpone,
  }
}
export type DueTimes = ReturnType<typeof createDueTimes>
