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
  /** Number of its latest answer, of those of all lanes. */
  lastAnswer: number
}

/** So many wait on a connection because one of its answers takes long, not because many are sent at once. */
const deep = 8

const isBetter = (lane: Lane<unknown>, other: Lane<unknown>): boolean =>
  lane.waiting < other.waiting || (lane.waiting === other.waiting && lane.lastAnswer > other.lastAnswer)

/**
 * Few connections for many single statements. Each statement gets a connection of its own while there are fewer than
 * `usual`. Then it is sent on the connection that owes the fewest answers; where several owe as many, on the one that
 * answered last, since a slow answer delays the others behind it. More connections, up to `most`, are opened while all of
 * them are slow.
 */
export const createLanes = <Connection>(
  take: () => Promise<Held<Connection>>,
  { usual, most }: { usual: number; most: number },
) => {
  const lanes = new Set<Lane<Connection>>()
  let answers = 0

  const open = (): Lane<Connection> => {
    const lane: Lane<Connection> = { held: take(), waiting: 0, lastAnswer: 0 }
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
      else if (best === undefined || isBetter(lane, best)) best = lane
    const limit = best !== undefined && best.waiting >= deep ? most : usual
    return best === undefined || lanes.size < limit ? open() : best
  }

  return {
    async share<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
      const lane = pick()
      lane.waiting += 1
      try {
        return await work((lane.opened ?? (await lane.held)).connection)
      } finally {
        lane.waiting -= 1
        lane.lastAnswer = answers += 1
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
