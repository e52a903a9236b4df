import { describeDefect, isFailure } from '#kit'
import type { Change, Cluster, Log } from '../../runtime/ports/index.ts'
import type { Statement } from '../commit.ts'
import type { Connections } from './connection.ts'
import type { Listener as Notifications } from './listener.ts'
import type { Query } from './text.ts'

/** Changes are also read this often, because notifications are missed while the listener reconnects. */
const everyMs = 1000
const removeMs = 60_000
const removedAtOnce = 5000
/**
 * How long a read of changes may take, in ms. It fetches a few rows by key every second, so a missing answer is the
 * first sign that the path to the database is lost.
 */
const answerMs = 5000
/** Rows are removed after ten minutes; a process that read nothing for half of that may have missed some. */
const maxAwayS = 300
const channel = 'toolyard_changes'

type Listener = Parameters<Cluster['follow']>[0]
/**
 * `horizon`: every transaction before it has ended and was read. `seen`: rows of later transactions that were read.
 * `readAt`: by the clock of the database, in s.
 */
type ReadPosition = { horizon: string; seen: Map<string, { xid: bigint; scope: string }>; readAt: number }

const query = (name: string, text: string, values: unknown[] = []): Query => ({ name: `changes ${name}`, text, values })
const nowText = `select pg_snapshot_xmin(pg_current_snapshot())::text as horizon, extract(epoch from clock_timestamp())::float8 as at`
const now = query('now', nowText)
/** One statement: it sees all rows of transactions before the horizon of its own snapshot. Without changes, one row. */
const since = (horizon: string) =>
  query(
    'since',
    `select read.horizon, read.at, id::text, xid::text, kind, tenant, item, scope, node
      from (${nowText}) as read left join changes on xid >= $1::xid8 order by id`,
    [horizon],
  )

/** Written in the form from which the committer reads the tenant whose lock it takes. */
const guardSql =
  'select require_followed(tenant, ?, ?, ?, ?) as followed from (select ? as tenant) as asked where tenant = ?'

type ChangesDependencies = {
  connections: Pick<Connections, 'send'>
  notifications: Pick<Notifications, 'listen'>
  node: string
  log: Log
}

/** Reads what other processes changed: on notification, and every second. */
export const openChanges = async ({ connections, notifications, node, log }: ChangesDependencies) => {
  const listeners = new Set<Listener>()
  const first = (await connections.send([now]))[0]!.rows[0]!
  let lastRead: ReadPosition = { horizon: String(first['horizon']), seen: new Map(), readAt: Number(first['at']) }
  let reading: Promise<void> | undefined
  let next: Promise<void> | undefined
  let isClosed = false

  const tell = async (changes: Change[]) => {
    if (changes.length > 0) await Promise.all([...listeners].map(async (listener) => listener(changes)))
  }

  const read = async (): Promise<void> => {
    const [answer] = await connections.send([since(lastRead.horizon)], answerMs)
    const { horizon, at, id: firstId } = answer!.rows[0] as { horizon: string; at: number; id: string | null }
    const changed = firstId === null ? [] : answer!.rows
    const rows = changed.map(({ id, xid, kind, tenant, item, scope, node: by }) => ({
      id: String(id),
      xid: BigInt(String(xid)),
      scope: `${String(tenant)}\n${String(scope)}`,
      by: by as string | null,
      change: { kind, tenant, id: item } as Change,
    }))
    // A database whose transaction ids start again is another one, such as a restored copy.
    const isLost = at - lastRead.readAt > maxAwayS || BigInt(horizon) < BigInt(lastRead.horizon)
    const news = rows.filter(({ id, by }) => by !== node && !lastRead.seen.has(id)).map(({ change }) => change)
    await tell(isLost ? [{ kind: 'everything', tenant: '', id: '' }, ...news] : news)
    const late = rows.filter(({ xid }) => xid >= BigInt(horizon))
    lastRead = { horizon, readAt: at, seen: new Map(late.map(({ id, xid, scope }) => [id, { xid, scope }])) }
  }

  /** Reads one after the other; a caller that comes during a read waits for the next one. */
  const look = (): Promise<void> => {
    if (reading) {
      next ??= reading
        .catch(() => undefined)
        .then(() => {
          next = undefined
          return look()
        })
      return next
    }
    reading = read().finally(() => (reading = undefined))
    return reading
  }
  const lookSoon = () => {
    if (listeners.size === 0 || isClosed) return
    look().catch((error: unknown) =>
      log('warn', 'changes.not_read', isFailure(error) ? { reason: error.message } : describeDefect(error)),
    )
  }

  const old = query(
    'old',
    `delete from changes where id in (select id from changes where at < clock_timestamp() - interval '10 minutes' order by at limit ${removedAtOnce})`,
  )
  const removeOld = async () => {
    while (!isClosed) if ((await connections.send([old]))[0]!.changes < removedAtOnce) return
  }
  const timers = [
    setInterval(lookSoon, everyMs).unref(),
    setInterval(() => void removeOld().catch(() => undefined), removeMs).unref(),
  ]

  /**
   * A statement that refuses the unit it is part of when another process changed a subscription of the connection and
   * the listeners here do not know it yet.
   */
  const guard = (tenant: string, connection: string): Statement => {
    const scope = `${tenant}\n${connection}`
    const seen = [...lastRead.seen].flatMap(([id, row]) => (row.scope === scope ? [id] : []))
    return {
      sql: guardSql,
      params: [connection, lastRead.horizon, `{${seen.join(',')}}`, lastRead.readAt, tenant, tenant],
      // Others change subscriptions of the tenant under the lock that the transaction holds.
      isCheck: true,
    }
  }

  return {
    guard,
    follow(follower: Listener) {
      listeners.add(follower)
      // While it is not heard, rows are still read every second.
      void notifications.listen(channel, { onNotified: lookSoon, onHeard: lookSoon })
      return () => void listeners.delete(follower)
    },
    async catchUp() {
      await look()
    },
    async tellOthers({ kind, tenant, id }: Change) {
      await connections.send([
        query(
          'tell',
          `with told as (insert into changes (kind, tenant, item, node) values ($1, $2, $3, $4) returning id) select pg_notify('${channel}', '') from told`,
          [kind, tenant, id, node],
        ),
      ])
    },
    async close() {
      isClosed = true
      for (const timer of timers) clearInterval(timer)
      listeners.clear()
      await Promise.allSettled([reading, next])
    },
  }
}
