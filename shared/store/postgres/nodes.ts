import type { Clock, Cluster, ClusterMember, Log } from '../../runtime/ports/index.ts'
import type { Db } from '../commit.ts'
import type { DatabaseClock } from './clock.ts'
import type { Connections } from './connection.ts'
import type { Query } from './text.ts'

type NodesDependencies = {
  connections: Pick<Connections, 'send'>
  db: Db
  node: string
  version: string
  schema: number
  clock: Pick<Clock, 'monotonic'>
  time: Pick<DatabaseClock, 'look' | 'aheadMs'>
  log: Log
  /** A process that was not seen for this long, in ms, counts as ended. */
  deadMs: number
}

const defaultDeadMs = 15_000
export const deadAfterMs = (configuredMs: number | undefined): number => configuredMs ?? defaultDeadMs

const interval = (place: number) => `make_interval(secs => $${place}::float8 / 1000)`

/** The processes that share the database. Each regularly records that it is alive. */
export const openNodes = async ({
  connections,
  db,
  node,
  version,
  schema,
  clock,
  time,
  log,
  deadMs,
}: NodesDependencies) => {
  const everyMs = deadMs / 5
  const send = async (query: Query) => (await connections.send([query]))[0]!
  const beatText = `insert into nodes (node, started_at, seen_at, version, schema, clock_ahead_ms)
    values ($1, clock_timestamp(), clock_timestamp(), $2, $3, $4)
    on conflict (node) do update set seen_at = excluded.seen_at, clock_ahead_ms = excluded.clock_ahead_ms`
  // If this process or its database was away, that alone explains why it has not seen the others.
  let steadyFrom = clock.monotonic()
  let seenAt = steadyFrom

  const beat = async () => {
    await time.look()
    await send({ name: 'node beat', text: beatText, values: [node, version, schema, time.aheadMs()] })
    const at = clock.monotonic()
    if (at - seenAt > 2 * everyMs) steadyFrom = at
    seenAt = at
  }
  await beat()
  // Leases of ended connections would stay forever. Epochs are never reused, so deleting them is safe.
  await send({
    name: 'leases old',
    text: `delete from leases where until_at < clock_timestamp() - interval '1 day'`,
    values: [],
  })

  let beating: Promise<unknown> | undefined
  const timer = setInterval(() => {
    beating ??= beat()
      .catch((error: unknown) =>
        log('warn', 'node.not_noted', { reason: error instanceof Error ? error.message : 'unknown' }),
      )
      .finally(() => (beating = undefined))
  }, everyMs).unref()

  const mayJudge = () => clock.monotonic() - seenAt <= 2 * everyMs && seenAt - steadyFrom >= deadMs

  const departed: Cluster['departed'] = async () => {
    // A process that stopped in order has recorded it in `seen_at`.
    const since = mayJudge() ? deadMs : 1e12
    const text = `select node from nodes where node <> $1 and seen_at < clock_timestamp() - ${interval(2)} order by node`
    return (await send({ name: 'nodes departed', text, values: [node, since] })).rows.map((row) => String(row['node']))
  }

  const members: Cluster['members'] = async () => {
    const text = `select node, (extract(epoch from started_at) * 1000)::bigint as "startedAt", (extract(epoch from seen_at) * 1000)::bigint as "seenAt",
      version, schema, clock_ahead_ms as "clockAheadMs", case when has_caught_up then 1 else 0 end as "hasCaughtUp",
      case when seen_at >= clock_timestamp() - ${interval(1)} then 1 else 0 end as "isAlive"
      from nodes where seen_at > '-infinity' order by started_at, node`
    const { rows } = await send({ name: 'nodes', text, values: [deadMs] })
    return rows.map((row) => ({
      ...(row as unknown as ClusterMember),
      hasCaughtUp: row['hasCaughtUp'] === 1,
      isAlive: row['isAlive'] === 1,
    }))
  }

  const forget: Cluster['forget'] = async (nodes) => {
    if (nodes.length === 0) return
    const theirs = `node in (${nodes.map(() => '?').join(', ')})`
    const released = `/* every tenant: nodes.forget */ set due_at = (select now_ms())`
    await db.write([
      { sql: `update starts ${released} where state = 'leased' and ${theirs}`, params: nodes },
      { sql: `update events ${released} where state = 'pending' and ${theirs}`, params: nodes },
      {
        sql: `update leases /* every tenant: nodes.forget */ set until_at = clock_timestamp() where until_at > clock_timestamp() and ${theirs}`,
        params: nodes,
      },
      { sql: `delete from nodes /* every tenant: nodes.forget */ where ${theirs}`, params: nodes },
    ])
    log('info', 'nodes.forgotten', { nodes: nodes.length })
  }

  return {
    departed,
    forget,
    members,
    caughtUp: async () =>
      void (await send({
        name: 'node caught up',
        text: 'update nodes set has_caught_up = true where node = $1',
        values: [node],
      })),
    /** Records that this process ends, so that nobody waits for it. */
    async leave(): Promise<void> {
      clearInterval(timer)
      await beating
      await send({
        name: 'node leave',
        text: `update nodes set seen_at = '-infinity' where node = $1`,
        values: [node],
      }).catch(() => undefined)
    },
  }
}
