/** A connection of the pool that is held for somebody. */
export type Held<Connection> = {
  connection: Connection
  /** Whether more may be sent on it. */
  isUsable(): boolean
  free(): void
}

type Lane<Connection> = {
  held: Promise<Held<Connection>>
  /** What it was opened as, once it is. */
  opened?: Held<Connection>
  waiting: number
}

/**
 * Few connections for many who send single statements: each gets a connection of its own while there are fewer than
 * `max`; then what waits is sent behind each other, on the connection with the fewest answers outstanding.
 */
export const createLanes = <Connection>(take: () => Promise<Held<Connection>>, max: number) => {
  const lanes = new Set<Lane<Connection>>()

  const open = (): Lane<Connection> => {
    const lane: Lane<Connection> = { held: take(), waiting: 0 }
    lane.held.then(
      (held) => (lane.opened = held),
      () => lanes.delete(lane),
    )
    lanes.add(lane)
    return lane
  }
  const pick = (): Lane<Connection> => {
    let best: Lane<Connection> | undefined
    for (const lane of lanes)
      if (lane.opened?.isUsable() === false) lanes.delete(lane)
      else if (best === undefined || lane.waiting < best.waiting) best = lane
    return best === undefined || lanes.size < max ? open() : best
  }

  return {
    async share<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
      const lane = pick()
      lane.waiting += 1
      try {
        return await work((lane.opened ?? (await lane.held)).connection)
      } finally {
        lane.waiting -= 1
        if (lane.waiting === 0) {
          lanes.delete(lane)
          lane.opened?.free()
        }
      }
    },
    /** How many wait for the answers of others before theirs. */
    waiting: (): number => [...lanes].reduce((sum, { waiting }) => sum + waiting - 1, 0),
  }
}
