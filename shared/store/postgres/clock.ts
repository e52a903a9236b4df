import type { Clock } from '../../runtime/ports/index.ts'
import type { Connections } from './connection.ts'

/**
 * One reading of the database clock: it showed `at` (ms) when our monotonic clock showed `tick`, give or take
 * `errorMs`.
 */
type Look = { at: number; tick: number; errorMs: number }

/** Two monotonic clocks drift apart by less than this rate. */
const drift = 1 / 2000
const firstLooks = 3
/**
 * A larger jump means that the machine slept or its clock was set; its monotonic clock may have stood still meanwhile.
 */
const jumpMs = 1_000
/** How far the time may be held back, so that it does not run backwards when a better reading shows it ran ahead. */
const heldMs = 1_000

const sql = 'select extract(epoch from clock_timestamp())::float8 * 1000 as at'

export type DatabaseClock = Awaited<ReturnType<typeof openDatabaseClock>>

/**
 * The wall clock of the database as this process computes it: the database's time at the last good reading, plus what
 * our monotonic clock has counted since. All processes on one database agree on it, whatever the clocks of their
 * machines show.
 */
export const openDatabaseClock = async (connections: Pick<Connections, 'use'>, machine: Clock) => {
  let lastLook: Look
  let looking: Promise<void> | undefined
  let last = -Infinity
  /** Difference between the machine's wall clock and its monotonic clock, in ms. */
  const distance = () => machine.now() - machine.monotonic()
  let distanceThen = distance()

  /** Measured on a connection that is already open: waiting for one would count as part of the round trip. */
  const ask = () =>
    connections.use(async ({ send }): Promise<Look> => {
      const before = machine.monotonic()
      const [result] = await send([{ name: 'clock', text: sql, values: [] }])
      const halfway = (machine.monotonic() - before) / 2
      return { at: Number(result!.rows[0]!['at']), tick: before + halfway, errorMs: halfway }
    })
  const reckoned = () => lastLook.at + machine.monotonic() - lastLook.tick
  /**
   * A reading with a slow answer is less precise than the last one, unless both cannot be true: then a clock was set.
   */
  const isBetter = (look: Look) => {
    const errorMs = lastLook.errorMs + (look.tick - lastLook.tick) * drift
    return (
      look.errorMs <= errorMs || Math.abs(look.at - lastLook.at - (look.tick - lastLook.tick)) > look.errorMs + errorMs
    )
  }

  const look = (): Promise<void> => {
    looking ??= (async () => {
      const distanceNow = distance()
      const newLook = await ask()
      // What was counted across a jump of the machine's clock is useless.
      if (isBetter(newLook) || Math.abs(distanceNow - distanceThen) > jumpMs) lastLook = newLook
      distanceThen = distanceNow
    })().finally(() => (looking = undefined))
    return looking
  }

  lastLook = await ask()
  for (let n = 1; n < firstLooks; n += 1) await look()

  const now = (): number => {
    // The new reading applies a moment later. Whoever calls `look` regularly sees a failure.
    if (Math.abs(distance() - distanceThen) > jumpMs) look().catch(() => undefined)
    const at = Math.floor(reckoned())
    last = at < last && last - at < heldMs ? last : at
    return last
  }
  return {
    clock: { ...machine, now } satisfies Clock,
    /** Reads the database clock again; call this regularly. */
    look,
    /** How far the wall clock of this machine is ahead of the database's, in ms; negative when it is behind. */
    aheadMs: (): number => Math.round(machine.now() - reckoned()),
  }
}
