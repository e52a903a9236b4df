import type { Clock, Store } from '../../ports/index.ts'

const names = { time: 'alive', clock: 'alive by the clock' }

/**
 * When a process was last running: `time` is by its clock that never runs backwards. The wall clock is stored too,
 * since it may have been set back before or afterwards.
 */
export type Heartbeat = {
  time: number
  /** Apparent time since then, in ms; a lower bound where the clock was set back in between. */ awayMs: number
}

export const readHeartbeat = async (
  { timestamps }: Pick<Store, 'timestamps'>,
  clock: Pick<Clock, 'now'>,
): Promise<Heartbeat | undefined> => {
  const time = await timestamps.get(names.time)
  if (time === undefined) return undefined
  return { time, awayMs: Math.abs(clock.now() - ((await timestamps.get(names.clock)) ?? time)) }
}

export const putHeartbeat = async (
  { timestamps }: Pick<Store, 'timestamps'>,
  clock: Pick<Clock, 'now'>,
  now: number,
): Promise<void> => {
  await timestamps.put(names.time, now)
  await timestamps.put(names.clock, clock.now())
}
