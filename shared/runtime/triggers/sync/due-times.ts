import type { ConnectionRef } from '../provider-session.ts'

/** When each name is due again, jittered so that not all of them come at once. */
export const createDueTimes = (now: () => number, random: () => number, everyMs: number) => {
  const dueAt = new Map<string, number>()
  const nameOf = ({ tenant, connection }: ConnectionRef, model: string) => `${tenant}\n${connection}\n${model}`
  return {
    isDue: (ref: ConnectionRef, model = '') => (dueAt.get(nameOf(ref, model)) ?? 0) <= now(),
    postpone: (ref: ConnectionRef, model = '') => void dueAt.set(nameOf(ref, model), now() + Math.round(everyMs * (0.8 + 0.4 * random()))),
  }
}
export type DueTimes = ReturnType<typeof createDueTimes>
