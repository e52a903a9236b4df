import type { Clock, Cluster, Lease } from '../../runtime/ports/index.ts'
import type { Connections } from './connection.ts'

/** Share of a lease's time that is not used, so that what is sent while it is held arrives before it ends. */
const margin = 0.2

/**
 * The database's clock decides when a lease ends; the holder counts the time since it asked. `lost`: how many
 * had ended before their work did.
 */
export const leasesIn = (
  connections: Pick<Connections, 'send'>,
  node: string,
  clock: Pick<Clock, 'monotonic'>,
): { take: Cluster['lease']; lost(): number } => {
  let lost = 0
  const sendOne = async (name: string, text: string, values: unknown[]) =>
    (await connections.send([{ name, text, values }]))[0]!
  const until = (place: number) => `clock_timestamp() + make_interval(secs => $${place}::float8 / 1000)`

  const take: Cluster['lease'] = async (name, ms): Promise<Lease | undefined> => {
    const askedAt = clock.monotonic()
    const taken = await sendOne(
      'lease take',
      `insert into leases (name, node, epoch, until_at) values ($1, $2, nextval('lease_epochs'), ${until(3)})
        on conflict (name) do update set node = excluded.node, epoch = excluded.epoch, until_at = excluded.until_at
        where leases.until_at <= clock_timestamp() returning epoch`,
      [name, node, ms],
    )
    const [row] = taken.rows
    if (!row) return undefined
    const epoch = Number(row['epoch'])
    let heldUntil = askedAt + ms * (1 - margin)
    return {
      lease: name,
      epoch,
      isHeld: () => clock.monotonic() < heldUntil,
      async renew(longer) {
        const at = clock.monotonic()
        const renewed = await sendOne(
          'lease renew',
          `update leases set until_at = ${until(3)} where name = $1 and epoch = $2`,
          [name, epoch, longer],
        )
        heldUntil = renewed.changes > 0 ? at + longer * (1 - margin) : 0
        return renewed.changes > 0
      },
      async release() {
        if (clock.monotonic() >= heldUntil) lost += 1
        heldUntil = 0
        // Epochs come from a sequence, so nothing is lost when the row is deleted.
        await sendOne('lease release', 'delete from leases where name = $1 and epoch = $2', [name, epoch])
      },
    }
  }
  return { take, lost: () => lost }
}
